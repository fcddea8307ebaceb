#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/tuning.h"
#include "base/version.h"
#include "config/internal.h"
#include "diagnostics/limits.h"
#include "library/internal.h"
#include "run/forcing.h"

static pthread_mutex_t files = PTHREAD_MUTEX_INITIALIZER;

void library_begin_files(void)
{
    pthread_mutex_lock(&files);
}

swe_status library_end_files(swe_status status)
{
    pthread_mutex_unlock(&files);
    return status;
}

/* The lock of a model that is not const for the caller. */
static cubeswe_model *own(const cubeswe_model *model)
{
    return (cubeswe_model *)model;
}

swe_status library_enter(swe_context *ctx, const cubeswe_model *model, bool changes)
{
    cubeswe_model *m = own(model);
    atomic_fetch_add(&m->waiting, 1);
    pthread_mutex_lock(&m->lock);
    atomic_fetch_sub(&m->waiting, 1);
    return changes && m->is_advancing && !pthread_equal(m->advancing_by, pthread_self())
               ? swe_fail(ctx, SWE_USAGE, "the model advances in another thread: wait for it")
               : SWE_OK;
}

void library_leave(const cubeswe_model *model)
{
    pthread_mutex_unlock(&own(model)->lock);
}

cubeswe_status library_end(swe_status status, const swe_context *ctx, cubeswe_error *error)
{
    const cubeswe_status code = (cubeswe_status)swe_status_exit_code(status);
    if (error == NULL)
        return code;
    const char *message = status == SWE_OK          ? ""
                          : ctx->message[0] != '\0' ? ctx->message
                                                    : swe_status_text(status);
    error->status = code;
    snprintf(error->message, sizeof error->message, "%s", message);
    return code;
}

const char *cubeswe_version(void)
{
    return swe_version;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static swe_context tuning; /* the message of a wrong CUBESWE_TUNING */
static swe_status tuned;

static void load_tuning(void)
{
    tuned = swe_tuning_load(&tuning);
}

swe_status library_load_tuning(swe_context *ctx)
{
    pthread_once(&once, load_tuning);
    *ctx = tuning;
    return tuned;
}

static pthread_once_t silenced = PTHREAD_ONCE_INIT;

/* Before the first model, or another receiver of warnings: none go to standard error. */
static void silence(void)
{
    swe_warn_to(NULL);
}

void cubeswe_warn_to(void (*warn)(const char *line))
{
    pthread_once(&silenced, silence);
    swe_warn_to(warn);
}

/* ---- creation -------------------------------------------------------------------------------- */

static swe_status create(swe_context *ctx, const cubeswe_options *options, cubeswe_model *m)
{
    SWE_TRY(library_load_tuning(ctx));
    SWE_TRY(swe_config_load(ctx, options->case_file, options->settings, (int)options->setting_count,
                            &m->config));
    SWE_TRY(swe_config_pin_files(ctx, m->config));
    m->config->start.state[0] = '\0'; /* of a run; cubeswe_read_checkpoint reads its states */
    /* the length of a step does not follow from an end that is nearer */
    m->config->time.end = fmax(m->config->time.end, swe_config_requested_step(m->config));
    const swe_simulation_options simulation = {
        .backend = options->backend != NULL ? options->backend : "auto",
        .threads = options->threads,
        .keeps_bottom = true,
        .has_own_forcing = options->has_own_forcing != 0};
    if (simulation.has_own_forcing && m->config->physics.model == SWE_MODEL_PRESCRIBED)
        return swe_fail(ctx, SWE_USAGE, "a prescribed velocity has no forcing of its user's own");
    if (simulation.has_own_forcing && m->config->scheme.limiter != SWE_LIMITER_NONE)
        return swe_fail(ctx, SWE_USAGE,
                        "forcing of its user's own has a source of h, and scheme.limiter keeps no "
                        "bounds beside one");
    if (simulation.has_own_forcing &&
        (m->config->forcing.stirring.rate > 0.0 || m->config->forcing.mass.source[0] != '\0' ||
         m->config->forcing.wind_stress.u[0] != '\0' || m->config->forcing.interval > 0.0))
        return swe_fail(ctx, SWE_USAGE,
                        "forcing of its user's own takes the place of forcing.stirring, "
                        "mass.source, wind_stress and interval: unset them");
    SWE_TRY(swe_simulation_create(ctx, m->config, &simulation, &m->simulation));
    m->model = m->simulation->model;
    m->dt = m->simulation->schedule.dt;
    const int derivatives = 2;
    SWE_TRY(
        swe_host_fields_create(ctx, m->model, m->config->fields.count + derivatives, &m->fields));
    return library_list_variables(ctx, m);
}

static bool create_lock(cubeswe_model *m)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    const bool is_created = pthread_mutex_init(&m->lock, &recursive) == 0;
    pthread_mutexattr_destroy(&recursive);
    return is_created;
}

cubeswe_status cubeswe_create(const cubeswe_options *options, cubeswe_model **out,
                              cubeswe_error *error)
{
    swe_context ctx = {""};
    pthread_once(&silenced, silence);
    *out = NULL;
    const swe_status counted = library_count_model(&ctx);
    if (counted != SWE_OK)
        return library_end(counted, &ctx, error);
    cubeswe_model *m = calloc(1, sizeof *m);
    if (m == NULL || !create_lock(m)) {
        free(m);
        library_uncount_model();
        return library_end(swe_fail(&ctx, SWE_NO_MEMORY, "out of memory for a model"), &ctx, error);
    }
    library_begin_files();
    const swe_status status = library_end_files(create(&ctx, options, m));
    if (status != SWE_OK)
        cubeswe_destroy(&m);
    *out = m;
    return library_end(status, &ctx, error);
}

void cubeswe_destroy(cubeswe_model **model)
{
    cubeswe_model *m = *model;
    *model = NULL;
    if (m == NULL)
        return;
    swe_host_fields_destroy(&m->fields);
    swe_simulation_destroy(&m->simulation);
    swe_config_destroy(&m->config);
    pthread_mutex_destroy(&m->lock);
    free(m->variable);
    free(m);
    library_uncount_model();
}

void cubeswe_get_info(const cubeswe_model *m, cubeswe_info *out)
{
    const swe_simulation *s = m->simulation;
    const swe_physics *physics = &m->model->physics;
    const swe_step_plan plan = swe_step_plan_of(physics, &m->model->fields, m->model->pipeline);
    /* Own forcing changes the fields and the pipeline that the configuration has. */
    const size_t bytes = s->options.has_own_forcing
                             ? swe_model_bytes(m->model->grid->layout.n, &plan, m->model->precision)
                             : swe_config_model_bytes(m->config);
    *out = (cubeswe_info){.name = m->config->case_name,
                          .equations = physics->is_prescribed                ? "prescribed"
                                       : physics->equations == SWE_NONLINEAR ? "nonlinear"
                                                                             : "linear",
                          .backend = m->model->backend->name,
                          .device = s->device,
                          .configuration = s->configuration,
                          .note = s->note.text,
                          .n = m->model->grid->layout.n,
                          .order = m->model->sbp->order,
                          .threads = m->model->execution.threads,
                          .is_single = m->model->precision == SWE_PRECISION_SINGLE,
                          .time_step = s->schedule.dt,
                          .needs_whole_steps = s->schedule.records + s->schedule.stirring > 0,
                          .courant = swe_model_courant(m->model, s->schedule.dt),
                          .end = m->config->time.end,
                          .radius = physics->radius,
                          .gravity = physics->gravity,
                          .depth = physics->depth,
                          .rotation = physics->rotation,
                          .bytes = bytes};
}

/* ---- time ------------------------------------------------------------------------------------ */

double cubeswe_time(const cubeswe_model *m)
{
    return m->base + (double)(m->steps - m->base_steps) * m->dt;
}

long cubeswe_steps(const cubeswe_model *m)
{
    return m->steps;
}

/* Count the time from `base`, now, in steps of dt. */
static void count_from(cubeswe_model *m, double base, double dt)
{
    m->base = base;
    m->base_steps = m->steps;
    m->dt = dt;
}

/* Change the forcing that is due after the steps, unless it has been. */
static swe_status change_forcing(swe_context *ctx, cubeswe_model *m)
{
    if (m->changed == m->steps)
        return SWE_OK;
    const swe_schedule *due = &m->simulation->schedule;
    const bool reads = swe_is_every(m->steps, due->records);
    if (reads)
        library_begin_files();
    const swe_status status = swe_forcing_change(ctx, due, m->model, m->steps);
    if (reads)
        library_end_files(status);
    if (status == SWE_OK)
        m->changed = m->steps;
    return status;
}

/* Advance by steps of m->dt. Forcing changes between steps, as in a run. */
static swe_status advance(swe_context *ctx, cubeswe_model *m, long count)
{
    const swe_schedule *due = &m->simulation->schedule;
    for (; m->force != NULL && count > 0; count--, m->steps++)
        SWE_TRY(library_step_forced(ctx, m));
    SWE_TRY(change_forcing(ctx, m)); /* if it failed after the steps before */
    while (count > 0) {
        const long next = swe_forcing_steps(due, m->steps, count);
        m->model->clock = due->records > 0 /* all steps are equal, as in a run */
                              ? (swe_clock){0.0, m->steps, m->dt}
                              : (swe_clock){m->base, m->steps - m->base_steps, m->dt};
        SWE_TRY(swe_model_advance(ctx, m->model, m->dt, next));
        m->steps += next;
        count -= next;
        SWE_TRY(change_forcing(ctx, m));
    }
    return SWE_OK;
}

static swe_status measure(swe_context *ctx, cubeswe_model *m, swe_integrals *out)
{
    SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(swe_integrals_measure(ctx, m->model, out));
    return swe_limits_check(ctx, m->model, out, m->simulation->schedule.dt, m->steps);
}

/* Begin and end a call that advances the model. */
static swe_status begin_advance(swe_context *ctx, cubeswe_model *m)
{
    SWE_TRY(library_enter(ctx, m, true));
    SWE_TRY(library_check_between_steps(ctx, m));
    m->is_advancing = true;
    m->advancing_by = pthread_self();
    return SWE_OK;
}

static cubeswe_status end_advance(cubeswe_model *m, swe_status status, const swe_context *ctx,
                                  cubeswe_error *error)
{
    const bool is_own = m->is_advancing && pthread_equal(m->advancing_by, pthread_self());
    m->is_advancing = m->is_advancing && (!is_own || m->is_in_step);
    library_leave(m);
    return library_end(status, ctx, error);
}

cubeswe_status cubeswe_step(cubeswe_model *m, long count, cubeswe_error *error)
{
    swe_context ctx = {""};
    swe_status status = begin_advance(&ctx, m);
    if (status == SWE_OK && count < 0)
        status = swe_fail(&ctx, SWE_USAGE, "%ld steps: a flow does not run back", count);
    if (status == SWE_OK && m->dt != m->simulation->schedule.dt)
        count_from(m, cubeswe_time(m), m->simulation->schedule.dt);
    if (status == SWE_OK)
        status = advance(&ctx, m, count);
    return end_advance(m, status, &ctx, error);
}

typedef struct poller {
    int (*poll)(void *data);
    void *data;
} poller;

/* Between two strides: other calls have the model, and the caller may stop. */
static bool is_stopped(cubeswe_model *m, const poller *poller)
{
    pthread_mutex_unlock(&m->lock);
    while (atomic_load(&m->waiting) > 0)
        sched_yield();
    const bool stops = poller->poll != NULL && poller->poll(poller->data) != 0;
    pthread_mutex_lock(&m->lock);
    return stops;
}

/* Advance by whole steps in strides of about `patience`, and check the state now and then. */
static swe_status advance_in_strides(swe_context *ctx, cubeswe_model *m, long steps,
                                     const poller *poller)
{
    const double patience = 0.05, between_checks = 1.0; /* [s] */
    double checked = swe_clock_seconds();
    long stride = swe_model_least_stride(m->model);
    for (long left = steps; left > 0;) {
        swe_integrals unused;
        const double start = swe_clock_seconds();
        const long count = stride < left ? stride : left;
        if (is_stopped(m, poller))
            return swe_fail(ctx, SWE_STOPPED, "stopped after step %ld, at %.9g s", m->steps,
                            cubeswe_time(m));
        SWE_TRY(advance(ctx, m, count));
        left -= count;
        const double now = swe_clock_seconds();
        if (now - start < patience)
            stride *= 2;
        if (now - checked > between_checks) {
            SWE_TRY(measure(ctx, m, &unused));
            checked = now;
        }
    }
    return SWE_OK;
}

/* Equal steps until a time: of the model's length if they reach it up to rounding, else shorter. */
static swe_status plan_steps(swe_context *ctx, cubeswe_model *m, double time, long *steps)
{
    const swe_schedule *schedule = &m->simulation->schedule;
    const double now = cubeswe_time(m), exact = (time - now) / schedule->dt,
                 whole = ceil(exact - 1e-6);
    if (!(exact >= -1e-6 && whole < 1e18))
        return swe_fail(ctx, SWE_USAGE, "time %.9g s: the model is at %.9g s", time, now);
    *steps = whole > 0.0 ? (long)whole : 0;
    if (*steps == 0)
        count_from(m, time, schedule->dt);
    else if (whole - exact <= 1e-6)
        count_from(m, now, schedule->dt);
    else if (schedule->stirring > 0 || schedule->records > 0)
        return swe_fail(ctx, SWE_USAGE,
                        "time %.9g s: forcing%s.interval needs a whole number of steps of %.9g s",
                        time, schedule->stirring > 0 ? ".stirring" : "", schedule->dt);
    else
        count_from(m, now, (time - now) / whole);
    return SWE_OK;
}

static swe_status advance_until(swe_context *ctx, cubeswe_model *m, double time,
                                const poller *poller)
{
    long steps = 0;
    swe_integrals unused;
    SWE_TRY(plan_steps(ctx, m, time, &steps));
    SWE_TRY(measure(ctx, m, &unused)); /* what was set may be too fast */
    SWE_TRY(advance_in_strides(ctx, m, steps, poller));
    if (steps > 0)
        count_from(m, time, m->dt);
    return measure(ctx, m, &unused);
}

cubeswe_status cubeswe_advance(cubeswe_model *m, double time, int (*poll)(void *data), void *data,
                               cubeswe_error *error)
{
    swe_context ctx = {""};
    swe_status status = begin_advance(&ctx, m);
    if (status == SWE_OK)
        status = advance_until(&ctx, m, time, &(poller){poll, data});
    return end_advance(m, status, &ctx, error);
}

/* ---- diagnostics ----------------------------------------------------------------------------- */

cubeswe_status cubeswe_diagnose(cubeswe_model *m, cubeswe_diagnostics *out, cubeswe_error *error)
{
    swe_context ctx = {""};
    swe_integrals of;
    swe_status status = library_enter(&ctx, m, false);
    if (status == SWE_OK)
        status = measure(&ctx, m, &of);
    const bool is_nonlinear = m->model->physics.equations == SWE_NONLINEAR;
    const double dt = m->simulation->schedule.dt;
    if (status == SWE_OK)
        *out = (cubeswe_diagnostics){
            .mass = of.mass,
            .energy = of.energy,
            .circulation = of.circulation,
            .potential_enstrophy = is_nonlinear ? of.potential_enstrophy : 0.0,
            .least_h = of.lowest.value,
            .greatest_h = of.highest.value,
            .fastest = is_nonlinear ? of.fastest.value : 0.0,
            .courant = is_nonlinear ? swe_limits_flow_courant(m->model, &of, dt)
                                    : swe_model_courant(m->model, dt)};
    library_leave(m);
    return library_end(status, &ctx, error);
}
