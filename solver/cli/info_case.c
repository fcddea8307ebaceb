#include <math.h>

#include "cli/cli.h"
#include "clock.h"

/* Seconds of a step, as an estimate. */
typedef struct estimate {
    double step;      /* [s] */
    int n;            /* of the grid that was timed */
    char backend[16]; /* that it ran on */
} estimate;

/* Time a few steps on a grid of a size that the case need not have, at the case's Courant number.
 */
static swe_status time_steps(swe_context *ctx, const swe_config *config, const cli_options *options,
                             int n, estimate *out)
{
    swe_model_options model_options =
        swe_config_model(config, options->backend, options->threads, NULL);
    double dt = 0.0;
    long all = 0, steps = 0;
    swe_model *model = NULL;
    swe_config_schedule(config, &dt, &all);
    dt *= (double)config->grid.n / n;
    model_options.n = n;
    SWE_TRY(swe_model_create(ctx, &model_options, &model));
    swe_status status = swe_model_advance(ctx, model, dt, 2); /* warm-up */
    const double start = prof_clock_seconds();
    do {
        if (status == SWE_OK)
            status = swe_model_advance(ctx, model, dt, 4);
        steps += 4;
        out->step = (prof_clock_seconds() - start) / (double)steps;
    } while (status == SWE_OK && prof_clock_seconds() - start < 0.2);
    out->n = n;
    snprintf(out->backend, sizeof out->backend, "%s", model->backend->name);
    swe_model_destroy(&model);
    return status;
}

/* Time steps on the case's grid, or on the largest smaller one that takes about two seconds with
 * those timed before it; from that one the time goes with the number of points. */
static swe_status estimate_step(swe_context *ctx, const swe_config *config,
                                const cli_options *options, estimate *out)
{
    const double patience = 2.0; /* [s] */
    const int n = (int)config->grid.n;
    const double start = prof_clock_seconds();
    double before = start;
    for (int size = n < 96 ? n : 96;;) {
        SWE_TRY(time_steps(ctx, config, options, size, out));
        const double now = prof_clock_seconds();
        const double left = fmax(patience - (now - start), 0.0);
        const double affordable = size * sqrt(left / fmax(now - before, 1e-3));
        before = now;
        if (size == n || affordable < 1.25 * size)
            break;
        size = affordable < n ? (int)affordable : n;
    }
    const double ratio = (n + 1.0) / (out->n + 1.0);
    out->step *= ratio * ratio;
    return SWE_OK;
}

static void warn_of_memory(const swe_config *config)
{
    const double gib = 1024.0 * 1024.0 * 1024.0;
    if (!swe_config_fits(config))
        fprintf(stderr,
                "cubeswe: warning: grid.n: %ld needs %.1f GiB of memory, this machine has %.1f: "
                "run will refuse the case here\n",
                config->grid.n, (double)swe_config_bytes(config) / gib,
                swe_config_machine_bytes() / gib);
}

static void print_known(const swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    const int n = (int)config->grid.n;
    const double mib = 1024.0 * 1024.0, points = 6.0 * (n + 1) * (n + 1);
    const double unknowns = points + 12.0 * n * (n + 1);
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
    swe_config_write(config, stdout);
    printf("# points         %.0f vertices, %.0f unknowns\n", points, unknowns);
    printf("# memory         %.1f MiB\n", (double)swe_config_bytes(config) / mib);
    printf("# Courant        %.4f (limit %.2f)\n", swe_model_courant(&physics, n, dt),
           swe_sbp_courant_limit((int)config->grid.order, (swe_closure)config->grid.closure));
    fflush(stdout);
}

static swe_status print_estimate(swe_context *ctx, const swe_config *config,
                                 const cli_options *options)
{
    estimate found;
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
    SWE_TRY(estimate_step(ctx, config, options, &found));
    printf("# estimated time %.1f s (%.1f us/step on %s", found.step * (double)steps,
           1e6 * found.step, found.backend);
    if (found.n < (int)config->grid.n)
        printf(", from steps at n = %d", found.n);
    printf(")\n");
    return SWE_OK;
}

swe_status cli_info_case(swe_context *ctx, const cli_options *options)
{
    swe_config *config = NULL;
    SWE_TRY(swe_config_plan(ctx, options->case_file, options->set, options->set_count, &config));
    print_known(config);
    warn_of_memory(config);
    const swe_status status = print_estimate(ctx, config, options);
    swe_config_destroy(&config);
    return status;
}
