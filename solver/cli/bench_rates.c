#include "cli/bench.h"

#include <math.h>

/* Quartiles of the time of a step [us], from the times of samples of `steps` steps [s]. */
static swe_quartiles us_of(const double *seconds, int64_t count, int64_t steps)
{
    swe_samples samples = {.count = 0};
    for (int k = 0; k < count; k++)
        swe_samples_add(&samples, 1e6 * seconds[k] / (double)steps);
    return swe_samples_quartiles(&samples);
}

static double share(double value, double peak)
{
    return peak > 0.0 ? value / peak : NAN;
}

cli_bench_rates cli_bench_rates_of(const cli_bench_study *bench, const cli_bench_row *row)
{
    const double n = (double)row->n;
    /* h at vertices, v1 at (c,v), v2 at (v,c), on all panels */
    cli_bench_rates r = {.dof = SWE_PANELS * ((n + 1.0) * (n + 1.0) + 2.0 * n * (n + 1.0)),
                         .us = us_of(row->seconds, row->samples, row->batch),
                         .host_us = {NAN, NAN, NAN, 0, 0.0},
                         .host_share = NAN};
    const double seconds = 1e-6 * r.us.median;
    r.us.waited = row->samples > 0 ? row->waits / (double)row->samples : 0.0;
    const bool is_reliable = swe_doubt_of(&r.us) == NULL;
    if (row->host_batch > 0) {
        r.host_us = us_of(row->starting, row->samples, row->host_batch);
        r.host_share = is_reliable ? r.host_us.median / r.us.median : NAN;
    }
    r.ns = 1e9 * seconds / (CLI_BENCH_STAGES * r.dof);
    r.gdof = 1e-9 * r.dof / seconds;
    r.words = row->step_bytes / ((double)swe_precision_bytes(row->variant->precision) * r.dof);
    r.bandwidth = row->step_bytes / seconds;
    r.flops = row->step_flops / seconds;
    if (!is_reliable || bench->peaks.doubt != NULL) {
        r.copy_share = r.peak_share = NAN;
        return r;
    }
    r.copy_share = share(r.bandwidth, bench->peaks.copy_bandwidth);
    r.peak_share = share(r.flops, bench->peaks.flops[row->variant->precision]);
    return r;
}

const cli_bench_row *cli_bench_form_groups(cli_bench_row *rows, int count, size_t memory)
{
    const int64_t all = (int64_t)memory, most = all - all / 10;
    int64_t used = 0;
    int group = 0;
    for (int k = 0; k < count; k++) {
        if (rows[k].bytes > all)
            return &rows[k];
        if (used > 0 && used + rows[k].bytes > most) {
            group++;
            used = 0;
        }
        used += rows[k].bytes;
        rows[k].group = group;
    }
    return NULL;
}

bool cli_bench_is_first(const cli_bench_study *bench, int row)
{
    const cli_bench_row *here = &bench->rows[row];
    return row == 0 || here[-1].variant != here->variant || here[-1].order != here->order;
}

int cli_bench_series(const cli_bench_study *bench, int first)
{
    int end = first + 1;
    while (end < bench->count && !cli_bench_is_first(bench, end))
        end++;
    return end - first;
}

/* Minimise the sum of (a x + c y - 1)^2 with x = 1/T and y = V/T. */
cli_bench_fit cli_bench_fit_of(const cli_bench_study *bench, int first)
{
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    const cli_bench_row *row = &bench->rows[first];
    cli_bench_fit fit = {NAN,
                         NAN,
                         NAN,
                         cli_bench_series(bench, first),
                         swe_pipeline_name(row->variant->pipeline),
                         swe_precision_name(row->variant->precision),
                         row->order};
    if (fit.count < 2)
        return fit;
    for (int k = first; k < first + fit.count; k++) {
        const cli_bench_rates r = cli_bench_rates_of(bench, &bench->rows[k]);
        const double u = 1.0 / r.us.median, v = r.dof / r.us.median;
        x += u;
        y += v;
        xx += u * u;
        xy += u * v;
        yy += v * v;
    }
    const double determinant = xx * yy - xy * xy;
    const double a = (x * yy - y * xy) / determinant, c = (y * xx - x * xy) / determinant;
    fit.latency_us = a;
    fit.throughput_gdof = 1e-3 / c;
    fit.worst = 0.0;
    for (int k = first; k < first + fit.count; k++) {
        const cli_bench_rates r = cli_bench_rates_of(bench, &bench->rows[k]);
        fit.worst = fmax(fit.worst, fabs(r.us.median - a - c * r.dof) / r.us.median);
    }
    return fit;
}

int cli_bench_done(const cli_bench_study *bench)
{
    int done = 0;
    for (int k = 0; k < bench->count; k++)
        done += bench->rows[k].samples == bench->repeats;
    return done;
}
