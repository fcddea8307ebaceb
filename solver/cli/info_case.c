/* `cubeswe info CASE`: what a case needs. */
#include <math.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/info.h"
#include "diagnostics/integrals.h"
#include "time/exchanges.h"

/* Estimated time of a step. */
typedef struct estimate {
    double step;      /* [s] */
    int n;            /* of the timed grid */
    char backend[16]; /* of the timed steps */
} estimate;

/* Time a few steps on a grid of n cells, at the case's Courant number. */
static swe_status time_steps(swe_context *ctx, const swe_config *config, const cli_options *options,
                             int n, estimate *out)
{
    swe_model_options model_options =
        swe_config_model(config, options->backend, options->threads, NULL);
    long steps = 0;
    swe_model *model = NULL;
    const double dt = swe_config_schedule(config, NULL) * ((double)config->grid.n / n);
    if (model_options.n != n) /* where the case's blocks may not fit */
        model_options.blocks_1 = model_options.blocks_2 = 1;
    model_options.n = n;
    SWE_TRY(swe_model_create(ctx, &model_options, &model));
    swe_status status = swe_model_advance(ctx, model, dt, 4); /* warm-up, and capture of graphs */
    const double start = swe_clock_seconds();
    do {
        if (status == SWE_OK)
            status = swe_model_advance(ctx, model, dt, 4);
        steps += 4;
        out->step = (swe_clock_seconds() - start) / (double)steps;
    } while (status == SWE_OK && swe_clock_seconds() - start < 0.2);
    out->n = n;
    snprintf(out->backend, sizeof out->backend, "%s", model->backend->name);
    swe_model_destroy(&model);
    return status;
}

/* Estimate the time of a step in about two seconds: time ever larger grids, up to the case's, and
 * scale the last time with the number of points. */
static swe_status estimate_step(swe_context *ctx, const swe_config *config,
                                const cli_options *options, estimate *out)
{
    const double patience = 2.0; /* [s] */
    const int n = (int)config->grid.n;
    const double start = swe_clock_seconds();
    double before = start;
    for (int size = n < 96 ? n : 96;;) {
        SWE_TRY(time_steps(ctx, config, options, size, out));
        const double now = swe_clock_seconds();
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

/* Find the largest |u| + sqrt(g h) of the initial state [m s-1]: of a case from a formula on a grid
 * of at most 96 cells. 0: the equations are linear, or the case does not fit in memory. */
static swe_status find_speed(swe_context *ctx, const swe_config *config, const cli_options *options,
                             double *speed)
{
    const bool has_file = config->initial.path[0] != '\0' || config->bottom.path[0] != '\0';
    swe_model_options of_model = swe_config_model(config, options->backend, options->threads, NULL);
    swe_model *model = NULL;
    swe_integrals integrals;
    *speed = 0.0;
    if (config->physics.model != SWE_NONLINEAR || (has_file && !swe_config_fits(config)))
        return SWE_OK;
    of_model.n = has_file || of_model.n < 96 ? of_model.n : 96;
    of_model.blocks_1 = of_model.blocks_2 = 1;
    SWE_TRY(cli_start_model(ctx, config, &of_model, &model));
    const swe_status status = swe_integrals_measure(ctx, model, &integrals);
    if (status == SWE_OK)
        *speed = integrals.fastest.value;
    swe_model_destroy(&model);
    return status;
}

/* Warn of an initial state that run will refuse. */
static void print_flow(const swe_config *config, const cli_options *options)
{
    double speed = 0.0;
    swe_context refusal = {""};
    swe_status status = find_speed(&refusal, config, options, &speed);
    if (speed > 0.0)
        printf("# flow Courant   %.4f at the start\n", swe_config_flow_courant(config, speed));
    if (status == SWE_OK)
        status = swe_config_check_flow(&refusal, config, speed);
    if (status != SWE_OK)
        fprintf(stderr, "cubeswe: warning: %s: run will refuse the case\n",
                SWE_SHOWN(refusal.message));
}

static void print_known(const swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    const int n = (int)config->grid.n;
    const double mib = 1024.0 * 1024.0, points = 6.0 * (n + 1) * (n + 1);
    const double unknowns = points + 12.0 * n * (n + 1);
    const double dt = swe_config_schedule(config, NULL);
    printf("# points         %.0f vertices, %.0f unknowns\n", points, unknowns);
    printf("# memory         %.1f MiB\n", (double)swe_config_bytes(config) / mib);
    swe_config_write_step(config, stdout);
    printf("# Courant        %.4f (limit %.3g)\n",
           swe_physics_courant(&physics, swe_config_spacing(config), dt),
           swe_config_courant_limit(config));
    fflush(stdout);
}

enum { RANKS_TO_LOOK_AT = 64 };

/* The largest needs of a rank. */
typedef struct rank_needs {
    int ranks;       /* 0: they are not asked for */
    int exchanges;   /* a step */
    size_t bytes;    /* of the model */
    size_t host;     /* of the fields in host memory */
    double received; /* bytes a step */
    int neighbours;  /* ranks that it receives from */
} rank_needs;

static swe_status add_rank(swe_context *ctx, const swe_config *config, const swe_cut *cut,
                           const swe_step_plan *plan, rank_needs *out)
{
    const swe_precision precision = (swe_precision)config->scheme.precision;
    const swe_exchanges exchanges = swe_exchanges_of_step(plan);
    swe_decomposition *d = NULL;
    SWE_TRY(swe_decomposition_create_lists(ctx, cut, &d));
    const size_t bytes = swe_model_bytes_of_blocks(d, plan, precision);
    const swe_host_needs needs = swe_config_host_needs(config, d);
    const size_t host =
        (size_t)needs.fields * (size_t)d->layout.field * sizeof(double) + needs.bytes;
    const double received = swe_exchanges_bytes(&exchanges, d, (int)swe_precision_bytes(precision));
    out->bytes = bytes > out->bytes ? bytes : out->bytes;
    out->host = host > out->host ? host : out->host;
    out->received = fmax(out->received, received);
    out->neighbours = d->neighbour_count > out->neighbours ? d->neighbour_count : out->neighbours;
    swe_decomposition_destroy(&d);
    return SWE_OK;
}

/* Blocks, memory and exchanges of a case on many ranks, by the needs of at most some of them, which
 * are spread over all. */
static swe_status print_ranks(swe_context *ctx, const swe_config *config, int ranks,
                              rank_needs *most)
{
    const double mib = 1024.0 * 1024.0;
    const swe_physics physics = swe_config_physics(config);
    const swe_step_plan plan =
        swe_step_plan_of(&physics, &config->fields, (swe_pipeline)config->scheme.pipeline);
    const swe_exchanges exchanges = swe_exchanges_of_step(&plan);
    swe_cut cut = swe_config_cut(config);
    *most = (rank_needs){.ranks = ranks, .exchanges = exchanges.count};
    cut.ranks = ranks;
    SWE_TRY(swe_decomposition_choose(ctx, &cut));
    const int stride = ranks > RANKS_TO_LOOK_AT ? ranks / RANKS_TO_LOOK_AT : 1;
    for (cut.rank = 0; cut.rank < ranks; cut.rank += stride)
        SWE_TRY(add_rank(ctx, config, &cut, &plan, most));
    printf("# ranks          %d, of %d x %d blocks a panel (along xi1 x xi2)\n", ranks,
           cut.blocks_1, cut.blocks_2);
    printf(
        "# of a rank      at most %.1f MiB of the model and %.1f MiB of fields on the host; a step "
        "receives %.3f MiB\n",
        (double)most->bytes / mib, (double)most->host / mib, most->received / mib);
    printf("# exchanges      %d a step, of at most %d messages to a rank%s\n", exchanges.count,
           most->neighbours, stride > 1 ? " (of some ranks)" : "");
    return SWE_OK;
}

/* Print the expected time of a step on needs->ranks ranks. The ranks of this command compute a step
 * in `step` seconds; the other ranks are assumed to be as fast. */
static void print_expected(const rank_needs *needs, double step)
{
    const double micro = 1e6, computing = step * swe_ranks_count() / needs->ranks;
    const swe_ranks_speed speed = swe_model_measure_messages();
    char label[32];
    snprintf(label, sizeof label, "on %d ranks", needs->ranks);
    printf("# %-14s ", label);
    if (speed.bandwidth == 0.0) {
        printf("%.1f us/step and the messages, which two ranks measure (mpirun -n 2)\n",
               micro * computing);
        return;
    }
    const double messages = needs->exchanges * speed.latency + needs->received / speed.bandwidth;
    printf("%.1f us/step: %.1f us computing, %.1f us messages of %.2f us and %.3g GB/s\n",
           micro * (computing + messages), micro * computing, micro * messages,
           micro * speed.latency, 1e-9 * speed.bandwidth);
}

static swe_status print_estimate(swe_context *ctx, const swe_config *config,
                                 const cli_options *options, const rank_needs *needs)
{
    estimate found;
    long steps = 0;
    swe_config_schedule(config, &steps);
    SWE_TRY(estimate_step(ctx, config, options, &found));
    printf("# estimated time %.1f s (%.1f us/step on %s", found.step * (double)steps,
           1e6 * found.step, found.backend);
    if (found.n < (int)config->grid.n)
        printf(", from steps at n = %d", found.n);
    printf(")\n");
    if (needs->ranks > 0)
        print_expected(needs, found.step);
    return SWE_OK;
}

swe_status cli_info_case(swe_context *ctx, const cli_options *options)
{
    swe_config *config = NULL;
    SWE_TRY(swe_config_plan(ctx, options->case_file, options->set, options->set_count, &config));
    print_known(config);
    warn_of_memory(config);
    rank_needs needs = {.ranks = 0};
    print_flow(config, options);
    swe_status status =
        options->ranks > 0 ? print_ranks(ctx, config, options->ranks, &needs) : SWE_OK;
    if (status == SWE_OK && !options->dry_run)
        status = print_estimate(ctx, config, options, &needs);
    if (status == SWE_OK)
        swe_config_write_keys(config, stdout);
    swe_config_destroy(&config);
    return status;
}
