#include "cli/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "cli/folders.h"
#include "cli/plot.h"
#include "cli/result_json.h"

static const char dof_means[] =
    "values of h at vertices, of v1 and of v2 at theirs: 6 ((n+1)^2 + 2 n (n+1)); values on a "
    "vertex that panels share count once per panel";

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *quartiles_json(swe_quartiles q)
{
    return json_pack("{s:f, s:f, s:f, s:i}", "median", q.median, "low_quartile", q.low,
                     "high_quartile", q.high, "samples", q.count);
}

static json_t *seconds_json(const double *seconds, int count)
{
    json_t *out = json_array();
    for (int k = 0; k < count; k++)
        json_array_append_new(out, json_real(seconds[k]));
    return out;
}

/* Launch times on the host; null on a backend that is not asynchronous. */
static void add_host(const cli_bench_row *row, const cli_bench_rates *r, json_t *out)
{
    const bool has = row->host_batch > 0;
    json_object_set_new(out, "host_steps", has ? json_integer(row->host_batch) : json_null());
    json_object_set_new(out, "host_seconds",
                        has ? seconds_json(row->starting, row->samples) : json_null());
    json_object_set_new(out, "host_us_per_step", has ? quartiles_json(r->host_us) : json_null());
    json_object_set_new(out, "host_share", cli_json_real(r->host_share));
}

/* null: a GPU computed */
static json_t *threads_json(int threads)
{
    return threads > 0 ? json_integer(threads) : json_null();
}

static json_t *row_json(const cli_bench_study *bench, const cli_bench_row *row)
{
    const cli_bench_rates r = cli_bench_rates_of(bench, row);
    json_t *out = json_pack(
        "{s:s, s:s, s:i, s:i, s:o, s:i, s:s, s:f, s:f, s:I, s:I, s:I, s:f, s:o, s:o}", "pipeline",
        swe_pipeline_name(row->variant->pipeline), "precision",
        swe_precision_name(row->variant->precision), "order", row->order, "n", row->n, "threads",
        threads_json(row->threads), "group", row->group, "measured", row->measured, "dt", row->dt,
        "courant", row->courant, "steps_per_sample", (json_int_t)row->batch, "steps",
        (json_int_t)row->steps, "memory_bytes", (json_int_t)row->bytes, "max_h", row->max_h,
        "seconds", seconds_json(row->seconds, row->samples), "us_per_step", quartiles_json(r.us));
    const struct {
        const char *name;
        double value;
    } reals[] = {{"dof", r.dof},
                 {"ns_per_dof_and_stage", r.ns},
                 {"gdof_per_s", r.gdof},
                 {"bytes_per_step", row->step_bytes},
                 {"flops_per_step", row->step_flops},
                 {"words", r.words},
                 {"bandwidth_bytes_per_s", r.bandwidth},
                 {"bandwidth_share", r.copy_share},
                 {"flops_per_s", r.flops},
                 {"flops_share", r.peak_share}};
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++)
        json_object_set_new(out, reals[k].name, cli_json_real(reals[k].value));
    add_host(row, &r, out);
    return out;
}

static json_t *fit_json(const cli_bench_study *bench, int first)
{
    const cli_bench_row *row = &bench->rows[first];
    const cli_bench_fit fit = cli_bench_fit_of(bench, first);
    return json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:o}", "pipeline",
                     swe_pipeline_name(row->variant->pipeline), "precision",
                     swe_precision_name(row->variant->precision), "order", row->order, "rows",
                     fit.count, "latency_us", cli_json_real(fit.latency_us),
                     "throughput_gdof_per_s", cli_json_real(fit.throughput_gdof), "worst_deviation",
                     cli_json_real(fit.worst));
}

static json_t *peaks_json(const swe_peaks *c)
{
    return json_pack("{s:f, s:f, s:f}", "copy_bandwidth_bytes_per_s", c->copy_bandwidth,
                     "fp64_flops_per_s", c->flops[SWE_PRECISION_DOUBLE], "fp32_flops_per_s",
                     c->flops[SWE_PRECISION_SINGLE]);
}

static json_t *definitions_json(void)
{
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "dof", dof_means, "stage",
        "one of the 4 substeps of a classical Runge-Kutta step: a right-hand side and an update",
        "us_per_step", "seconds over steps_per_sample", "bytes_per_step",
        "bytes of the values that the stages of a step read and write, each value once per stage, "
        "by the static cost (cubeswe info --kernels)",
        "words", "bytes_per_step over dof and the bytes of a value", "bandwidth_share",
        "bytes_per_step a second over the bandwidth of a copy, read and written together",
        "host_us_per_step",
        "time on the host to launch host_steps steps on an idle device, per step", "fit",
        "T = a + V / b, T the median time of a step, V its dof, least squares of the relative "
        "deviations: latency_us is a, throughput_gdof_per_s is b");
}

static json_t *sizes_json(const cli_list *sizes)
{
    json_t *out = json_array();
    for (int k = 0; k < sizes->count; k++)
        json_array_append_new(out, json_integer(sizes->value[k]));
    return out;
}

static json_t *study_json(const cli_bench_study *b)
{
    json_t *rows = json_array(), *fits = json_array();
    for (int k = 0; k < b->count; k++) {
        json_array_append_new(rows, row_json(b, &b->rows[k]));
        if (cli_bench_is_first(b, k))
            json_array_append_new(fits, fit_json(b, k));
    }
    json_t *peaks = peaks_json(&b->peaks);
    json_object_set_new(peaks, "threads", threads_json(b->threads));
    json_object_set_new(peaks, "before", peaks_json(&b->before));
    json_object_set_new(peaks, "after", b->has_after ? peaks_json(&b->after) : json_null());
    return json_pack("{s:s, s:i, s:s, s:s, s:b, s:o, s:o, s:i, s:f, s:o, s:o, s:o, s:o}", "schema",
                     "cubeswe-bench", "schema_version", 1, "command", b->command, "started",
                     b->started, "finished", b->is_finished, "sizes", sizes_json(&b->sizes),
                     "definitions", definitions_json(), "repeats", b->repeats, "sample_seconds",
                     swe_step_times_batch, "stopped",
                     b->stopped[0] != '\0' ? json_string(b->stopped) : json_null(), "ceilings",
                     peaks, "rows", rows, "fits", fits);
}

static swe_status write_json(swe_context *ctx, const cli_bench_study *bench, const char *directory)
{
    json_t *all = study_json(bench);
    if (all == NULL || json_object_update(all, (json_t *)bench->facts) != 0) {
        json_decref(all);
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for bench.json");
    }
    const swe_status status = cli_page_write(ctx, directory, "bench.html", all);
    if (status == SWE_OK)
        return cli_json_write(ctx, directory, "bench.json", all);
    json_decref(all);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* All digits of a number; an empty cell if it is not finite. */
static void print_csv(FILE *file, const cli_bench_study *bench)
{
    fputs("pipeline,precision,order,n,threads,dof,dt,steps_per_sample,samples,us_median,us_low,"
          "us_high,ns_per_dof_and_stage,gdof_per_s,words,bytes_per_step,flops_per_step,"
          "bandwidth_bytes_per_s,bandwidth_share,flops_per_s,flops_share,host_us_median,"
          "host_share,memory_bytes\n",
          file);
    for (int k = 0; k < bench->count; k++) {
        const cli_bench_row *row = &bench->rows[k];
        const cli_bench_rates r = cli_bench_rates_of(bench, row);
        const double host_us = row->host_batch > 0 ? r.host_us.median : NAN;
        const double numbers[] = {row->threads > 0 ? row->threads : NAN,
                                  r.dof,
                                  row->dt,
                                  (double)row->batch,
                                  row->samples,
                                  r.us.median,
                                  r.us.low,
                                  r.us.high,
                                  r.ns,
                                  r.gdof,
                                  r.words,
                                  row->step_bytes,
                                  row->step_flops,
                                  r.bandwidth,
                                  r.copy_share,
                                  r.flops,
                                  r.peak_share,
                                  host_us,
                                  r.host_share,
                                  (double)row->bytes};
        fprintf(file, "%s,%s,%d,%d", swe_pipeline_name(row->variant->pipeline),
                swe_precision_name(row->variant->precision), row->order, row->n);
        for (size_t c = 0; c < sizeof numbers / sizeof numbers[0]; c++)
            if (isfinite(numbers[c]))
                fprintf(file, ",%.17g", numbers[c]);
            else
                fputc(',', file);
        fputc('\n', file);
    }
}

/* A percentage; blank if not finite. */
static const char *percent(char text[16], double share)
{
    text[0] = '\0';
    if (isfinite(share))
        snprintf(text, 16, "%.1f %%", 100.0 * share);
    return text;
}

static void print_rows(FILE *file, const cli_bench_study *bench)
{
    const double giga = 1e9, mib = 1048576.0;
    fputs("| pipeline | precision | order |    n | threads | us/step, median | quartiles           "
          "  | "
          "ns a DoF and stage | GDoF/s | words | GB/s   | of copy | GFLOP/s | of peak | host   | "
          "MiB      |\n"
          "|----------|-----------|------:|-----:|--------:|----------------:|---------------------"
          "--|"
          "-------------------:|-------:|------:|-------:|--------:|--------:|--------:|-------:|"
          "---------:|\n",
          file);
    for (int k = 0; k < bench->count; k++) {
        const cli_bench_row *row = &bench->rows[k];
        const cli_bench_rates r = cli_bench_rates_of(bench, row);
        char threads[16] = "", quartiles[48], copy[16], peak[16], host[16];
        if (row->threads > 0)
            snprintf(threads, sizeof threads, "%d", row->threads);
        snprintf(quartiles, sizeof quartiles, "%.1f to %.1f", r.us.low, r.us.high);
        fprintf(file,
                "| %-8s | %-9s | %5d | %4d | %7s | %15.1f | %-21s | %18.3f | %6.3f | %5.1f | %6.1f "
                "| %7s | %7.2f | %7s | %6s | %8.1f |\n",
                swe_pipeline_name(row->variant->pipeline),
                swe_precision_name(row->variant->precision), row->order, row->n, threads,
                r.us.median, quartiles, r.ns, r.gdof, r.words, r.bandwidth / giga,
                percent(copy, r.copy_share), r.flops / giga, percent(peak, r.peak_share),
                percent(host, r.host_share), (double)row->bytes / mib);
    }
}

static void print_fits(FILE *file, const cli_bench_study *bench)
{
    for (int k = 0; k < bench->count; k++) {
        const cli_bench_row *row = &bench->rows[k];
        const cli_bench_fit fit = cli_bench_fit_of(bench, k);
        if (cli_bench_is_first(bench, k) && fit.count > 1)
            fprintf(file,
                    "%s, %s, order %d: T = a + V/b with a = %.2f us, b = %.3f GDoF/s; largest "
                    "deviation %.0f %%.\n",
                    swe_pipeline_name(row->variant->pipeline),
                    swe_precision_name(row->variant->precision), row->order, fit.latency_us,
                    fit.throughput_gdof, 100.0 * fit.worst);
    }
}

static void print_tables(FILE *file, const cli_bench_study *bench)
{
    print_rows(file, bench);
    fputc('\n', file);
    print_fits(file, bench);
    fprintf(file, "Ceilings: copy %.1f GB/s, multiply-adds %.1f GFLOP/s in FP64, %.1f in FP32",
            1e-9 * bench->peaks.copy_bandwidth, 1e-9 * bench->peaks.flops[SWE_PRECISION_DOUBLE],
            1e-9 * bench->peaks.flops[SWE_PRECISION_SINGLE]);
    if (bench->threads > 0)
        fprintf(file, ", %d thread%s", bench->threads, bench->threads == 1 ? "" : "s");
    fputs(".\n", file);
}

static void print_markdown(FILE *file, const cli_bench_study *bench)
{
    fprintf(file,
            "# Time of a step: %s\n\ncubeswe %s (%s) on %s, %s. %s, `%s`.\n\n%d samples of each "
            "size, alternating, of as many steps as fit in about %.0f ms; caches are warm.\nDoF: "
            "%s.\nWords: least number of values read and written per DoF and step, by the static "
            "cost of the stages.\n\n",
            CLI_MARKDOWN(bench->case_name), swe_version, swe_build, bench->backend,
            CLI_MARKDOWN(bench->device), bench->started, bench->command, bench->repeats,
            1e3 * swe_step_times_batch, dof_means);
    print_tables(file, bench);
    if (!bench->is_finished)
        fputs("Not finished: the same command measures the missing samples.\n", file);
    if (bench->stopped[0] != '\0')
        fprintf(file, "No larger size: %s.\n", CLI_MARKDOWN(bench->stopped));
}

/* ---- the plot -------------------------------------------------------------------------------- */

/* Degrees of freedom per second at the bandwidth of a copy [1e9/s]. */
static double peak_of(const cli_bench_study *bench, const cli_bench_row *row)
{
    const cli_bench_rates r = cli_bench_rates_of(bench, row);
    return 1e-9 * bench->peaks.copy_bandwidth * r.dof / row->step_bytes;
}

static cli_series series_of(const cli_bench_study *bench, int first, int number, double *n,
                            double *gdof)
{
    const int count = cli_bench_series(bench, first);
    const cli_bench_row *row = &bench->rows[first], *last = &row[count - 1];
    cli_series series = {.x = n, .y = gdof, .count = count, .colour = number};
    for (int k = 0; k < count; k++) {
        n[k] = row[k].n;
        gdof[k] = cli_bench_rates_of(bench, &row[k]).gdof;
    }
    snprintf(series.label, sizeof series.label, "%s, %s, order %d",
             swe_pipeline_name(row->variant->pipeline), swe_precision_name(row->variant->precision),
             row->order);
    if (count > 1 && bench->peaks.copy_bandwidth > 0.0) {
        series.guide[0][0] = row->n;
        series.guide[0][1] = peak_of(bench, row);
        series.guide[1][0] = last->n;
        series.guide[1][1] = peak_of(bench, last);
    }
    return series;
}

/* `points` holds two values per row, `series` one element per row. */
static swe_status write_series(swe_context *ctx, const cli_bench_study *bench,
                               const char *directory, double *points, cli_series *series)
{
    char title[300];
    swe_output_file out;
    cli_plot plot = {title, "cells along a panel side, n",
                     "1e9 DoF/s (dashed: at the copy bandwidth)", series, 0};
    snprintf(title, sizeof title, "Steps of %s on %s", bench->case_name, bench->backend);
    for (int k = 0; k < bench->count; k += cli_bench_series(bench, k), plot.count++)
        series[plot.count] = series_of(bench, k, plot.count, points + k, points + bench->count + k);
    SWE_TRY(cli_result_open(ctx, directory, "bench.svg", &out));
    cli_plot_write(&plot, out.stream);
    return swe_durable_end(ctx, &out);
}

static swe_status write_plot(swe_context *ctx, const cli_bench_study *bench, const char *directory)
{
    double *points = calloc(2 * (size_t)bench->count, sizeof *points);
    cli_series *series = calloc((size_t)bench->count, sizeof *series);
    const bool has_room = points != NULL && series != NULL;
    swe_status status = SWE_NO_MEMORY;
    if (has_room)
        status = write_series(ctx, bench, directory, points, series);
    free(points);
    free(series);
    return has_room ? status : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for bench.svg");
}

static swe_status write_text(swe_context *ctx, const cli_bench_study *bench, const char *directory,
                             const char *name, void (*print)(FILE *, const cli_bench_study *))
{
    swe_output_file out;
    SWE_TRY(cli_result_open(ctx, directory, name, &out));
    print(out.stream, bench);
    return swe_durable_end(ctx, &out);
}

static swe_status write_all(swe_context *ctx, const cli_bench_study *bench, const char *directory)
{
    SWE_TRY(write_text(ctx, bench, directory, "bench.csv", print_csv));
    SWE_TRY(write_text(ctx, bench, directory, "bench.md", print_markdown));
    SWE_TRY(write_plot(ctx, bench, directory));
    return write_json(ctx, bench, directory);
}

/* ---- rows with samples ----------------------------------------------------------------------- */

/* Copy the bench without rows that have no samples. The caller frees out->rows. */
static swe_status leave_out(swe_context *ctx, const cli_bench_study *bench, cli_bench_study *out)
{
    *out = *bench;
    out->count = 0;
    out->rows = calloc((size_t)bench->count, sizeof *out->rows);
    if (out->rows == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    for (int k = 0; k < bench->count; k++)
        if (bench->rows[k].samples > 0)
            out->rows[out->count++] = bench->rows[k];
    return SWE_OK;
}

swe_status cli_bench_write(swe_context *ctx, const cli_bench_study *bench, const char *directory)
{
    cli_bench_study sampled;
    SWE_TRY(leave_out(ctx, bench, &sampled));
    const swe_status status = sampled.count > 0 ? write_all(ctx, &sampled, directory) : SWE_OK;
    free(sampled.rows);
    return status;
}

swe_status cli_bench_print(swe_context *ctx, const cli_bench_study *bench, FILE *file)
{
    cli_bench_study sampled;
    SWE_TRY(leave_out(ctx, bench, &sampled));
    if (sampled.count > 0)
        print_tables(file, &sampled);
    free(sampled.rows);
    return SWE_OK;
}
