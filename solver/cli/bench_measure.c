#include "cli/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cli/machine.h"
#include "base/clock.h"

enum { SMALLEST_N = 24 };

static const double row_limit =
    60.0; /* longest time of all samples of a row, for default sizes [s] */

swe_status cli_bench_load(swe_context *ctx, const cli_options *options,
                          const cli_bench_variant *variant, int order, int n, swe_config **out)
{
    SWE_TRY(
        cli_load_sized(ctx, options, variant != NULL ? variant->settings : NULL, order, n, out));
    if ((*out)->initial.kind != SWE_INITIAL_FILE) {
        const swe_status status = swe_config_pin_files(ctx, *out);
        if (status != SWE_OK)
            swe_config_destroy(out);
        return status;
    }
    return cli_refuse_case(ctx, options, "a bench of several sizes cannot start from a file", out);
}

/* Create the model of a case in its initial state, and warm it up. Destroy it with
 * swe_model_destroy. */
static swe_status start_timing(swe_context *ctx, const swe_config *config,
                               const cli_options *options, swe_step_times *out)
{
    swe_model *model = NULL;
    const double dt = swe_config_schedule(config, NULL);
    const swe_model_options model_options =
        swe_config_model(config, options->backend, options->threads, NULL);
    SWE_TRY(cli_start_model(ctx, config, &model_options, &model));
    const swe_status status = swe_step_times_prepare(ctx, model, dt, out);
    if (status != SWE_OK)
        swe_model_destroy(&model);
    return status;
}

/* Arguments of the search for the default sizes. */
typedef struct trial {
    const cli_options *options;
    const cli_bench_variant *variant;
    int order;
    char *why;
    size_t size;
} trial;

/* Estimate the time of a row of size 2n [s]: four times the points of a warm model of size n. */
static swe_status predict(swe_context *ctx, const trial *t, const swe_config *config,
                          double *seconds)
{
    swe_step_times times;
    SWE_TRY(start_timing(ctx, config, t->options, &times));
    const double step = 4.0 * times.guess, warm_up = 4.0 * step;
    *seconds = warm_up + t->options->repeats * fmax(swe_step_times_batch(), step);
    swe_model_destroy(&times.model);
    return SWE_OK;
}

/* Whether a size fits the device, and the host memory that a run needs for its files. */
static swe_status fits(swe_context *ctx, const trial *t, const swe_config *smaller, int n,
                       bool *does)
{
    cli_device on;
    size_t bytes = 0;
    swe_config config = *smaller;
    config.grid.n = n;
    SWE_TRY(cli_device_open(ctx, t->options, &on));
    const swe_status status = on.backend->memory(ctx, on.device, &bytes);
    cli_device_close(&on);
    *does = swe_config_model_bytes(&config) <= bytes && swe_config_fits(&config);
    if (!*does)
        snprintf(t->why, t->size, "n = %d needs more memory than is available", n);
    return status;
}

/* Whether to continue with size 2n. */
static swe_status may_double(swe_context *ctx, const trial *t, int n, bool *may)
{
    swe_config *config = NULL;
    double seconds = 0.0;
    SWE_TRY(cli_bench_load(ctx, t->options, t->variant, t->order, n, &config));
    swe_status status = fits(ctx, t, config, 2 * n, may);
    if (status == SWE_OK && *may)
        status = predict(ctx, t, config, &seconds);
    if (status == SWE_OK && seconds > row_limit) {
        *may = false;
        snprintf(t->why, t->size, "n = %d would take about %.0f s, more than %.0f", 2 * n, seconds,
                 row_limit);
    }
    swe_config_destroy(&config);
    return status;
}

swe_status cli_bench_sizes(swe_context *ctx, const cli_options *options,
                           const cli_bench_variant *variant, int order, cli_list *out, char *why,
                           size_t size)
{
    const trial t = {options, variant, order, why, size};
    bool more = true;
    *out = (cli_list){.count = 0};
    for (int n = SMALLEST_N; more; n *= 2) {
        if (cli_study_signal() != NULL)
            return swe_fail(ctx, SWE_STOPPED, "%s: stopped before anything was measured",
                            cli_study_signal());
        out->value[out->count++] = n;
        SWE_TRY(may_double(ctx, &t, n, &more));
    }
    return SWE_OK;
}

/* An interruption may lose the samples of this time [s]. */
static const double save_interval = 30.0;

void cli_bench_utc(char out[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

/* Set how a row is timed. Existing samples of another number of threads are dropped; others fix the
 * number of steps. */
static void set_batches(cli_bench_row *row, swe_step_times *times)
{
    const bool is_asynchronous = swe_step_times_asynchronous(times->model);
    const int threads = is_asynchronous ? 0 : times->model->execution.threads;
    if (row->threads != threads || (row->host_batch > 0) != is_asynchronous)
        row->samples = 0;
    row->waits = row->samples > 0 ? row->waits : 0.0;
    if (row->samples > 0) {
        times->batch = row->batch;
        times->host_batch = row->host_batch;
        return;
    }
    row->threads = threads;
    row->batch = times->batch;
    row->host_batch = is_asynchronous ? times->host_batch : 0;
    row->steps_before = 0;
}

/* Create and warm up the model of a row. */
static swe_status start_row(swe_context *ctx, const cli_bench_job *j, cli_bench_row *row,
                            swe_step_times *times)
{
    const cli_options *options = &j->base.options;
    swe_config *config = NULL;
    SWE_TRY(cli_bench_load(ctx, options, row->variant, (int)row->order, (int)row->n, &config));
    const swe_status status = start_timing(ctx, config, options, times);
    swe_config_destroy(&config);
    SWE_TRY(status);
    set_batches(row, times);
    if (!options->quiet) {
        const int samples = j->bench.repeats - (int)row->samples;
        printf("%s, %s, order %d, n = %d: about %.1f us/step, %d samples of %ld step%s\n",
               swe_pipeline_name(row->variant->pipeline),
               swe_precision_name(row->variant->precision), (int)row->order, (int)row->n,
               1e6 * times->guess, samples, row->batch, row->batch == 1 ? "" : "s");
        fflush(stdout);
    }
    return SWE_OK;
}

static swe_status sample_row(swe_context *ctx, cli_bench_row *row, swe_step_times *times)
{
    const swe_watch watch = swe_watch_start();
    SWE_TRY(swe_step_times_sample(ctx, times, &row->seconds[row->samples]));
    row->waits += swe_watch_waited(&watch);
    if (row->host_batch > 0)
        SWE_TRY(swe_step_times_sample_host(ctx, times, &row->starting[row->samples]));
    row->samples++;
    return SWE_OK;
}

/* The sum, to which NaN and infinity propagate, and the largest magnitude of h. */
static double sum_heights(const swe_layout *layout, const swe_panels *state, double *room,
                          double *largest)
{
    double sum = 0.0;
    *largest = 0.0;
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const double *h = swe_panels_get(state, SWE_FIELD_H, panel, room);
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                sum += h[swe_at(layout, 0, j, i)];
                *largest = fmax(*largest, fabs(h[swe_at(layout, 0, j, i)]));
            }
    }
    return sum;
}

/* Check that the state is finite: times of a failed run must not count. */
static swe_status check_state(swe_context *ctx, cli_bench_row *row, const swe_step_times *times)
{
    swe_model *model = times->model;
    swe_host_fields *state = NULL;
    double *room = NULL, sum = 0.0;
    SWE_TRY(swe_memory_doubles(ctx, (size_t)model->grid->layout.panel, &room));
    swe_status status = swe_host_fields_create(ctx, model, model->fields.count, &state);
    if (status == SWE_OK)
        status = swe_host_fields_get_state(ctx, state, NULL);
    if (status == SWE_OK)
        sum = sum_heights(&model->grid->layout, swe_host_fields_panels(state), room, &row->max_h);
    swe_host_fields_destroy(&state);
    free(room);
    SWE_TRY(status);
    return isfinite(sum) ? SWE_OK
                         : swe_fail(ctx, SWE_INTERNAL,
                                    "order %d, n = %d: the state is not finite after %ld steps",
                                    (int)row->order, (int)row->n, times->steps);
}

/* Rows whose models exist at the same time. The model of a complete row is NULL. */
typedef struct group {
    cli_bench_row *rows;
    swe_step_times *times;
    int count;
} group;

/* Write all samples so far. */
static swe_status keep_samples(swe_context *ctx, cli_bench_job *j, const group *g)
{
    for (int k = 0; k < g->count; k++) {
        if (g->times[k].model == NULL)
            continue;
        SWE_TRY(check_state(ctx, &g->rows[k], &g->times[k]));
        g->rows[k].steps = g->rows[k].steps_before + g->times[k].steps;
        cli_bench_utc(g->rows[k].measured_text);
    }
    cli_bench_set_sampled(j);
    SWE_TRY(cli_study_write(ctx, &j->base));
    j->written = swe_clock_seconds();
    return SWE_OK;
}

/* Take one sample of every row that has at most `round`. A signal ends the bench after the first
 * round, so that every started row has a sample. */
static swe_status sample_round(swe_context *ctx, const group *g, int round)
{
    for (int k = 0; k < g->count; k++) {
        if (g->times[k].model == NULL || g->rows[k].samples > round)
            continue;
        if (round > 0 && cli_study_signal() != NULL)
            return SWE_STOPPED;
        SWE_TRY(sample_row(ctx, &g->rows[k], &g->times[k]));
    }
    return SWE_OK;
}

static swe_status sample_rows(swe_context *ctx, cli_bench_job *j, const group *g)
{
    swe_status status = SWE_OK;
    for (int round = 0; round < j->bench.repeats && status == SWE_OK; round++) {
        status = sample_round(ctx, g, round);
        if (status == SWE_OK && swe_clock_seconds() - j->written > save_interval)
            status = keep_samples(ctx, j, g);
    }
    if (status != SWE_OK && status != SWE_STOPPED)
        return status;
    SWE_TRY(keep_samples(ctx, j, g));
    return status;
}

static swe_status start_rows(swe_context *ctx, const cli_bench_job *j, const group *g)
{
    for (int k = 0; k < g->count; k++) {
        if (g->rows[k].samples == j->bench.repeats)
            continue;
        if (cli_study_signal() != NULL)
            return SWE_STOPPED;
        SWE_TRY(start_row(ctx, j, &g->rows[k], &g->times[k]));
    }
    return SWE_OK;
}

static swe_status measure_group(swe_context *ctx, cli_bench_job *j, cli_bench_row *rows, int count)
{
    const group g = {rows, calloc((size_t)count, sizeof *g.times), count};
    if (g.times == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    swe_status status = start_rows(ctx, j, &g);
    if (status == SWE_OK)
        status = sample_rows(ctx, j, &g);
    for (int k = 0; k < count; k++)
        swe_model_destroy(&g.times[k].model);
    free(g.times);
    return status;
}

static swe_status measure_groups(swe_context *ctx, cli_bench_job *j)
{
    cli_bench_study *b = &j->bench;
    for (int first = 0, end; first < b->count; first = end) {
        for (end = first; end < b->count && b->rows[end].group == b->rows[first].group;)
            end++;
        SWE_TRY(measure_group(ctx, j, &b->rows[first], end - first));
    }
    return cli_study_signal() != NULL ? SWE_STOPPED : SWE_OK;
}

static swe_status measure_peaks(swe_context *ctx, const cli_device *device, swe_peaks *best,
                                swe_peaks *out)
{
    SWE_TRY(cli_device_peaks(ctx, device, out));
    if (best->copy_bandwidth == 0.0 || out->doubt == NULL)
        best->doubt = out->doubt;
    best->copy_bandwidth = fmax(best->copy_bandwidth, out->copy_bandwidth);
    for (int k = 0; k < SWE_PRECISIONS; k++)
        best->flops[k] = fmax(best->flops[k], out->flops[k]);
    return SWE_OK;
}

/* Peak rates are measured before and after the samples, since the clock rate of a device may
 * change. */
static swe_status measure_rows(swe_context *ctx, cli_bench_job *j, const cli_device *device)
{
    cli_bench_study *b = &j->bench;
    b->has_after = false;
    SWE_TRY(measure_peaks(ctx, device, &b->peaks, &b->before));
    j->written = swe_clock_seconds();
    SWE_TRY(measure_groups(ctx, j));
    SWE_TRY(measure_peaks(ctx, device, &b->peaks, &b->after));
    b->has_after = true;
    cli_bench_set_sampled(j);
    return SWE_OK;
}

static swe_status form_groups(swe_context *ctx, const cli_device *device, cli_bench_study *bench)
{
    const double gib = 1073741824.0;
    size_t memory = 0;
    SWE_TRY(device->backend->memory(ctx, device->device, &memory));
    const cli_bench_row *large = cli_bench_form_groups(bench->rows, bench->count, memory);
    if (large == NULL)
        return SWE_OK;
    return swe_fail(ctx, SWE_NO_MEMORY, "n = %d needs %.1f GiB of memory, %.1f are available",
                    (int)large->n, (double)large->bytes / gib, (double)memory / gib);
}

/* Whether the first row can start, before anything is written. */
static swe_status check_first_row(swe_context *ctx, const cli_bench_job *j)
{
    const cli_bench_row *row = &j->bench.rows[0];
    swe_config *config = NULL;
    swe_model *model = NULL;
    SWE_TRY(
        cli_bench_load(ctx, &j->base.options, row->variant, (int)row->order, (int)row->n, &config));
    const swe_model_options options =
        swe_config_model(config, j->base.options.backend, j->base.options.threads, NULL);
    const swe_status status = cli_start_model(ctx, config, &options, &model);
    swe_model_destroy(&model);
    swe_config_destroy(&config);
    return status;
}

static swe_status measure_on(swe_context *ctx, cli_bench_job *j, const cli_device *device)
{
    j->bench.threads = device->threads;
    SWE_TRY(form_groups(ctx, device, &j->bench));
    SWE_TRY(check_first_row(ctx, j));
    SWE_TRY(cli_study_open(ctx, &j->base));
    return measure_rows(ctx, j, device);
}

swe_status cli_bench_measure(swe_context *ctx, void *study)
{
    cli_bench_job *j = study;
    cli_device device;
    if (!j->base.options.quiet && j->bench.stopped[0] != '\0')
        printf("up to n = %d: %s\n", j->bench.sizes.value[j->bench.sizes.count - 1],
               j->bench.stopped);
    SWE_TRY(cli_device_open(ctx, &j->base.options, &device));
    const swe_status status = measure_on(ctx, j, &device);
    cli_device_close(&device);
    return status;
}
