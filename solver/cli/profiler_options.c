#include "cli/profiler_options.h"

#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "cli/cli.h"
#include "stages/regions.h"
#include "state/model.h"

static void warn(void *progress, const char *line)
{
    cli_progress_clear(progress);
    fprintf(stderr, "cubeswe: warning: %s\n", line);
}

static void state_facts(const swe_config *config, cli_profile_folder *profiles)
{
    static const char *const closures[] = {"moved", "equispaced", "published"};
    const double n = (double)config->grid.n;
    const prof_fact facts[CLI_FACTS] = {
        {"n", NULL, n},
        {"order", NULL, (double)config->grid.order},
        {"closure", closures[config->grid.closure], 0.0},
        {"pipeline", swe_pipeline_name((swe_pipeline)config->scheme.pipeline), 0.0},
        {"precision", swe_precision_name((swe_precision)config->scheme.precision), 0.0},
        {"dt", NULL, swe_config_schedule(config, NULL)},
        {"unknowns", NULL, 6.0 * (n + 1.0) * (n + 1.0) + 12.0 * n * (n + 1.0)},
        {"build", swe_build, 0.0}};
    memcpy(profiles->facts, facts, sizeof facts);
}

/* By default a window of a device with graphs has more steps than the long graph, and graphs run
 * most of the strides before it. A window with samples of code has steps for hundreds of them from
 * n = 384 on. */
static void choose_window(const swe_config *config, const swe_backend *backend, prof_options *out)
{
    const bool has_graphs = backend->capture != NULL;
    if (config->profile.start_step < 0)
        out->start_step = has_graphs ? 50 : 10;
    if (config->profile.duration == 0)
        out->duration =
            has_graphs ? (out->mode != PROF_COUNTERS ? 20 : 3) : (out->parts != NULL ? 200 : 3);
    if (config->profile.duration == 0 && out->interval > 0 && out->interval < out->duration)
        out->duration = out->interval;
}

prof_options cli_profiler_options(const swe_config *config, const swe_backend *backend,
                                  const char *results, cli_progress *progress,
                                  cli_profile_folder *profiles)
{
    if (config->profile.dir[0] != '\0')
        snprintf(profiles->path, sizeof profiles->path, "%s", config->profile.dir);
    else
        snprintf(profiles->path, sizeof profiles->path, "%s/profile", results);
    prof_options options = swe_config_profile(config);
    options.directory = profiles->path;
    choose_window(config, backend, &options);
    state_facts(config, profiles);
    options.facts = profiles->facts;
    options.fact_count = CLI_FACTS;
    const swe_physics physics = swe_config_physics(config);
    const swe_cost_case what = {.n = (int)config->grid.n,
                                .order = (int)config->grid.order,
                                .flow = swe_physics_flow(&physics),
                                .pipeline = (swe_pipeline)config->scheme.pipeline,
                                .precision = (swe_precision)config->scheme.precision,
                                .inner_first = backend->inner_first,
                                .leaps = physics.time == SWE_TIME_LEAPFROG4,
                                .advected = config->fields.count - SWE_FLOW_FIELDS,
                                .physics = &physics};
    swe_costs_count(&what, &profiles->costs);
    options.costs = profiles->costs.profiled;
    options.cost_count = profiles->costs.profiled_count;
    options.buffers = profiles->costs.buffers;
    options.buffer_count = SWE_COST_BUFFERS;
    options.warn = warn;
    options.warner = progress;
    options.ranks = swe_model_profiled_ranks();
    return options;
}

prof_options cli_sampler_options(const swe_config *config)
{
    prof_options options = swe_config_profile(config);
    options.mode = PROF_OFF;
    options.parts = swe_parts;
    options.warn = warn;
    return options;
}

void cli_profiler_end(prof_profiler **profiler, const cli_profile_folder *profiles,
                      const char *results, bool quiet)
{
    const int windows = prof_window_count(*profiler);
    prof_destroy(profiler);
    if (windows > 0)
        cli_report_write(profiles->path, results, quiet);
}
