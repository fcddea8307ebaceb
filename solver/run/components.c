#include "run/components.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/tuning.h"

/* Time in which a component is measured again until its times are reliable [s]. */
static const double patience = 0.3;
/* Largest ratio of the summed times of the stages, timed one by one, to the time of a step. */
static const double most_of_all = 1.1;

_Static_assert(SWE_LOOP_STEPS % SWE_CAPTURED_STEPS == 0, "a loop is a whole number of graphs");

/* Components other than stages. */
static const struct {
    const char *name, *meaning;
} wholes[] = {{"rhs", "the right-hand side: projection to projection"},
              {"step", "a step of the case's pipeline and a wait, in a loop of both"},
              {"loop", "a step within a loop of steps"},
              {"captured", "a step within that loop, launched as a CUDA graph"},
              {"other step", "a step of the other pipeline and a wait, in a loop of both"},
              {"other loop", "a step of the other pipeline within a loop of steps"}};

static const char *name_of(int component)
{
    return component < SWE_STAGE_COUNT ? swe_stage_name(component)
                                       : wholes[component - SWE_STAGE_COUNT].name;
}

int swe_component_calls(int component, const swe_step_plan *plan)
{
    if (component == SWE_COMPONENT_RHS)
        return plan->pipeline == SWE_PIPELINE_STAGED ? SWE_SUBSTEPS : 0;
    return component < SWE_STAGE_COUNT ? swe_plan_calls(plan, component) : 1;
}

static swe_step_plan plan_of(const swe_model *model, swe_pipeline pipeline)
{
    return swe_step_plan_of(&model->physics, &model->fields, pipeline);
}

/* The pipeline whose step calls a component: the model's pipeline if its step calls the component,
 * or if neither pipeline does. */
static swe_pipeline pipeline_of(int component, const swe_model *model)
{
    const swe_pipeline other =
        model->pipeline == SWE_PIPELINE_STAGED ? SWE_PIPELINE_FUSED : SWE_PIPELINE_STAGED;
    const swe_step_plan plan = plan_of(model, model->pipeline),
                        plan_of_other = plan_of(model, other);
    if (component == SWE_COMPONENT_OTHER_STEP || component == SWE_COMPONENT_OTHER_LOOP)
        return other;
    return swe_component_calls(component, &plan) == 0 &&
                   swe_component_calls(component, &plan_of_other) > 0
               ? other
               : model->pipeline;
}

swe_step_cost swe_step_cost_of(const swe_costs *costs, const swe_step_plan *plan)
{
    swe_step_cost step = {.calls = 0};
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++) {
        const swe_cost *cost = &costs->stages[stage];
        const int calls = swe_component_calls(stage, plan);
        step.calls += calls;
        step.read += calls * swe_cost_bytes(cost, false);
        step.written += calls * swe_cost_bytes(cost, true);
        step.flops += calls * swe_cost_flops(cost->formula);
    }
    return step;
}

/* Calls of a component in one unit of swe_model_calls: for a stage, its calls in a whole step; for
 * a graph, its steps. */
static int count_of_call(const swe_model *model, int component, swe_pipeline pipeline)
{
    const swe_step_plan plan = swe_model_timed_plan(model, pipeline);
    if (component == SWE_COMPONENT_CAPTURED)
        return SWE_CAPTURED_STEPS;
    return component < SWE_STAGE_COUNT && component != SWE_STAGE_integrals
               ? swe_plan_calls(&plan, component)
               : 1;
}

/* The timed work: calls of a component, or launches of a graph of them. */
typedef struct timed {
    swe_model *model;
    double dt;
    int component;
    swe_pipeline pipeline; /* of steps */
    int64_t calls;         /* one after another */
    int rounds;            /* of a sample, each the calls and a wait */
    swe_graph *sequence;   /* graph of the calls; NULL: none */
} timed;

static swe_model_calls calls_of(const timed *t)
{
    const int what = t->component < SWE_STAGE_COUNT      ? t->component
                     : t->component == SWE_COMPONENT_RHS ? SWE_CALL_RHS
                                                         : SWE_CALL_STEP;
    return (swe_model_calls){what, t->pipeline, t->dt, t->calls, {0.0, 0, t->dt}};
}

/* Start the calls, to be captured. */
static void start_calls(void *argument)
{
    const timed *t = argument;
    const swe_model_calls calls = calls_of(t);
    swe_model_call(t->model, &calls);
}

/* Seconds of the rounds; a round is the calls, or the same number of launches, and one wait. */
static swe_status time_calls(swe_context *ctx, timed *t, double *seconds)
{
    const swe_backend *backend = t->model->backend;
    const double start = swe_clock_seconds();
    const swe_model_calls calls = calls_of(t);
    for (int round = 0; round < t->rounds; round++) {
        if (t->sequence == NULL)
            swe_model_start_calls(t->model, &calls);
        for (int64_t k = 0; t->sequence != NULL && k < t->calls; k++)
            backend->launch(t->model->device, t->sequence);
        SWE_TRY(swe_model_wait(ctx, t->model));
    }
    *seconds = swe_clock_seconds() - start;
    return SWE_OK;
}

/* Warm up, and find the number of calls that last about a millisecond. */
static swe_status find_calls(swe_context *ctx, timed *t)
{
    double seconds = 0.0;
    t->calls = 1;
    SWE_TRY(time_calls(ctx, t, &seconds)); /* the first call is slow */
    for (;;) {
        SWE_TRY(time_calls(ctx, t, &seconds));
        if (seconds >= 1e-3 || t->calls >= 1 << 14)
            return SWE_OK;
        t->calls *= 2;
    }
}

/* Warm up and find the number of calls of a sample. */
static swe_status prepare(swe_context *ctx, timed *t)
{
    double seconds = 0.0;
    if (t->component < SWE_COMPONENT_STEP)
        return find_calls(ctx, t);
    t->calls = 1; /* the first launch also uploads the graph */
    SWE_TRY(time_calls(ctx, t, &seconds));
    if (t->component == SWE_COMPONENT_STEP || t->component == SWE_COMPONENT_OTHER_STEP)
        t->rounds = SWE_LOOP_STEPS;
    else
        t->calls = SWE_LOOP_STEPS / count_of_call(t->model, t->component, t->pipeline);
    return SWE_OK;
}

static swe_component row_of(const swe_model *model, int component, swe_quartiles seconds)
{
    const swe_pipeline pipeline = pipeline_of(component, model);
    const swe_step_plan plan = plan_of(model, pipeline);
    const char *meaning = component < SWE_STAGE_COUNT ? swe_stage_meaning(component)
                                                      : wholes[component - SWE_STAGE_COUNT].meaning;
    return (swe_component){name_of(component), meaning, pipeline,
                           swe_component_calls(component, &plan), seconds};
}

static swe_status sample(swe_context *ctx, timed *t, int repeats,
                         const swe_components_keeper *keeper, swe_quartiles *out)
{
    swe_samples samples = {.count = 0};
    double seconds = 0.0;
    const swe_watch watch = swe_watch_start();
    for (int repeat = 0; repeat < repeats; repeat++) {
        if (keeper->stop() != NULL)
            return swe_fail(ctx, SWE_STOPPED, "%s: stopped", keeper->stop());
        SWE_TRY(time_calls(ctx, t, &seconds));
        swe_samples_add(&samples, seconds / ((double)(t->calls * t->rounds) *
                                             count_of_call(t->model, t->component, t->pipeline)));
    }
    *out = swe_samples_quartiles(&samples);
    out->waited = swe_watch_waited(&watch);
    return SWE_OK;
}

/* Sample until the times are reliable, or patience ends. */
static swe_status sample_reliably(swe_context *ctx, timed *t, int repeats,
                                  const swe_components_keeper *keeper, swe_component *out)
{
    swe_quartiles seconds;
    SWE_TRY(prepare(ctx, t));
    const double end = swe_clock_seconds() + swe_tuning_patience(patience);
    do
        SWE_TRY(sample(ctx, t, repeats, keeper, &seconds));
    while (swe_doubt_of(&seconds) != NULL && swe_clock_seconds() < end);
    *out = row_of(t->model, t->component, seconds);
    return SWE_OK;
}

static swe_status measure(swe_context *ctx, swe_model *model, int component, double dt, int repeats,
                          const swe_components_keeper *keeper, swe_component *out)
{
    const swe_backend *backend = model->backend;
    timed t = {model, dt, component, pipeline_of(component, model), SWE_CAPTURED_STEPS, 1, NULL};
    if (component == SWE_COMPONENT_CAPTURED)
        SWE_TRY(backend->capture(ctx, model->device, start_calls, &t, &t.sequence));
    const swe_status status = sample_reliably(ctx, &t, repeats, keeper, out);
    if (t.sequence != NULL)
        backend->destroy_graph(model->device, &t.sequence);
    return status;
}

/* Whether steps of either pipeline call a stage; the stage of diagnostics, too. */
static bool has_stage(const swe_model *model, int stage)
{
    bool has = stage == SWE_STAGE_integrals;
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
        const swe_step_plan plan = swe_model_timed_plan(model, (swe_pipeline)pipeline);
        has = has || swe_plan_calls(&plan, stage) > 0;
    }
    return has;
}

/* Whether a model has a component. Dissipation needs more cells than steps without it, a prescribed
 * flow has no right-hand side. */
static bool has_component(const swe_model *model, int component)
{
    swe_context quiet = {""};
    if (component == SWE_COMPONENT_RHS && model->physics.is_prescribed)
        return false;
    if (component < SWE_STAGE_COUNT)
        return has_stage(model, component) &&
               (component != SWE_STAGE_dissipation ||
                swe_sbp_check_spread(&quiet, model->sbp->order, model->closure,
                                     model->grid->layout.n) == SWE_OK);
    return component != SWE_COMPONENT_CAPTURED ||
           (swe_model_has_graphs(model) && swe_ranks_count() == 1);
}

int swe_components_count(const swe_model *model)
{
    int count = 0;
    for (int component = 0; component < SWE_COMPONENT_COUNT; component++)
        count += has_component(model, component);
    return count;
}

static void store_row(int component, swe_component row, swe_components *out)
{
    out->row[component] = row;
    out->captured |= component == SWE_COMPONENT_CAPTURED;
}

bool swe_components_add(const swe_model *model, const char *name, swe_quartiles seconds,
                        swe_components *out)
{
    int component = 0;
    while (component < SWE_COMPONENT_COUNT && strcmp(name_of(component), name) != 0)
        component++;
    if (component == SWE_COMPONENT_COUNT || !has_component(model, component) ||
        out->row[component].name != NULL)
        return false;
    store_row(component, row_of(model, component, seconds), out);
    return true;
}

swe_status swe_components_measure(swe_context *ctx, swe_model *model, double dt, int repeats,
                                  const swe_components_keeper *keeper, swe_components *out)
{
    timed step = {model, dt, SWE_COMPONENT_STEP, model->pipeline, 2, 1, NULL};
    double seconds = 0.0;
    SWE_TRY(time_calls(ctx, &step, &seconds)); /* touches every array */
    for (int k = 0; k < SWE_COMPONENT_COUNT; k++) {
        const int component = (SWE_COMPONENT_STEP + k) % SWE_COMPONENT_COUNT;
        swe_component row;
        if (!has_component(model, component) || out->row[component].name != NULL)
            continue;
        SWE_TRY(measure(ctx, model, component, dt, repeats, keeper, &row));
        store_row(component, row, out);
        SWE_TRY(keeper->keep(ctx, keeper->study));
    }
    return SWE_OK;
}

/* ---- ratios ---------------------------------------------------------------------------------- */

/* The loop of steps that call a component. */
static int loop_of(const swe_components *c, int row)
{
    return c->row[row].pipeline == c->row[SWE_COMPONENT_LOOP].pipeline ? SWE_COMPONENT_LOOP
                                                                       : SWE_COMPONENT_OTHER_LOOP;
}

/* Time of a component, and of all stages of its pipeline, in a step, as a share of a loop's step.
 */
static double part_of_loop(const swe_components *c, int row)
{
    return c->row[row].calls_per_step * c->row[row].seconds.median /
           c->row[loop_of(c, row)].seconds.median;
}

const char *swe_component_doubt(const swe_components *c, int row)
{
    const int loop = loop_of(c, row);
    const char *why = swe_doubt_of(&c->row[row].seconds);
    if (why != NULL || row >= SWE_COMPONENT_STEP || c->row[row].calls_per_step == 0 ||
        c->row[loop].name == NULL || swe_doubt_of(&c->row[loop].seconds) != NULL)
        return why;
    if (part_of_loop(c, row) > 1.0)
        return "the calls take longer than the step that has them";
    double all = 0.0;
    for (int k = 0; k < SWE_STAGE_COUNT; k++)
        if (c->row[k].name != NULL && loop_of(c, k) == loop)
            all += part_of_loop(c, k);
    return all > most_of_all ? "all calls take longer than the step that has them" : NULL;
}

double swe_component_ratio(const swe_components *c, int row, int to)
{
    const bool is_reliable = c->row[row].name != NULL && c->row[to].name != NULL &&
                             swe_component_doubt(c, row) == NULL &&
                             swe_component_doubt(c, to) == NULL;
    return is_reliable ? c->row[row].seconds.median / c->row[to].seconds.median : NAN;
}

double swe_component_share(const swe_components *c, int row)
{
    return row < SWE_COMPONENT_STEP && c->row[row].calls_per_step > 0
               ? c->row[row].calls_per_step * swe_component_ratio(c, row, loop_of(c, row))
               : NAN;
}

/* ---- parts of stages ------------------------------------------------------------------------- */

bool swe_components_add_samples(const char *stage, const char *part, int64_t samples,
                                swe_components *out)
{
    int k = 0;
    while (k < SWE_PART_COUNT && (strcmp(swe_parts[k].stage, stage) != 0 ||
                                  (part[0] != '\0' && strcmp(swe_parts[k].name, part) != 0)))
        k++;
    if (k == SWE_PART_COUNT)
        return false;
    const char *name = part[0] != '\0' ? swe_parts[k].name : NULL;
    for (int m = 0; m < out->part_count;
         m++) /* both names point into swe_parts, or are NULL: pointers are compared */
        if (out->part[m].stage == swe_parts[k].stage && out->part[m].name == name)
            return false;
    out->part[out->part_count++] = (prof_part_samples){swe_parts[k].stage, name, samples};
    return true;
}

/* Run steps until a time has passed. The number of steps in one parallel region grows. */
static swe_status run_seconds(swe_context *ctx, swe_model *model, double dt, double seconds,
                              const swe_components_keeper *keeper)
{
    const double end = swe_clock_seconds() + seconds;
    long stride = 1;
    while (swe_clock_seconds() < end) {
        const double start = swe_clock_seconds();
        if (keeper->stop() != NULL)
            return swe_fail(ctx, SWE_STOPPED, "%s: stopped", keeper->stop());
        SWE_TRY(swe_model_advance(ctx, model, dt, stride));
        if (swe_clock_seconds() - start < 0.01 * seconds)
            stride *= 2;
    }
    return SWE_OK;
}

static bool has_parts(const swe_model *model)
{
    const swe_step_plan plan = plan_of(model, model->pipeline);
    for (int k = 0; k < SWE_PART_COUNT; k++)
        for (int stage = 0; stage < SWE_STAGE_COUNT; stage++)
            if (strcmp(swe_parts[k].stage, swe_stage_name(stage)) == 0 &&
                swe_plan_calls(&plan, stage) > 0)
                return true;
    return false;
}

swe_status swe_components_sample(swe_context *ctx, swe_model *model, double dt,
                                 prof_profiler *sampler, const swe_components_keeper *keeper,
                                 swe_components *out)
{
    prof_profiler *profiler = model->execution.profiler;
    prof_parts parts;
    if (model->execution.team == NULL || !has_parts(model))
        return SWE_OK;
    prof_attach(sampler, &(prof_device){.name = "", .threads = model->execution.threads});
    prof_at_step(sampler, 0);
    swe_model_set_profiler(model, sampler);
    prof_parts_begin(sampler);
    const swe_status status = run_seconds(ctx, model, dt, swe_tuning_patience(2.0), keeper);
    prof_parts_end(sampler, &parts);
    swe_model_set_profiler(model, profiler);
    for (int k = 0; k < parts.count && status == SWE_OK; k++)
        swe_components_add_samples(parts.part[k].stage,
                                   parts.part[k].name != NULL ? parts.part[k].name : "",
                                   parts.part[k].samples, out);
    free(parts.part);
    return status;
}

/* ---- the window ------------------------------------------------------------------------------ */

static swe_status run_stride(swe_context *ctx, swe_model *model, double dt, int64_t count)
{
    prof_profiler *profiler = model->execution.profiler;
    const double start = swe_clock_seconds();
    prof_begin(profiler, SWE_REGION_steps);
    const swe_status status = swe_model_advance(ctx, model, dt, (long)count);
    prof_end(profiler);
    prof_add_stride(profiler, count, swe_clock_seconds() - start);
    return status;
}

swe_status swe_components_trace(swe_context *ctx, swe_model *model, double dt, int64_t steps)
{
    prof_profiler *profiler = model->execution.profiler;
    const int64_t end = prof_warm_up(profiler) + steps;
    swe_model_record_peaks(model);
    for (int64_t step = 0; step < end;) {
        prof_at_step(profiler, step);
        const int64_t count = prof_steps_to_edge(profiler, step, steps);
        SWE_TRY(run_stride(ctx, model, dt, count)); /* a failure leaves the window incomplete */
        step += count;
    }
    prof_at_step(profiler, end);
    return SWE_OK;
}
