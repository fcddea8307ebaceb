#include "cli/bench.h"

#include <math.h>
#include <string.h>

#include "base/version.h"
#include "cli/results.h"

static const char dof_means[] =
    "values of h at vertices, of v1 and of v2 at theirs: 6 ((n+1)^2 + 2 n (n+1)); values on a "
    "vertex that panels share count once per panel";

/* ---- columns --------------------------------------------------------------------------------- */

#define ROW(member)  offsetof(cli_bench_row, member)
#define RATE(member) offsetof(cli_bench_row, rates.member)

const cli_column cli_bench_columns[] = {
    {"pipeline", FIELD_TEXT, ROW(pipeline), ROW_READ, "%s", CELL("pipeline", NULL)},
    {"precision", FIELD_TEXT, ROW(precision), ROW_READ, "%s", CELL("precision", NULL)},
    {"order", FIELD_COUNT, ROW(order), ROW_READ, "%lld", CELL("order", "%lld")},
    {"n", FIELD_COUNT, ROW(n), ROW_READ, "%lld", CELL("   n", "%lld")},
    {"threads", FIELD_INTEGER, ROW(threads), ROW_READ, "%lld", CELL("threads", "%lld")},
    {"group", FIELD_COUNT, ROW(group), ROW_JSON, NULL, NO_CELL},
    {"measured", FIELD_TEXT, ROW(measured), ROW_READ, NULL, NO_CELL},
    {"dof", FIELD_NUMBER, RATE(dof), ROW_JSON, "%.17g", NO_CELL},
    {"dt", FIELD_NUMBER, ROW(dt), ROW_JSON, "%.17g", NO_CELL},
    {"courant", FIELD_NUMBER, ROW(courant), ROW_JSON, NULL, NO_CELL},
    {"steps_per_sample", FIELD_COUNT, ROW(batch), ROW_READ, "%lld", NO_CELL},
    {"steps", FIELD_COUNT, ROW(steps), ROW_READ, NULL, NO_CELL},
    {"max_h", FIELD_NUMBER, ROW(max_h), ROW_READ, NULL, NO_CELL},
    {"host_steps", FIELD_INTEGER, ROW(host_batch), ROW_READ, NULL, NO_CELL},
    {"samples", FIELD_COUNT, ROW(samples), ROW_SHOWN, "%lld", NO_CELL},
    {"us_median", FIELD_NUMBER, RATE(us.median), ROW_SHOWN, "%.17g",
     CELL("us/step, median", "%.1f")},
    {"us_low", FIELD_NUMBER, RATE(us.low), ROW_SHOWN, "%.17g", NO_CELL},
    {"us_high", FIELD_NUMBER, RATE(us.high), ROW_SHOWN, "%.17g", NO_CELL},
    {"quartiles", FIELD_TEXT, ROW(quartiles), ROW_SHOWN, NULL, CELL("quartiles            ", NULL)},
    {"ns_per_dof_and_stage", FIELD_KNOWN, RATE(ns), ROW_JSON, "%.17g",
     CELL("ns a DoF and stage", "%.3f")},
    {"gdof_per_s", FIELD_KNOWN, RATE(gdof), ROW_JSON, "%.17g", CELL("GDoF/s", "%.3f")},
    {"words", FIELD_KNOWN, RATE(words), ROW_JSON, "%.17g", CELL("words", "%.1f")},
    {"bytes_per_step", FIELD_KNOWN, ROW(step_bytes), ROW_JSON, "%.17g", NO_CELL},
    {"flops_per_step", FIELD_KNOWN, ROW(step_flops), ROW_JSON, "%.17g", NO_CELL},
    {"bandwidth_bytes_per_s", FIELD_KNOWN, RATE(bandwidth), ROW_JSON, "%.17g", "GB/s  ", "%.1f",
     1e-9, 1},
    {"bandwidth_share", FIELD_KNOWN, RATE(copy_share), ROW_JSON, "%.17g", "of copy", "%.1f %%",
     100.0, 1},
    {"flops_per_s", FIELD_KNOWN, RATE(flops), ROW_JSON, "%.17g", "GFLOP/s", "%.2f", 1e-9, 1},
    {"flops_share", FIELD_KNOWN, RATE(peak_share), ROW_JSON, "%.17g", "of peak", "%.1f %%", 100.0,
     1},
    {"host_us_median", FIELD_KNOWN, RATE(host_us.median), ROW_SHOWN, "%.17g", NO_CELL},
    {"host_share", FIELD_KNOWN, RATE(host_share), ROW_JSON, "%.17g", "host  ", "%.1f %%", 100.0, 1},
    {"memory_bytes", FIELD_COUNT, ROW(bytes), ROW_JSON, "%lld", "MiB     ", "%.1f", 1.0 / 1048576.0,
     1},
    {"core_wait_share", FIELD_KNOWN, RATE(us.waited), ROW_JSON, NULL, NO_CELL},
    {"not_reliable_because", FIELD_TEXT, ROW(doubt), ROW_JSON, NULL, NO_CELL},
    COLUMNS_END};

const field cli_bench_peaks[] = {
    {"copy_bandwidth_bytes_per_s", FIELD_NUMBER, offsetof(swe_peaks, copy_bandwidth)},
    {"fp64_flops_per_s", FIELD_NUMBER, offsetof(swe_peaks, flops[SWE_PRECISION_DOUBLE])},
    {"fp32_flops_per_s", FIELD_NUMBER, offsetof(swe_peaks, flops[SWE_PRECISION_SINGLE])},
    FIELD_END};

static const field fit_fields[] = {
    {"pipeline", FIELD_TEXT, offsetof(cli_bench_fit, pipeline)},
    {"precision", FIELD_TEXT, offsetof(cli_bench_fit, precision)},
    {"order", FIELD_COUNT, offsetof(cli_bench_fit, order)},
    {"rows", FIELD_COUNT, offsetof(cli_bench_fit, count)},
    {"latency_us", FIELD_KNOWN, offsetof(cli_bench_fit, latency_us)},
    {"throughput_gdof_per_s", FIELD_KNOWN, offsetof(cli_bench_fit, throughput_gdof)},
    {"worst_deviation", FIELD_KNOWN, offsetof(cli_bench_fit, worst)},
    FIELD_END};

cli_rows cli_bench_rows(const void *study)
{
    const cli_bench_study *b = &((const cli_bench_job *)study)->sampled;
    return (cli_rows){cli_bench_columns, b->rows, b->count, sizeof b->rows[0]};
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *seconds_json(const double *seconds, int count)
{
    json_t *out = json_array();
    for (int k = 0; k < count; k++)
        json_array_append_new(out, swe_json_real(seconds[k]));
    return out;
}

/* Launch times on the host are null on a backend that is not asynchronous. */
static json_t *samples_json(const void *of)
{
    const cli_bench_row *row = of;
    const bool has_host = row->host_batch > 0;
    return json_pack(
        "{s:o, s:o, s:o, s:o}", "seconds", seconds_json(row->seconds, (int)row->samples),
        "us_per_step", cli_json_quartiles(row->rates.us, 1.0), "host_seconds",
        has_host ? seconds_json(row->starting, (int)row->samples) : json_null(), "host_us_per_step",
        has_host ? cli_json_quartiles(row->rates.host_us, 1.0) : json_null());
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

json_t *cli_bench_json(const void *study)
{
    const cli_bench_job *j = study;
    const cli_bench_study *b = &j->sampled;
    json_t *sizes = json_array(), *fits = json_array();
    for (int k = 0; k < b->sizes.count; k++)
        json_array_append_new(sizes, json_integer(b->sizes.value[k]));
    for (int k = 0; k < b->count; k++)
        if (cli_bench_is_first(b, k)) {
            const cli_bench_fit fit = cli_bench_fit_of(b, k);
            json_array_append_new(fits, swe_json_object(fit_fields, &fit));
        }
    json_t *peaks = swe_json_object(cli_bench_peaks, &b->peaks);
    json_object_set_new(peaks, "threads", swe_json_positive_integer(b->threads));
    json_object_set_new(peaks, "not_reliable_because", swe_json_text_or_null(b->peaks.doubt));
    json_object_set_new(peaks, "before", swe_json_object(cli_bench_peaks, &b->before));
    json_object_set_new(peaks, "after",
                        b->has_after ? swe_json_object(cli_bench_peaks, &b->after) : json_null());
    return json_pack("{s:s, s:i, s:s, s:s, s:b, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "cubeswe-bench", "schema_version", 1, "command", b->command, "started",
                     b->started, "finished", j->base.is_finished, "sizes", sizes, "definitions",
                     definitions_json(), "repeats", b->repeats, "sample_seconds",
                     swe_json_real(swe_step_times_batch()), "stopped",
                     b->stopped[0] != '\0' ? json_string(b->stopped) : json_null(), "ceilings",
                     peaks, "rows", cli_rows_json(cli_bench_rows(j), samples_json), "fits", fits);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void print_tables(FILE *file, const cli_bench_job *j)
{
    const cli_bench_study *bench = &j->sampled;
    const cli_bench_row *end = bench->rows + bench->count;
    cli_rows_table(file, cli_bench_rows(j), 1);
    fputc('\n', file);
    for (int k = 0; k < bench->count; k++) {
        const cli_bench_fit fit = cli_bench_fit_of(bench, k);
        if (cli_bench_is_first(bench, k) && fit.count > 1)
            fprintf(file,
                    "%s, %s, order %d: T = a + V/b with a = %.2f us, b = %.3f GDoF/s; largest "
                    "deviation %.0f %%.\n",
                    fit.pipeline, fit.precision, (int)fit.order, fit.latency_us,
                    fit.throughput_gdof, 100.0 * fit.worst);
    }
    fprintf(file, "Ceilings: copy %.1f GB/s, multiply-adds %.1f GFLOP/s in FP64, %.1f in FP32",
            1e-9 * bench->peaks.copy_bandwidth, 1e-9 * bench->peaks.flops[SWE_PRECISION_DOUBLE],
            1e-9 * bench->peaks.flops[SWE_PRECISION_SINGLE]);
    if (bench->threads > 0)
        fprintf(file, ", %d thread%s", bench->threads, bench->threads == 1 ? "" : "s");
    fputs(".\n", file);
    if (bench->peaks.doubt != NULL)
        fprintf(file, "Ceilings: not reliable, because %s.\n", bench->peaks.doubt);
    for (const cli_bench_row *row = bench->rows; row < end; row++)
        if (row->doubt != NULL)
            fprintf(file, "%s, %s, order %d, n = %d: not reliable, because %s.\n", row->pipeline,
                    row->precision, (int)row->order, (int)row->n, row->doubt);
}

void cli_bench_print(FILE *file, const void *study)
{
    fputc('\n', file);
    print_tables(file, study);
}

void cli_bench_markdown(FILE *file, const void *study)
{
    const cli_bench_job *j = study;
    const cli_bench_study *bench = &j->sampled;
    fprintf(file,
            "# Time of a step: %s\n\ncubeswe %s (%s) on %s, %s. %s, `%s`.\n\n%d samples of each "
            "size, alternating, of as many steps as fit in about %.0f ms; caches are warm.\nDoF: "
            "%s.\nWords: least number of values read and written per DoF and step, by the static "
            "cost of the stages.\n\n",
            CLI_MARKDOWN(cli_study_fact(&j->base, "case")), swe_version, swe_build,
            cli_study_fact(&j->base, "backend"), CLI_MARKDOWN(cli_study_fact(&j->base, "device")),
            bench->started, bench->command, bench->repeats, 1e3 * swe_step_times_batch(),
            dof_means);
    print_tables(file, j);
    if (!j->base.is_finished)
        fputs("Not finished: the same command measures the missing samples.\n", file);
    if (bench->stopped[0] != '\0')
        fprintf(file, "No larger size: %s.\n", CLI_MARKDOWN(bench->stopped));
}

/* ---- the plot -------------------------------------------------------------------------------- */

/* A guide at the bandwidth of a copy, in degrees of freedom per second [1e9/s]. */
cli_series cli_bench_series_of(const void *study, int first, int number)
{
    const cli_bench_study *bench = &((const cli_bench_job *)study)->sampled;
    const cli_bench_row *row = &bench->rows[first];
    cli_series series = {.count = cli_bench_series(bench, first), .colour = number};
    snprintf(series.label, sizeof series.label, "%s, %s, order %d", row->pipeline, row->precision,
             (int)row->order);
    if (series.count < 2 || !(bench->peaks.copy_bandwidth > 0.0) || bench->peaks.doubt != NULL)
        return series;
    for (int k = 0; k < 2; k++, row += series.count - 1) {
        series.guide[k][0] = (double)row->n;
        series.guide[k][1] = 1e-9 * bench->peaks.copy_bandwidth * row->rates.dof / row->step_bytes;
    }
    return series;
}

/* ---- rows with samples ----------------------------------------------------------------------- */

void cli_bench_set_sampled(cli_bench_job *j)
{
    cli_bench_row *row = j->sampled.rows;
    j->sampled = j->bench;
    j->sampled.rows = row;
    for (int k = 0; k < j->bench.count; k++) {
        if (j->bench.rows[k].samples == 0)
            continue;
        *row = j->bench.rows[k];
        row->pipeline = swe_pipeline_name(row->variant->pipeline);
        row->precision = swe_precision_name(row->variant->precision);
        row->measured = row->measured_text;
        row->quartiles = row->quartiles_text;
        row->rates = cli_bench_rates_of(&j->bench, row);
        row->doubt = swe_doubt_of(&row->rates.us);
        snprintf(row->quartiles_text, sizeof row->quartiles_text, "%.1f to %.1f", row->rates.us.low,
                 row->rates.us.high);
        row++;
    }
    j->sampled.count = (int)(row - j->sampled.rows);
    j->base.done = cli_bench_done(&j->bench);
}
