#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/bench.h"
#include "model/start.h"

enum { SMALLEST_N = 24 };

static const double patience = 60.0; /* [s] of all samples of a row, if no sizes are given */

swe_status cli_bench_load(swe_context *ctx, const cli_options *options, const cli_bench_way *way,
                          int order, int n, swe_config **out)
{
    SWE_TRY(cli_load_sized(ctx, options, way != NULL ? way->settings : NULL, order, n, out));
    if ((*out)->initial.kind != SWE_INITIAL_FILE) {
        const swe_status status = swe_config_pin_bottom(ctx, *out);
        if (status != SWE_OK)
            swe_config_destroy(out);
        return status;
    }
    return cli_refuse_case(ctx, options, "a bench of several sizes cannot start from a file", out);
}

static swe_status set_state(swe_context *ctx, const swe_config *config, swe_model *model)
{
    const swe_initial initial = swe_config_initial(config);
    swe_case *test_case = NULL;
    double *host = NULL;
    SWE_TRY(swe_case_create(ctx, &initial, &model->physics, &test_case));
    swe_status status = swe_memory_doubles(ctx, swe_model_state_size(model), &host);
    if (status == SWE_OK)
        status = swe_start_model(ctx, config, test_case, model, host);
    free(host);
    swe_case_destroy(&test_case);
    return status;
}

static swe_status create_model(swe_context *ctx, const swe_config *config,
                               const cli_options *options, swe_model **out)
{
    const swe_model_options model_options =
        swe_config_model(config, options->backend, options->threads, NULL);
    SWE_TRY(swe_model_create(ctx, &model_options, out));
    const swe_status status = set_state(ctx, config, *out);
    if (status != SWE_OK)
        swe_model_destroy(out);
    return status;
}

swe_status cli_bench_check(swe_context *ctx, const swe_config *config, const cli_options *options)
{
    swe_model *model = NULL;
    const swe_status status = create_model(ctx, config, options, &model);
    swe_model_destroy(&model);
    return status;
}

swe_status cli_bench_start(swe_context *ctx, const swe_config *config, const cli_options *options,
                           swe_step_times *out)
{
    swe_model *model = NULL;
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
    SWE_TRY(create_model(ctx, config, options, &model));
    const swe_status status = swe_step_times_prepare(ctx, model, dt, out);
    if (status != SWE_OK)
        swe_model_destroy(&model);
    return status;
}

/* What there is to try sizes with. */
typedef struct trial {
    const cli_options *options;
    const cli_bench_way *way;
    int order;
    char *why;
    size_t size;
} trial;

/* Warm a model of `n` up, to know what a row of twice that takes [s]: four times the points. */
static swe_status predict(swe_context *ctx, const trial *t, const swe_config *config,
                          double *seconds)
{
    swe_step_times times;
    SWE_TRY(cli_bench_start(ctx, config, t->options, &times));
    const double step = 4.0 * times.guess, warm_up = 4.0 * step;
    *seconds = warm_up + t->options->repeats * fmax(swe_step_times_batch, step);
    swe_model_destroy(&times.model);
    return SWE_OK;
}

/* Whether the device of a backend has memory for a model. */
static swe_status has_memory(swe_context *ctx, const trial *t, const swe_config *config, bool *has)
{
    cli_device on;
    size_t bytes = 0;
    SWE_TRY(cli_device_open(ctx, t->options, &on));
    const swe_status status = on.backend->memory(ctx, on.device, &bytes);
    cli_device_close(&on);
    *has = swe_config_model_bytes(config) <= bytes;
    return status;
}

/* Whether there is memory for a size, on the device and for the files of a run. */
static swe_status fits(swe_context *ctx, const trial *t, const swe_config *smaller, int n,
                       bool *does)
{
    swe_config config = *smaller;
    config.grid.n = n;
    SWE_TRY(has_memory(ctx, t, &config, does));
    *does = *does && swe_config_fits(&config);
    if (!*does)
        snprintf(t->why, t->size, "n = %d needs more memory than there is", n);
    return SWE_OK;
}

/* Whether the size after `n` is worth trying. */
static swe_status may_double(swe_context *ctx, const trial *t, int n, bool *may)
{
    swe_config *config = NULL;
    double seconds = 0.0;
    SWE_TRY(cli_bench_load(ctx, t->options, t->way, t->order, n, &config));
    swe_status status = fits(ctx, t, config, 2 * n, may);
    if (status == SWE_OK && *may)
        status = predict(ctx, t, config, &seconds);
    if (status == SWE_OK && seconds > patience) {
        *may = false;
        snprintf(t->why, t->size, "n = %d would take about %.0f s, more than %.0f", 2 * n, seconds,
                 patience);
    }
    swe_config_destroy(&config);
    return status;
}

swe_status cli_bench_sizes(swe_context *ctx, const cli_options *options, const cli_bench_way *way,
                           int order, cli_list *out, char *why, size_t size)
{
    const trial t = {options, way, order, why, size};
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
