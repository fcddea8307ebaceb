/* Values that follow from a configuration: its time step, its memory, and the options of the model,
 * the case and the profiler. */
#include <math.h>

#include "base/version.h"
#include "base/memory.h"
#include "cases/case.h"
#include "config/internal.h"
#include "ranks/ranks.h"
#include "stages/regions.h"

/* ---- the time step --------------------------------------------------------------------------- */

/* Bound of the relative rounding error of the quotient of two decimal numbers in binary. */
static const double rounding = 1e-12;

double swe_config_count(double length, double part)
{
    const double count = length / part, nearest = floor(count + 0.5);
    return nearest >= 1.0 && fabs(count - nearest) <= rounding * count ? nearest : 0.0;
}

swe_time_lengths swe_config_lengths(const swe_config *config)
{
    const swe_time_length all[] = {{"output.interval", config->output.interval},
                                   {"diagnostics.interval", config->diagnostics.interval},
                                   {"forcing.interval", config->forcing.interval},
                                   {"forcing.stirring.interval", config->forcing.stirring.interval},
                                   {"checkpoint.interval", config->checkpoint.interval}};
    swe_time_lengths l = {.count = 0};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        if (all[k].seconds > 0.0)
            l.of[l.count++] = all[k];
    if (l.count > 0 && config->time.dt <= 0.0)
        l.of[l.count++] = (swe_time_length){"time.end", config->time.end};
    for (int k = 1; k < l.count; k++)
        if (l.of[k].seconds < l.of[l.shortest].seconds)
            l.shortest = k;
    return l;
}

bool swe_config_divides(const swe_time_lengths *lengths, double dt)
{
    bool divides = true;
    for (int k = 0; k < lengths->count; k++)
        divides = divides && swe_config_count(lengths->of[k].seconds, dt) > 0.0;
    return divides;
}

/* Least number of parts of the shortest length that divides all lengths; 0 if more than
 * SWE_MOST_PARTS. */
static double parts_of_shortest(const swe_time_lengths *lengths)
{
    const double shortest = lengths->of[lengths->shortest].seconds;
    for (int parts = 1; parts <= SWE_MOST_PARTS; parts++)
        if (swe_config_divides(lengths, shortest / parts))
            return parts;
    return 0.0;
}

double swe_config_longest_step(const swe_time_lengths *lengths)
{
    const double parts = parts_of_shortest(lengths);
    return parts > 0.0 ? lengths->of[lengths->shortest].seconds / parts : 0.0;
}

double swe_config_spacing(const swe_config *config)
{
    const swe_points *points =
        swe_sbp_points((int)config->grid.order, (swe_closure)config->grid.closure);
    return swe_points_spacing(points, (int)config->grid.n);
}

double swe_config_requested_step(const swe_config *config)
{
    const double default_courant = 0.2;
    if (config->time.dt_times_n > 0.0)
        return config->time.dt_times_n / (double)config->grid.n;
    if (config->time.dt > 0.0)
        return config->time.dt;
    const swe_physics physics = swe_config_physics(config);
    const double courant = config->time.courant > 0.0 ? config->time.courant : default_courant;
    return courant / swe_physics_courant(&physics, swe_config_spacing(config), 1.0);
}

/* The longest step, at most `requested`, that divides all lengths. It is the quotient of an
 * interval, so that it does not change with time.end if that is a multiple of the intervals' common
 * divisor. */
static double step_within(const swe_time_lengths *lengths, double requested)
{
    const double shortest = lengths->of[lengths->shortest].seconds;
    const double parts = parts_of_shortest(lengths), part = shortest / parts;
    const double whole = swe_config_count(part, requested);
    return shortest / (parts * (whole > 0.0 ? whole : fmax(1.0, ceil(part / requested))));
}

/* Steps to time.end; the last may be shorter. */
static double steps_to_end(double end, double dt)
{
    const double whole = swe_config_count(end, dt);
    return fmin(whole > 0.0 ? whole : fmax(1.0, ceil(end / dt)), 1e18);
}

double swe_config_schedule(const swe_config *config, long *steps)
{
    const double requested = swe_config_requested_step(config), end = config->time.end;
    /* whole number of steps to time.end, up to the digits of a rounded step, such as 0.3333333 for
     * 1/3, which must not add a step; 0: it is none */
    const double exact = end / requested, nearest = floor(exact + 0.5);
    const double whole = fabs(exact - nearest) <= 1e-6 * exact ? nearest : 0.0;
    const swe_time_lengths lengths = swe_config_lengths(config);
    const bool is_used = lengths.count > 0 || swe_config_count(end, requested) > 0.0 ||
                         (whole == 0.0 && requested < end);
    double dt = end / (whole > 0.0 ? whole : steps_to_end(end, requested));
    if (config->continued_step > 0.0)
        dt = config->continued_step;
    else if (config->time.dt > 0.0 && is_used)
        dt = requested; /* exactly, independent of time.end */
    else if (swe_config_longest_step(&lengths) > 0.0)
        dt = step_within(&lengths, requested);
    if (steps != NULL)
        *steps = (long)steps_to_end(end, dt);
    return dt;
}

long swe_config_steps_with(const swe_config *given, double dt)
{
    swe_config config = *given;
    const double requested = swe_config_requested_step(&config);
    long steps = 0;
    config.time.dt = config.continued_step = dt; /* so that time.end is no length to divide */
    const swe_time_lengths intervals = swe_config_lengths(&config);
    dt = swe_config_schedule(&config, &steps);
    return dt <= requested * (1.0 + 1e-6) && swe_config_divides(&intervals, dt) ? steps : 0;
}

double swe_config_waves_limit(const swe_config *config)
{
    if (config->physics.model == SWE_MODEL_PRESCRIBED)
        return config->scheme.limiter != SWE_LIMITER_NONE ? SWE_LIMITER_COURANT
                                                          : swe_wind_limit((int)config->grid.order);
    const double longer = config->scheme.time == SWE_TIME_LEAPFROG4 ? sqrt(12.0 / 8.0) : 1.0;
    return longer *
           swe_sbp_courant_limit((int)config->grid.order, (swe_closure)config->grid.closure);
}

double swe_config_courant_limit(const swe_config *config)
{
    const double waves = swe_config_waves_limit(config);
    const swe_physics physics = swe_config_physics(config);
    const double spacing = swe_config_spacing(config);
    const double quadratic = /* at the speed of waves, whose drag changes by twice its rate */
        2.0 * physics.drag_coefficient * sqrt(physics.gravity / physics.depth);
    const double of_v = physics.drag + physics.drag_of_field + quadratic, of_h = physics.relaxation;
    const double fastest = (fmax(of_v, of_h) + 2.0 * fmin(of_v, of_h)) / SWE_DRAG_LIMIT;
    const double others = fmin(waves, swe_physics_courant(&physics, spacing, 1.0 / fastest));
    const double by_viscosity =
        SWE_DECAY_LIMIT / swe_physics_viscosity_limit(&physics, spacing, waves);
    double of_tracers = 0.0;
    for (unsigned k = 0; k < config->tracers.count; k++)
        of_tracers = fmax(of_tracers, config->tracers.item[k].decay);
    const double decay = by_viscosity + of_tracers;
    return decay == 0.0 ? others
                        : 1.0 / (1.0 / others + 1.0 / swe_physics_courant(&physics, spacing,
                                                                          SWE_DECAY_LIMIT / decay));
}

double swe_config_flow_courant(const swe_config *config, double speed)
{
    return speed * swe_config_schedule(config, NULL) /
           (config->physics.radius * swe_config_spacing(config));
}

/* ---- memory, and options --------------------------------------------------------------------- */

swe_cut swe_config_cut(const swe_config *config)
{
    return (swe_cut){.n = (int)config->grid.n,
                     .order = (int)config->grid.order,
                     .closure = (swe_closure)config->grid.closure,
                     .blocks_1 = (int)config->parallel.blocks_1,
                     .blocks_2 = (int)config->parallel.blocks_2,
                     .line = SWE_CACHE_LINE /
                             (int)swe_precision_bytes((swe_precision)config->scheme.precision)};
}

/* The blocks of this rank; NULL: whole panels, or they do not fit. The caller destroys them. */
static swe_decomposition *blocks_of(const swe_config *config)
{
    swe_context quiet = {""};
    swe_decomposition *blocks = NULL;
    swe_cut cut = swe_config_cut(config);
    cut.ranks = swe_ranks_count();
    const bool is_cut = cut.blocks_1 > 1 || cut.blocks_2 > 1 || cut.ranks > 1;
    return is_cut && swe_decomposition_choose(&quiet, &cut) == SWE_OK &&
                   swe_decomposition_create_sizes(&quiet, &cut, &blocks) == SWE_OK
               ? blocks
               : NULL;
}

static size_t model_bytes(const swe_config *config, const swe_decomposition *blocks)
{
    const swe_physics physics = swe_config_physics(config);
    const swe_step_plan plan =
        swe_step_plan_of(&physics, &config->fields, (swe_pipeline)config->scheme.pipeline);
    const swe_precision precision = (swe_precision)config->scheme.precision;
    return blocks != NULL ? swe_model_bytes_of_blocks(blocks, &plan, precision)
                          : swe_model_bytes((int)config->grid.n, &plan, precision);
}

size_t swe_config_model_bytes(const swe_config *config)
{
    swe_decomposition *blocks = blocks_of(config);
    const size_t bytes = model_bytes(config, blocks);
    swe_decomposition_destroy(&blocks);
    return bytes;
}

swe_snapshot_fields swe_config_snapshot_fields(const swe_config *config, unsigned chosen)
{
    swe_snapshot_fields f = {.count = config->fields.count};
    if (swe_outputs_need(chosen, SWE_FROM_VORTICITY))
        f.vorticity = f.count++;
    if (swe_outputs_need(chosen, SWE_FROM_DIVERGENCE))
        f.divergence = f.count++;
    return f;
}

/* Copies of fields that a rank has while it works on slabs (state/slabs.h). One rank has two slabs,
 * and two more in the thread that writes field files. Of several ranks each has two slabs and a
 * variable of a field file; unless ranks own whole panels, also messages, at most one and a half
 * times the slabs. */
static int fields_of_slabs(const swe_decomposition *blocks)
{
    const int ranks = blocks->cut.ranks;
    const bool has_messages = blocks->count > SWE_PANELS || SWE_PANELS % ranks != 0;
    return ranks == 1 ? 4 : has_messages ? 6 : 3;
}

/* The errors of the velocity also need differences of v1 and v2; without blocks they are one
 * panel. */
swe_host_needs swe_config_host_needs(const swe_config *config, const swe_decomposition *blocks)
{
    const int of_metric = swe_ranks_count() == 1 ? 4 : 0, of_file = 2;
    const bool is_cut = blocks != NULL && (blocks->cut.ranks > 1 || blocks->count > SWE_PANELS);
    const swe_initial initial = swe_config_initial(config);
    const swe_physics physics = swe_config_physics(config);
    const bool has_errors = swe_case_reference(&initial, &physics) != SWE_REFERENCE_NONE;
    const int of_differences = has_errors && swe_case_has_velocity(&initial) ? 2 : 0;
    const bool is_prescribed = config->physics.model == SWE_MODEL_PRESCRIBED;
    const size_t of_streams = 3 * (size_t)swe_layout_of((int)config->grid.n).panel * sizeof(double);
    /* Both slabs and their messages also have the rows of a chunk (files/output/hdf5_pieces.h)
     * besides a rank's own rows; these are at most all rows of a field. */
    const bool is_single = config->output.precision == SWE_PRECISION_SINGLE;
    const size_t chunk = (size_t)(is_single ? 2 : 1) << 20; /* as values of double precision */
    const size_t field = (size_t)swe_layout_of((int)config->grid.n).field * sizeof(double);
    const size_t of_margins = 4 * (chunk < field ? chunk : field);
    const unsigned chosen = config->output.fields.chosen;
    const bool has_bottom = swe_outputs_need(chosen, SWE_FROM_BOTTOM);
    return (swe_host_needs){
        .fields = config->fields.count + swe_config_snapshot_fields(config, chosen).count +
                  has_bottom +
                  (config->forcing.interval > 0.0                         ? config->fields.count
                   : config->forcing.stirring.rate > 0.0 || is_prescribed ? SWE_FLOW_FIELDS
                                                                          : 0) +
                  (is_cut ? fields_of_slabs(blocks) + of_differences : 0),
        .bytes =
            (is_cut && blocks->cut.ranks > 1 ? of_margins : 0) + (is_prescribed ? of_streams : 0),
        .panels = of_metric + of_file + (is_cut ? 0 : of_differences)};
}

size_t swe_config_bytes(const swe_config *config)
{
    const swe_layout layout = swe_layout_of((int)config->grid.n);
    swe_decomposition *blocks = blocks_of(config);
    const swe_host_needs host = swe_config_host_needs(config, blocks);
    const size_t field = (size_t)(blocks != NULL ? blocks->layout.field : layout.field);
    const size_t of_rank =
        model_bytes(config, blocks) + (size_t)host.fields * field * sizeof(double) + host.bytes;
    swe_decomposition_destroy(&blocks);
    return of_rank * (size_t)swe_ranks_on_machine() +
           (size_t)host.panels * (size_t)layout.panel * sizeof(double);
}

double swe_config_machine_bytes(void)
{
    return swe_memory_limit("");
}

bool swe_config_fits(const swe_config *config)
{
    return (double)swe_config_bytes(config) <= 0.9 * swe_config_machine_bytes();
}

swe_model_options swe_config_model(const swe_config *config, const char *backend, int threads,
                                   prof_profiler *profiler)
{
    return (swe_model_options){.n = (int)config->grid.n,
                               .order = (int)config->grid.order,
                               .closure = (swe_closure)config->grid.closure,
                               .fields = &config->fields,
                               .physics = swe_config_physics(config),
                               .pipeline = (swe_pipeline)config->scheme.pipeline,
                               .precision = (swe_precision)config->scheme.precision,
                               .blocks_1 = (int)config->parallel.blocks_1,
                               .blocks_2 = (int)config->parallel.blocks_2,
                               .transport = (swe_transport)config->parallel.transport,
                               .backend = backend,
                               .threads = threads,
                               .profiler = profiler};
}

swe_physics swe_config_physics(const swe_config *config)
{
    const bool is_prescribed = config->physics.model == SWE_MODEL_PRESCRIBED;
    const swe_equations equations =
        is_prescribed ? SWE_NONLINEAR : (swe_equations)config->physics.model;
    const double damping = config->scheme.edge_damping, dissipation = config->scheme.dissipation;
    const double relaxation = config->forcing.relaxation.time;
    const bool is_moved = config->grid.closure == SWE_CLOSURE_MOVED;
    swe_physics physics = {
        .gravity = is_prescribed ? 0.0 : config->physics.gravity,
        .depth = config->physics.depth,
        .radius = config->physics.radius,
        .equations = equations,
        .rotation = config->physics.rotation,
        .axis_lon = config->physics.axis_lon,
        .axis_lat = config->physics.axis_lat,
        .is_prescribed = is_prescribed,
        .limiter = (swe_limiter)config->scheme.limiter,
        .edge_damping = is_prescribed    ? 0.0
                        : damping >= 0.0 ? damping
                                         : swe_physics_edge_damping(equations),
        .dissipation = is_prescribed ? 0.0
                       : dissipation >= 0.0
                           ? dissipation
                           : swe_physics_dissipation(equations, (int)config->grid.order, is_moved),
        .time = (swe_time_scheme)config->scheme.time,
        .drag = config->forcing.drag.factor[0] == '\0' ? config->forcing.drag.rate : 0.0,
        .drag_of_field = config->forcing.drag.factor[0] != '\0' ? config->forcing.drag.rate : 0.0,
        .drag_coefficient = config->forcing.drag.coefficient,
        .viscosity = config->forcing.viscosity.coefficient,
        .viscosity_order = (int)config->forcing.viscosity.order,
        .viscosity_of_h = config->forcing.viscosity.h == SWE_YES,
        .viscosity_of_tracers = config->forcing.viscosity.tracers == SWE_YES,
        .relaxation = relaxation > 0.0 ? 1.0 / relaxation : 0.0,
        .has_source =
            config->forcing.mass.source[0] != '\0' || config->forcing.wind_stress.u[0] != '\0',
        .records = config->forcing.interval,
        .density = config->forcing.wind_stress.density,
        .has_stirring = config->forcing.stirring.rate > 0.0};
    const swe_initial initial = swe_config_initial(config);
    if (is_prescribed)
        physics.wind = swe_case_wind(&initial, &physics);
    return physics;
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

/* The words of the keys have the order of the profiler's enumerations. Modes off and nsys record
 * nothing, samples neither. */
prof_options swe_config_profile(const swe_config *config)
{
    const prof_mode mode = (prof_mode)config->profile.mode;
    const bool has_parts = config->profile.parts && mode != PROF_OFF && mode != PROF_NSYS;
    long steps = 0;
    swe_config_schedule(config, &steps);
    return (prof_options){.mode = mode,
                          .directory = config->profile.dir,
                          .start_step = config->profile.start_step,
                          .duration = config->profile.duration,
                          .interval = config->profile.interval,
                          .last_step = steps,
                          .max_events = config->profile.max_events,
                          .files = config->profile.traces.chosen,
                          .counters = (prof_counters)config->profile.counters,
                          .parts = has_parts ? swe_parts : NULL,
                          .part_count = SWE_PART_COUNT,
                          .kernels = swe_profiled_kernels,
                          .kernel_count = SWE_KERNEL_COUNT,
                          .eager = config->profile.launch == SWE_LAUNCH_EAGER,
                          .sampling = 1000 * (int64_t)config->profile.sampling,
                          .case_name = config->case_name,
                          .version = swe_version,
                          .regions = swe_regions,
                          .region_count = SWE_REGION_COUNT};
}
