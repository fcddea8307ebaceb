#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/keys.h"
#include "config/field_groups.h"

static swe_status check_grid(const swe_checker *c, const swe_config *config)
{
    const swe_sbp *sbp = NULL;
    swe_context quiet = {""};
    const int n = (int)config->grid.n, order = (int)config->grid.order;
    if (order % 2 != 0)
        return swe_config_refuse(c, "grid.order", "%d is not one of 2, 4, 6", order);
    const swe_closure closure = (swe_closure)config->grid.closure;
    if (swe_sbp_find(&quiet, order, closure, n, &sbp) == SWE_OK &&
        (swe_config_physics(config).dissipation == 0.0 ||
         swe_sbp_check_spread(&quiet, order, closure, n) == SWE_OK))
        return SWE_OK;
    return swe_config_refuse(c, sbp != NULL ? "grid.n" : "grid.closure", "%s", quiet.message);
}

static swe_status check_blocks(const swe_checker *c, const swe_config *config)
{
    swe_context quiet = {""};
    const swe_cut cut = swe_config_cut(config);
    const int misfit = swe_decomposition_misfit(&quiet, &cut);
    if (misfit == 0)
        return SWE_OK;
    return swe_config_refuse(c, misfit == 1 ? "parallel.blocks_1" : "parallel.blocks_2", "%s",
                             quiet.message);
}

static swe_status check_scheme(const swe_checker *c, const swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    const char *why = config->scheme.time == SWE_TIME_RK4 ? NULL
                      : swe_physics_flow(&physics) != SWE_FLOW_NONROTATING
                          ? "a linear flow without rotation and forcing"
                      : physics.edge_damping > 0.0                     ? "scheme.edge_damping 0"
                      : physics.dissipation > 0.0                      ? "scheme.dissipation 0"
                      : config->scheme.pipeline == SWE_PIPELINE_STAGED ? "scheme.pipeline fused"
                                                                       : NULL;
    return why == NULL ? SWE_OK
                       : swe_config_refuse(c, "scheme.time", "leapfrog4 needs %s; set rk4", why);
}

/* A run that does not fit must not start: the kernel would kill it later without a message. */
static swe_status check_memory(const swe_checker *c, const swe_config *config)
{
    const double gib = 1024.0 * 1024.0 * 1024.0;
    if (c->is_plan || swe_config_fits(config))
        return SWE_OK;
    return swe_config_refuse(c, "grid.n", "%ld needs %.1f GiB of memory, this machine has %.1f",
                             config->grid.n, (double)swe_config_bytes(config) / gib,
                             swe_config_machine_bytes() / gib);
}

static double courant_of(const swe_config *config, double dt)
{
    const swe_physics physics = swe_config_physics(config);
    return swe_physics_courant(&physics, swe_config_spacing(config), dt);
}

static double courant_limit(const swe_config *config)
{
    /* rounding to whole steps may lengthen dt by that much */
    return swe_config_courant_limit(config) * (1.0 + 1e-6);
}

swe_status swe_config_check_flow(swe_context *ctx, const swe_config *config, double speed)
{
    const swe_physics physics = swe_config_physics(config);
    const double dt = swe_config_schedule(config, NULL);
    const double limit = swe_physics_flow_limit(&physics, swe_config_spacing(config),
                                                swe_config_waves_limit(config), dt);
    const double courant = swe_config_flow_courant(config, speed);
    if (!(courant > limit))
        return SWE_OK;
    swe_config slower = *config;
    slower.time.dt = slower.time.courant = 0.0;
    slower.time.dt_times_n = /* below the limit also with the digits of the message */
        (1.0 - 1e-9) * dt * limit / courant * (double)config->grid.n;
    return swe_fail(
        ctx, SWE_CONFIG,
        "%.400s: %s: dt = %.6g s is unstable: the initial flow has the Courant number %.3f, with "
        "|u| + sqrt(g h) = %.4g m/s, order %ld allows %.2f: set time.dt=%.10g or less",
        config->case_file[0] != '\0' ? config->case_file : "--set",
        config->time.dt > 0.0           ? "time.dt"
        : config->time.dt_times_n > 0.0 ? "time.dt_times_n"
                                        : "time.courant",
        dt, courant, speed, config->grid.order, limit, swe_config_schedule(&slower, NULL));
}

static swe_status check_every(const swe_checker *c, const swe_config *config)
{
    char interval[32];
    const char *both =
        config->output.every > 0 && config->output.interval > 0.0             ? "output"
        : config->diagnostics.every > 0 && config->diagnostics.interval > 0.0 ? "diagnostics"
        : config->checkpoint.every > 0 && config->checkpoint.interval > 0.0   ? "checkpoint"
                                                                              : NULL;
    if (both == NULL)
        return SWE_OK;
    snprintf(interval, sizeof interval, "%s.interval", both);
    return swe_config_refuse(c, interval, "set it or %s.every, not both", both);
}

/* The stable time step nearest to `requested` that divides all intervals. */
static double nearest_step(const swe_config *config, double longest, double requested)
{
    const double parts = floor(longest / requested);
    const double longer = longest / fmax(parts, 1.0), shorter = longest / (parts + 1.0);
    const bool is_longer_nearer = fabs(longer - requested) < fabs(shorter - requested);
    return is_longer_nearer && courant_of(config, longer) <= courant_limit(config) ? longer
                                                                                   : shorter;
}

/* Report that no time step divides all lengths, or only one much shorter than requested. */
static swe_status refuse_intervals(const swe_checker *c, const swe_time_lengths *l, double longest,
                                   double requested)
{
    const swe_time_length *a = &l->of[l->shortest], *b = a;
    for (int k = 0; k < l->count && b == a; k++)
        if (swe_config_count(l->of[k].seconds, a->seconds) == 0.0)
            b = &l->of[k];
    if (strcmp(a->key, "time.end") == 0) { /* report the other key instead */
        a = b;
        b = &l->of[l->shortest];
    }
    if (longest == 0.0)
        return swe_config_refuse(c, a->key,
                                 "no time step divides %.15g s and %s = %.15g s, unless it is "
                                 "less than a thousandth of the shorter",
                                 a->seconds, b->key, b->seconds);
    return swe_config_refuse(c, a->key,
                             "%.15g s and %s = %.15g s need a time step of %.6g s, where %.6g s "
                             "would do: choose one as a multiple of the other, or set time.dt",
                             a->seconds, b->key, b->seconds, longest, requested);
}

/* One time step for the whole run must divide all intervals. */
static swe_status check_intervals(const swe_checker *c, const swe_config *config)
{
    const double acceptable = 0.125; /* of the requested time step */
    const swe_time_lengths lengths = swe_config_lengths(config);
    const double longest = swe_config_longest_step(&lengths),
                 requested = swe_config_requested_step(config);
    const double shortest = lengths.count > 0 ? lengths.of[lengths.shortest].seconds : 0.0;
    SWE_TRY(check_every(c, config));
    if (lengths.count == 0 || (config->time.dt > 0.0 && swe_config_divides(&lengths, requested)))
        return SWE_OK;
    if (longest == 0.0 ||
        (config->time.dt <= 0.0 && longest < fmin(acceptable * requested, 0.75 * shortest)))
        return refuse_intervals(c, &lengths, longest, requested);
    for (int k = 0; config->time.dt > 0.0 && k < lengths.count; k++)
        if (swe_config_count(lengths.of[k].seconds, requested) == 0.0)
            return swe_config_refuse(c, "time.dt",
                                     "%.17g s does not divide %s = %.15g s; the nearest that "
                                     "divides all intervals is %.17g",
                                     requested, lengths.of[k].key, lengths.of[k].seconds,
                                     nearest_step(config, longest, requested));
    return SWE_OK;
}

/* The key that sets the time step; time.end if none does. */
static swe_status find_rule(const swe_checker *c, const swe_config *config, const char **key)
{
    static const char *const names[] = {"time.dt", "time.dt_times_n", "time.courant"};
    const double rules[] = {config->time.dt, config->time.dt_times_n, config->time.courant};
    int given = 0;
    *key = "time.end";
    for (int i = 0; i < 3; i++)
        if (rules[i] > 0.0) {
            *key = names[i];
            if (++given > 1)
                return swe_config_refuse(c, *key,
                                         "set one of time.dt, time.dt_times_n and time.courant");
        }
    return SWE_OK;
}

static swe_status check_time(const swe_checker *c, const swe_config *config)
{
    const char *rule = NULL;
    SWE_TRY(find_rule(c, config, &rule));
    SWE_TRY(check_intervals(c, config));
    const double dt = swe_config_schedule(config, NULL);
    if (!(config->time.end / dt <= 1e12))
        return swe_config_refuse(c, rule, "more than 1e12 steps");
    const double courant = courant_of(config, dt);
    const bool is_less = swe_config_courant_limit(config) < swe_config_waves_limit(config);
    if (courant > courant_limit(config))
        return swe_config_refuse(
            c, rule, "dt = %.6g s is unstable: Courant number %.3f, order %ld %s %.3g", dt, courant,
            config->grid.order, is_less ? "with its other terms allows" : "allows",
            courant_limit(config));
    return SWE_OK;
}

/* Stability of damping and dissipation, which are explicit, once a step. The largest rate of both
 * in units of c/(a D) (validation/dissipation): about epsilon, at large n up to 4/3 of it, and
 * sigma times a factor that depends on the operators. Damping and dissipation are separate steps.
 * With equispaced points the check keeps the sum of both rates, which earlier cases satisfy. */
static swe_status check_damping(const swe_checker *c, const swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    const double sigma = physics.edge_damping, epsilon = physics.dissipation;
    const long order = config->grid.order;
    const double equispaced = order == 2 ? 2.0 : order == 4 ? 5.0 : 15.0;
    const double rate = order > 2 && config->grid.closure == SWE_CLOSURE_MOVED
                            ? fmax((order == 4 ? 6.1 : 16.3) * sigma, 4.0 / 3.0 * epsilon)
                            : equispaced * sigma + epsilon;
    const double dt = swe_config_schedule(config, NULL);
    const double courant = courant_of(config, dt);
    if (courant * rate <= 2.0 * (1.0 + 1e-6))
        return SWE_OK;
    return swe_config_refuse(
        c, physics.dissipation >= 1.0 ? "scheme.dissipation" : "scheme.edge_damping",
        "too strong for dt = %.6g s: Courant number %.3f, it allows %.3f", dt, courant, 2.0 / rate);
}

swe_status swe_config_check_time(const swe_checker *c, const char *path, const char *time)
{
    char *end = NULL;
    if (time[0] == '\0' || (isfinite(strtod(time, &end)) && *end == '\0'))
        return SWE_OK;
    return swe_config_refuse(c, path, "'%.64s' is not a number on the time axis of the file", time);
}

/* The other keys of section `bottom` need its path. */
static swe_status check_bottom(const swe_checker *c, const swe_config *config)
{
    const struct swe_config_bottom *bottom = &config->bottom;
    const char *key = bottom->variable[0] != '\0' ? "bottom.variable"
                      : bottom->time[0] != '\0'   ? "bottom.time"
                      : bottom->sha256[0] != '\0' ? "bottom.sha256"
                                                  : NULL;
    if (bottom->path[0] == '\0' && key != NULL)
        return swe_config_refuse(c, key, "needs bottom.path, which is not set");
    return swe_config_check_time(c, "bottom.time", bottom->time);
}

/* The first key of section `forcing` that needs its file; NULL: none. */
static const char *key_with_file(const struct swe_config_forcing *forcing)
{
    return forcing->relaxation.to[0] != '\0'   ? "forcing.relaxation.to"
           : forcing->drag.factor[0] != '\0'   ? "forcing.drag.factor"
           : forcing->mass.source[0] != '\0'   ? "forcing.mass.source"
           : forcing->wind_stress.u[0] != '\0' ? "forcing.wind_stress.u"
           : forcing->wind_stress.v[0] != '\0' ? "forcing.wind_stress.v"
                                               : NULL;
}

/* The first key that changes a velocity, which is prescribed; NULL: none. */
static const char *key_of_velocity(const swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    return config->scheme.edge_damping > 0.0  ? "scheme.edge_damping"
           : config->scheme.dissipation > 0.0 ? "scheme.dissipation"
           : config->bottom.path[0] != '\0'   ? "bottom.path"
           : config->forcing.drag.rate != 0.0 ? "forcing.drag.rate"
           : physics.drag_coefficient != 0.0  ? "forcing.drag.coefficient"
           : physics.viscosity != 0.0         ? "forcing.viscosity.coefficient"
           : physics.relaxation != 0.0        ? "forcing.relaxation.time"
           : physics.has_source               ? "forcing.path"
           : physics.has_stirring             ? "forcing.stirring.rate"
                                              : NULL;
}

static swe_status check_forcing(const swe_checker *c, const swe_config *config)
{
    const char *unread =
        config->physics.model == SWE_MODEL_PRESCRIBED ? key_of_velocity(config) : NULL;
    if (unread != NULL)
        return swe_config_refuse(c, unread, "physics.model prescribed does not read this key");
    const struct swe_config_forcing *forcing = &config->forcing;
    const char *key = key_with_file(forcing);
    if (forcing->drag.coefficient != 0.0 && config->physics.model != SWE_NONLINEAR)
        return swe_config_refuse(c, "forcing.drag.coefficient",
                                 "quadratic drag needs physics.model nonlinear; a linear flow has "
                                 "forcing.drag.rate");
    if (config->scheme.limiter != SWE_LIMITER_NONE &&
        (forcing->relaxation.time > 0.0 || forcing->mass.source[0] != '\0'))
        return swe_config_refuse(c, "scheme.limiter",
                                 "sources of h change concentrations beyond its bounds: leave out "
                                 "forcing.relaxation and forcing.mass");
    if (config->scheme.limiter != SWE_LIMITER_NONE && swe_config_physics(config).wind.diverges)
        return swe_config_refuse(
            c, "scheme.limiter",
            "the divergence of flow 3 changes concentrations beyond its bounds");
    const bool has_u = forcing->wind_stress.u[0] != '\0', has_v = forcing->wind_stress.v[0] != '\0';
    if (forcing->path[0] == '\0' && key != NULL)
        return swe_config_refuse(c, key, "needs forcing.path, which is not set");
    if (forcing->path[0] != '\0' && key == NULL)
        return swe_config_refuse(c, "forcing.path",
                                 "no term names a field of the file: set forcing.drag.factor, "
                                 "forcing.relaxation.to, forcing.mass.source, or "
                                 "forcing.wind_stress.u and v");
    const char *of_file = forcing->time[0] != '\0'     ? "forcing.time"
                          : forcing->interval > 0.0    ? "forcing.interval"
                          : forcing->sha256[0] != '\0' ? "forcing.sha256"
                                                       : NULL;
    if (forcing->path[0] == '\0' && of_file != NULL)
        return swe_config_refuse(c, of_file, "needs forcing.path, which is not set");
    if (forcing->interval > 0.0 && forcing->relaxation.to[0] == '\0' &&
        forcing->mass.source[0] == '\0' && !has_u)
        return swe_config_refuse(c, "forcing.interval",
                                 "no term names a field that changes in time: set "
                                 "forcing.relaxation.to, forcing.mass.source, or "
                                 "forcing.wind_stress.u and v");
    if (forcing->periodic == SWE_YES && forcing->interval == 0.0)
        return swe_config_refuse(c, "forcing.periodic", "needs forcing.interval, which is not set");
    if (has_u != has_v)
        return swe_config_refuse(c, has_u ? "forcing.wind_stress.v" : "forcing.wind_stress.u",
                                 "a stress needs both components");
    if (forcing->drag.factor[0] != '\0' && forcing->drag.rate == 0.0)
        return swe_config_refuse(c, "forcing.drag.factor",
                                 "needs forcing.drag.rate, which is not set");
    if (forcing->relaxation.to[0] != '\0' && forcing->relaxation.time == 0.0)
        return swe_config_refuse(c, "forcing.relaxation.to",
                                 "needs forcing.relaxation.time, which is not set");
    if (forcing->relaxation.time > 0.0 && forcing->relaxation.to[0] == '\0' &&
        config->initial.kind == SWE_INITIAL_FILE)
        return swe_config_refuse(c, "forcing.relaxation.to",
                                 "initial.kind 'file' has no h to relax to: name a field of the "
                                 "file at forcing.path");
    if ((forcing->stirring.rate > 0.0) != (forcing->stirring.interval > 0.0))
        return swe_config_refuse(c, "forcing.stirring.interval",
                                 "rate and interval of the stirring go together");
    if (forcing->stirring.greatest_degree < forcing->stirring.least_degree ||
        forcing->stirring.greatest_degree > config->grid.n)
        return swe_config_refuse(c, "forcing.stirring.greatest_degree",
                                 "%ld is not between least_degree, %ld, and grid.n, %ld",
                                 forcing->stirring.greatest_degree, forcing->stirring.least_degree,
                                 config->grid.n);
    return swe_config_check_time(c, "forcing.time", forcing->time);
}

static swe_status check_viscosity(const swe_checker *c, const swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    const bool of_tracers = physics.viscosity_of_tracers;
    const char *key = of_tracers               ? "forcing.viscosity.tracers"
                      : physics.viscosity_of_h ? "forcing.viscosity.h"
                                               : NULL;
    if (physics.viscosity_order == 3)
        return swe_config_refuse(c, "forcing.viscosity.order", "3 is not 2 or 4");
    if (key != NULL && physics.viscosity == 0.0)
        return swe_config_refuse(c, key, "needs forcing.viscosity.coefficient, which is not set");
    if (of_tracers && config->tracers.count == 0)
        return swe_config_refuse(c, key, "there are no tracers");
    if (key != NULL && physics.limiter != SWE_LIMITER_NONE)
        return swe_config_refuse(c, key, "scheme.limiter bounds the advection of tracers alone");
    return SWE_OK;
}

/* Whether a number, a word or a text is the default. */
static bool is_default(const swe_value *value)
{
    const swe_key *key = value->key;
    switch (key->type) {
    case SWE_KEY_REAL:
        return *(const double *)value->at == strtod(key->fallback, NULL);
    case SWE_KEY_INTEGER:
        return *(const long *)value->at == strtol(key->fallback, NULL, 10);
    case SWE_KEY_CHOICE:
        return *(const int *)value->at == swe_config_index(key->fallback, key->range);
    default:
        return strcmp(*(char *const *)value->at, key->fallback) == 0;
    }
}

swe_status swe_config_check_unread(const swe_checker *c, const swe_config *config, const char *kind,
                                   unsigned entry, const char *word, const char *keys)
{
    char path[SWE_VALUE_PATH];
    const size_t length = strlen(kind) - strlen("kind");
    for (const swe_key *key = swe_keys; key->path != NULL; key++) {
        const swe_value value = swe_value_of(config, key, entry);
        if (strncmp(key->path, kind, length) == 0 && strcmp(key->path, kind) != 0 &&
            !is_default(&value) && !swe_is_listed(keys, ", ", swe_key_name(key)))
            return swe_config_refuse(c, swe_value_path(&value, path),
                                     "kind '%s' does not read this key%s%s", word,
                                     keys[0] != '\0' ? ", it reads " : "", keys);
    }
    return SWE_OK;
}

swe_status swe_config_check_initial(const swe_checker *c, const swe_config *config)
{
    if (config->initial.kind == SWE_INITIAL_FILE && config->initial.path[0] == '\0')
        return swe_config_refuse(c, "initial.path", "kind 'file' needs a path");
    SWE_TRY(swe_config_check_time(c, "initial.time", config->initial.time));
    SWE_TRY(check_bottom(c, config));
    SWE_TRY(check_forcing(c, config));
    SWE_TRY(check_viscosity(c, config));
    const char *kind = swe_initial_name((swe_initial_kind)config->initial.kind);
    SWE_TRY(swe_config_check_unread(c, config, "initial.kind", 0, kind, swe_initial_keys(kind)));
    const swe_initial initial = swe_config_initial(config);
    const swe_physics physics = swe_config_physics(config);
    swe_context quiet = {""};
    const char *key = NULL;
    if (swe_case_check(&quiet, &initial, &physics, &key) != SWE_OK)
        return swe_config_refuse(c, key, "%s", quiet.message);
    return SWE_OK;
}

static swe_status check_samples(const swe_checker *c, const swe_config *config)
{
    for (unsigned k = 0; k < config->diagnostics.sample_times.count; k++)
        if (config->diagnostics.sample_times.value[k] > config->time.end)
            return swe_config_refuse(c, "diagnostics.sample_times", "%g is after time.end",
                                     config->diagnostics.sample_times.value[k]);
    return SWE_OK;
}

static swe_status check_output(const swe_checker *c, const swe_config *config)
{
    const swe_physics physics = swe_config_physics(config);
    const char *missing =
        swe_outputs_missing(config->output.fields.chosen, swe_physics_flow(&physics));
    if (missing != NULL)
        return swe_config_refuse(c, "output.fields", "%s is of physics.model nonlinear only",
                                 missing);
    return SWE_OK;
}

static swe_status check_profile(const swe_checker *c, const swe_config *config)
{
    if (config->profile.mode != PROF_OFF && config->profile.interval > 0 &&
        config->profile.interval < config->profile.duration)
        return swe_config_refuse(c, "profile.interval",
                                 "%ld is less than profile.duration, %ld: windows overlap",
                                 config->profile.interval, config->profile.duration);
    return SWE_OK;
}

swe_status swe_config_check(const swe_checker *c, const swe_config *config)
{
    SWE_TRY(check_grid(c, config));
    SWE_TRY(check_blocks(c, config));
    SWE_TRY(check_scheme(c, config));
    SWE_TRY(check_memory(c, config));
    SWE_TRY(swe_field_groups_check(c, config));
    SWE_TRY(check_time(c, config));
    SWE_TRY(check_damping(c, config));
    SWE_TRY(check_output(c, config));
    SWE_TRY(check_profile(c, config));
    return check_samples(c, config);
}
