/* What a configuration says to the model, the profiler and the machine. */
#include <unistd.h>

#include "base/version.h"
#include "diagnostics/comparison.h"
#include "diagnostics/derivatives.h"
#include "model/config.h"
#include "stages/regions.h"

size_t swe_config_model_bytes(const swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    return swe_model_bytes((int)config->grid.n, swe_physics_flow(&physics),
                           (swe_pipeline)config->scheme.pipeline,
                           (swe_precision)config->scheme.precision);
}

size_t swe_config_bytes(const swe_config *config)
{
    const swe_layout layout = swe_layout_of((int)config->grid.n);
    const swe_initial initial = swe_config_initial(config);
    const swe_physics physics = swe_config_physics(config);
    const size_t compared = (size_t)swe_comparison_fields(&initial, &physics);
    const unsigned chosen = config->output.fields.chosen;
    const size_t derivatives =
        chosen & (SWE_OUTPUT_VORTICITY | SWE_OUTPUT_POTENTIAL_VORTICITY | SWE_OUTPUT_DIVERGENCE)
            ? SWE_DERIVATIVES_ROOM
            : 0;
    const size_t bottom = chosen & SWE_OUTPUT_SURFACE ? 1 : 0;
    const size_t host_fields =
        3 + compared + 2 + derivatives + bottom; /* 3: state, 2: of the writer */
    return swe_config_model_bytes(config) +
           sizeof(double) * (host_fields * (size_t)layout.field + 4 * (size_t)layout.panel);
}

double swe_config_machine_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

bool swe_config_fits(const swe_config *config)
{
    return (double)swe_config_bytes(config) <= 0.9 * swe_config_machine_bytes();
}

swe_model_options swe_config_model(const swe_config *config, const char *backend, int threads,
                                   prof_profiler *profiler)
{
    return (swe_model_options){(int)config->grid.n,
                               (int)config->grid.order,
                               (swe_closure)config->grid.closure,
                               swe_config_physics(config),
                               (swe_pipeline)config->scheme.pipeline,
                               (swe_precision)config->scheme.precision,
                               false,
                               backend,
                               threads,
                               profiler};
}

/* What nonlinear flows need so that they stay smooth, by order (validation/dissipation); linear
 * ones need nothing. */
static double damping_of(const swe_config *config)
{
    const double needed = config->physics.model == SWE_NONLINEAR ? 0.1 : 0.0;
    return config->scheme.edge_damping >= 0.0 ? config->scheme.edge_damping : needed;
}

static double dissipation_of(const swe_config *config)
{
    const double of_order = config->grid.order == 2 ? 0.1 : config->grid.order == 4 ? 0.5 : 2.0;
    const double needed = config->physics.model == SWE_NONLINEAR ? of_order : 0.0;
    return config->scheme.dissipation >= 0.0 ? config->scheme.dissipation : needed;
}

swe_physics swe_config_physics(const swe_config *config)
{
    return (swe_physics){.gravity = config->physics.gravity,
                         .depth = config->physics.depth,
                         .radius = config->physics.radius,
                         .equations = (swe_equations)config->physics.model,
                         .rotation = config->physics.rotation,
                         .axis_lon = config->physics.axis_lon,
                         .axis_lat = config->physics.axis_lat,
                         .edge_damping = damping_of(config),
                         .dissipation = dissipation_of(config)};
}

swe_initial swe_config_initial(const swe_config *config)
{
    return (swe_initial){.kind = (swe_initial_kind)config->initial.kind,
                         .lon = config->initial.lon,
                         .lat = config->initial.lat,
                         .amplitude = config->initial.amplitude,
                         .width = config->initial.width,
                         .degree = (int)config->initial.degree,
                         .angle = config->initial.angle,
                         .period = config->initial.period,
                         .wavenumber = (int)config->initial.wavenumber,
                         .mode = (int)config->initial.mode,
                         .wave = (swe_wave_type)config->initial.wave,
                         .perturbed = config->initial.perturbation == SWE_YES,
                         .bottom_from_file = config->bottom.path[0] != '\0'};
}

bool swe_config_has_checkpoints(const swe_config *config)
{
    return config->checkpoint.every > 0 || config->checkpoint.interval > 0.0 ||
           config->checkpoint.final == SWE_YES;
}

/* Words of the keys and numbers of the profiler are in one order. */
prof_options swe_config_profile(const swe_config *config)
{
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
    return (prof_options){.mode = (prof_mode)config->profile.mode,
                          .directory = config->profile.dir,
                          .start_step = config->profile.start_step,
                          .duration = config->profile.duration,
                          .interval = config->profile.interval,
                          .last_step = steps,
                          .max_events = config->profile.max_events,
                          .files = config->profile.traces.chosen,
                          .counters = (prof_counters)config->profile.counters,
                          .sampling = 1000 * (int64_t)config->profile.sampling,
                          .case_name = config->case_name,
                          .version = swe_version,
                          .regions = swe_regions,
                          .region_count = SWE_REGION_COUNT};
}
