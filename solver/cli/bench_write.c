#include "cli/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "cli/rows.h"
#include "cli/results.h"

static const char dof_means[] =
    "values of h at vertices, of v1 and of v2 at theirs: 6 ((n+1)^2 + 2 n (n+1)); values on a "
    "vertex that panels share count once per panel";

/* ---- columns --------------------------------------------------------------------------------- */

/* A study, with a line for each row that has samples. */
typedef struct page {
    cli_bench_study sampled; /* its rows are those with samples */
    cli_bench_line *lines;
} page;

#define ROW(member)  offsetof(cli_bench_line, row.member)
#define RATE(member) offsetof(cli_bench_line, rates.member)

const cli_column cli_bench_columns[CLI_BENCH_COLUMNS] = {
    {"pipeline", FIELD_TEXT, offsetof(cli_bench_line, pipeline), "%s", ROW_READ},
    {"precision", FIELD_TEXT, offsetof(cli_bench_line, precision), "%s", ROW_READ},
    {"order", FIELD_COUNT, ROW(order), "%lld", ROW_READ},
    {"n", FIELD_COUNT, ROW(n), "%lld", ROW_READ},
    {"threads", FIELD_INTEGER, ROW(threads), "%lld", ROW_READ},
    {"group", FIELD_COUNT, ROW(group), NULL, ROW_DERIVED},
    {"measured", FIELD_TEXT, offsetof(cli_bench_line, measured), NULL, ROW_READ},
    {"dof", FIELD_NUMBER, RATE(dof), "%.17g", ROW_DERIVED},
    {"dt", FIELD_NUMBER, ROW(dt), "%.17g", ROW_DERIVED},
    {"courant", FIELD_NUMBER, ROW(courant), NULL, ROW_DERIVED},
    {"steps_per_sample", FIELD_COUNT, ROW(batch), "%lld", ROW_READ},
    {"steps", FIELD_COUNT, ROW(steps), NULL, ROW_READ},
    {"max_h", FIELD_NUMBER, ROW(max_h), NULL, ROW_READ},
    {"host_steps", FIELD_INTEGER, ROW(host_batch), NULL, ROW_READ},
    {"samples", FIELD_COUNT, offsetof(cli_bench_line, samples), "%lld", ROW_CSV},
    {"us_median", FIELD_NUMBER, RATE(us.median), "%.17g", ROW_CSV},
    {"us_low", FIELD_NUMBER, RATE(us.low), "%.17g", ROW_CSV},
    {"us_high", FIELD_NUMBER, RATE(us.high), "%.17g", ROW_CSV},
    {"ns_per_dof_and_stage", FIELD_KNOWN, RATE(ns), "%.17g", ROW_DERIVED},
    {"gdof_per_s", FIELD_KNOWN, RATE(gdof), "%.17g", ROW_DERIVED},
    {"words", FIELD_KNOWN, RATE(words), "%.17g", ROW_DERIVED},
    {"bytes_per_step", FIELD_KNOWN, ROW(step_bytes), "%.17g", ROW_DERIVED},
    {"flops_per_step", FIELD_KNOWN, ROW(step_flops), "%.17g", ROW_DERIVED},
    {"bandwidth_bytes_per_s", FIELD_KNOWN, RATE(bandwidth), "%.17g", ROW_DERIVED},
    {"bandwidth_share", FIELD_KNOWN, RATE(copy_share), "%.17g", ROW_DERIVED},
    {"flops_per_s", FIELD_KNOWN, RATE(flops), "%.17g", ROW_DERIVED},
    {"flops_share", FIELD_KNOWN, RATE(peak_share), "%.17g", ROW_DERIVED},
    {"host_us_median", FIELD_KNOWN, RATE(host_us.median), "%.17g", ROW_CSV},
    {"host_share", FIELD_KNOWN, RATE(host_share), "%.17g", ROW_DERIVED},
    {"memory_bytes", FIELD_COUNT, ROW(bytes), "%lld", ROW_DERIVED}};

static const cli_cell cells[] = {
    {"pipeline", FIELD_TEXT, offsetof(cli_bench_line, pipeline), NULL, 0.0},
    {"precision", FIELD_TEXT, offsetof(cli_bench_line, precision), NULL, 0.0},
    {"order", FIELD_COUNT, ROW(order), "%lld", 0.0},
    {"   n", FIELD_COUNT, ROW(n), "%lld", 0.0},
    {"threads", FIELD_INTEGER, ROW(threads), "%lld", 0.0},
    {"us/step, median", FIELD_KNOWN, RATE(us.median), "%.1f", 0.0},
    {"quartiles            ", FIELD_TEXT, offsetof(cli_bench_line, quartiles), NULL, 0.0},
    {"ns a DoF and stage", FIELD_KNOWN, RATE(ns), "%.3f", 0.0},
    {"GDoF/s", FIELD_KNOWN, RATE(gdof), "%.3f", 0.0},
    {"words", FIELD_KNOWN, RATE(words), "%.1f", 0.0},
    {"GB/s  ", FIELD_KNOWN, RATE(bandwidth), "%.1f", 1e-9},
    {"of copy", FIELD_KNOWN, RATE(copy_share), "%.1f %%", 100.0},
    {"GFLOP/s", FIELD_KNOWN, RATE(flops), "%.2f", 1e-9},
    {"of peak", FIELD_KNOWN, RATE(peak_share), "%.1f %%", 100.0},
    {"host  ", FIELD_KNOWN, RATE(host_share), "%.1f %%", 100.0},
    {"MiB     ", FIELD_COUNT, ROW(bytes), "%.1f", 1.0 / 1048576.0}};

static cli_rows lines_of(const page *p)
{
    return (cli_rows){p->lines, p->sampled.count, sizeof p->lines[0]};
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *seconds_json(const double *seconds, int count)
{
    json_t *out = json_array();
    for (int k = 0; k < count; k++)
        json_array_append_new(out, swe_json_real(seconds[k]));
    return out;
}

/* null: a GPU computed */
static json_t *threads_json(int64_t threads)
{
    return threads > 0 ? json_integer(threads) : json_null();
}

/* Launch times on the host are null on a backend that is not asynchronous. */
static json_t *row_json(const cli_bench_line *l)
{
    const cli_bench_row *row = &l->row;
    const bool has_host = row->host_batch > 0;
    json_t *out = json_pack(
        "{s:o, s:o, s:o, s:o}", "seconds", seconds_json(row->seconds, row->samples), "us_per_step",
        cli_json_quartiles(l->rates.us, 1.0), "host_seconds",
        has_host ? seconds_json(row->starting, row->samples) : json_null(), "host_us_per_step",
        has_host ? cli_json_quartiles(l->rates.host_us, 1.0) : json_null());
    cli_row_set(out, cli_bench_columns, CLI_BENCH_COLUMNS, l);
    json_object_set_new(out, "core_wait_share", swe_json_real(l->rates.us.waited));
    json_object_set_new(out, "not_reliable_because",
                        swe_json_text_or_null(swe_doubt_of(&l->rates.us)));
    return out;
}

static json_t *fit_json(const cli_bench_study *bench, int first)
{
    const cli_bench_row *row = &bench->rows[first];
    const cli_bench_fit fit = cli_bench_fit_of(bench, first);
    return json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:o}", "pipeline",
                     swe_pipeline_name(row->variant->pipeline), "precision",
                     swe_precision_name(row->variant->precision), "order", (int)row->order, "rows",
                     fit.count, "latency_us", swe_json_real(fit.latency_us),
                     "throughput_gdof_per_s", swe_json_real(fit.throughput_gdof), "worst_deviation",
                     swe_json_real(fit.worst));
}

static json_t *peaks_json(const swe_peaks *c)
{
    return json_pack("{s:o, s:o, s:o}", "copy_bandwidth_bytes_per_s",
                     swe_json_real(c->copy_bandwidth), "fp64_flops_per_s",
                     swe_json_real(c->flops[SWE_PRECISION_DOUBLE]), "fp32_flops_per_s",
                     swe_json_real(c->flops[SWE_PRECISION_SINGLE]));
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

static json_t *study_json(const page *p)
{
    const cli_bench_study *b = &p->sampled;
    json_t *rows = json_array(), *fits = json_array();
    for (int k = 0; k < b->count; k++) {
        json_array_append_new(rows, row_json(&p->lines[k]));
        if (cli_bench_is_first(b, k))
            json_array_append_new(fits, fit_json(b, k));
    }
    json_t *peaks = peaks_json(&b->peaks);
    json_object_set_new(peaks, "threads", threads_json(b->threads));
    json_object_set_new(peaks, "not_reliable_because", swe_json_text_or_null(b->peaks.doubt));
    json_object_set_new(peaks, "before", peaks_json(&b->before));
    json_object_set_new(peaks, "after", b->has_after ? peaks_json(&b->after) : json_null());
    return json_pack("{s:s, s:i, s:s, s:s, s:b, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "cubeswe-bench", "schema_version", 1, "command", b->command, "started",
                     b->started, "finished", b->is_finished, "sizes", sizes_json(&b->sizes),
                     "definitions", definitions_json(), "repeats", b->repeats, "sample_seconds",
                     swe_json_real(swe_step_times_batch), "stopped",
                     b->stopped[0] != '\0' ? json_string(b->stopped) : json_null(), "ceilings",
                     peaks, "rows", rows, "fits", fits);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void print_csv(FILE *file, const void *what)
{
    cli_rows_csv(file, cli_bench_columns, CLI_BENCH_COLUMNS, lines_of(what));
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
                    swe_precision_name(row->variant->precision), (int)row->order, fit.latency_us,
                    fit.throughput_gdof, 100.0 * fit.worst);
    }
}

static void print_tables(FILE *file, const page *p)
{
    const cli_bench_study *bench = &p->sampled;
    cli_rows_table(file, FIELDS(cells), lines_of(p));
    fputc('\n', file);
    print_fits(file, bench);
    fprintf(file, "Ceilings: copy %.1f GB/s, multiply-adds %.1f GFLOP/s in FP64, %.1f in FP32",
            1e-9 * bench->peaks.copy_bandwidth, 1e-9 * bench->peaks.flops[SWE_PRECISION_DOUBLE],
            1e-9 * bench->peaks.flops[SWE_PRECISION_SINGLE]);
    if (bench->threads > 0)
        fprintf(file, ", %d thread%s", bench->threads, bench->threads == 1 ? "" : "s");
    fputs(".\n", file);
    if (bench->peaks.doubt != NULL)
        fprintf(file, "Ceilings: not reliable, because %s.\n", bench->peaks.doubt);
    for (int k = 0; k < bench->count; k++)
        if (swe_doubt_of(&p->lines[k].rates.us) != NULL)
            fprintf(file, "%s, %s, order %d, n = %d: not reliable, because %s.\n",
                    p->lines[k].pipeline, p->lines[k].precision, (int)bench->rows[k].order,
                    (int)bench->rows[k].n, swe_doubt_of(&p->lines[k].rates.us));
}

static void print_markdown(FILE *file, const void *what)
{
    const page *p = what;
    const cli_bench_study *bench = &p->sampled;
    fprintf(file,
            "# Time of a step: %s\n\ncubeswe %s (%s) on %s, %s. %s, `%s`.\n\n%d samples of each "
            "size, alternating, of as many steps as fit in about %.0f ms; caches are warm.\nDoF: "
            "%s.\nWords: least number of values read and written per DoF and step, by the static "
            "cost of the stages.\n\n",
            CLI_MARKDOWN(bench->case_name), swe_version, swe_build, bench->backend,
            CLI_MARKDOWN(bench->device), bench->started, bench->command, bench->repeats,
            1e3 * swe_step_times_batch, dof_means);
    print_tables(file, p);
    if (!bench->is_finished)
        fputs("Not finished: the same command measures the missing samples.\n", file);
    if (bench->stopped[0] != '\0')
        fprintf(file, "No larger size: %s.\n", CLI_MARKDOWN(bench->stopped));
}

/* ---- the plot -------------------------------------------------------------------------------- */

/* Degrees of freedom per second at the bandwidth of a copy [1e9/s]. */
static double peak_of(const page *p, const cli_bench_line *l)
{
    return 1e-9 * p->sampled.peaks.copy_bandwidth * l->rates.dof / l->row.step_bytes;
}

static cli_series series_of(const page *p, int first, int number, double *n, double *gdof)
{
    const int count = cli_bench_series(&p->sampled, first);
    const cli_bench_line *l = &p->lines[first], *last = &l[count - 1];
    cli_series series = {.x = n, .y = gdof, .count = count, .colour = number};
    for (int k = 0; k < count; k++) {
        n[k] = (double)l[k].row.n;
        gdof[k] = l[k].rates.gdof;
    }
    snprintf(series.label, sizeof series.label, "%s, %s, order %d", l->pipeline, l->precision,
             (int)l->row.order);
    if (count > 1 && p->sampled.peaks.copy_bandwidth > 0.0 && p->sampled.peaks.doubt == NULL) {
        series.guide[0][0] = (double)l->row.n;
        series.guide[0][1] = peak_of(p, l);
        series.guide[1][0] = (double)last->row.n;
        series.guide[1][1] = peak_of(p, last);
    }
    return series;
}

/* A plot with its points: two values per row, and at most one series per row. */
static swe_status write_plot(swe_context *ctx, const page *p, const char *directory)
{
    const cli_bench_study *b = &p->sampled;
    double *points = calloc(2 * (size_t)b->count, sizeof *points);
    cli_series *series = calloc((size_t)b->count, sizeof *series);
    if (points == NULL || series == NULL) {
        free(points);
        free(series);
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for bench.svg");
    }
    char title[300];
    snprintf(title, sizeof title, "Steps of %s on %s", b->case_name, b->backend);
    cli_plot plot = {title, "cells along a panel side, n",
                     "1e9 DoF/s (dashed: at the copy bandwidth)", series, 0};
    for (int k = 0; k < b->count; k += cli_bench_series(b, k), plot.count++)
        series[plot.count] = series_of(p, k, plot.count, points + k, points + b->count + k);

    swe_output_file out;
    swe_status status = cli_result_open(ctx, directory, "bench.svg", &out);
    if (status == SWE_OK) {
        cli_plot_write(&plot, out.stream);
        status = swe_durable_end(ctx, &out);
    }
    free(points);
    free(series);
    return status;
}

static swe_status write_all(swe_context *ctx, const page *p, const char *directory)
{
    SWE_TRY(cli_text_write(ctx, directory, "bench.csv", print_csv, p));
    SWE_TRY(cli_text_write(ctx, directory, "bench.md", print_markdown, p));
    SWE_TRY(write_plot(ctx, p, directory));
    return cli_document_write(ctx, directory, "bench.json", "bench.html", p->sampled.facts,
                              study_json(p));
}

/* ---- rows with samples ----------------------------------------------------------------------- */

/* Copy the rows that have samples. The caller frees out->lines and out->sampled.rows. */
static swe_status start_page(swe_context *ctx, const cli_bench_study *bench, page *out)
{
    *out = (page){.sampled = *bench};
    out->sampled.count = 0;
    out->sampled.rows = calloc((size_t)bench->count, sizeof *out->sampled.rows);
    out->lines = calloc((size_t)bench->count, sizeof *out->lines);
    if (out->sampled.rows == NULL || out->lines == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    for (int k = 0; k < bench->count; k++) {
        const cli_bench_row *row = &bench->rows[k];
        cli_bench_line *l = &out->lines[out->sampled.count];
        if (row->samples == 0)
            continue;
        out->sampled.rows[out->sampled.count++] = *row;
        *l = (cli_bench_line){.pipeline = swe_pipeline_name(row->variant->pipeline),
                              .precision = swe_precision_name(row->variant->precision),
                              .measured = row->measured,
                              .quartiles = l->quartiles_text,
                              .row = *row,
                              .rates = cli_bench_rates_of(bench, row),
                              .samples = row->samples};
        snprintf(l->quartiles_text, sizeof l->quartiles_text, "%.1f to %.1f", l->rates.us.low,
                 l->rates.us.high);
    }
    return SWE_OK;
}

static void release_page(page *p)
{
    free(p->lines);
    free(p->sampled.rows);
}

swe_status cli_bench_write(swe_context *ctx, const cli_bench_study *bench, const char *directory)
{
    page p;
    swe_status status = start_page(ctx, bench, &p);
    if (status == SWE_OK && p.sampled.count > 0)
        status = write_all(ctx, &p, directory);
    release_page(&p);
    return status;
}

swe_status cli_bench_print(swe_context *ctx, const cli_bench_study *bench, FILE *file)
{
    page p;
    const swe_status status = start_page(ctx, bench, &p);
    if (status == SWE_OK && p.sampled.count > 0)
        print_tables(file, &p);
    release_page(&p);
    return status;
}
