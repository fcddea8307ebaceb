/* The cost of each component: every stage of a flow, the right-hand side, a step, loops of steps.
 * Both pipelines are timed: a component that the model's does not call belongs to the other's step.
 *
 * What is otherwise done by hand: warm up, repeat, wait for the device, divide. A sample is
 * as many calls as take about a millisecond, followed by one wait, so that neither the clock nor
 * the wait is what is measured; on a GPU the calls of a sample queue behind each other. */
#ifndef SWE_MODEL_COMPONENTS_H
#define SWE_MODEL_COMPONENTS_H

#include <stdbool.h>

#include "samples.h"
#include "stages/cost.h"
#include "stages/stages.h"
#include "state/model.h"

enum {
    SWE_COMPONENT_RHS = SWE_STAGE_COUNT, /* the stages come first, in the order of their list */
    SWE_COMPONENT_STEP,                  /* one step, waited for */
    SWE_COMPONENT_LOOP,       /* a step within a loop as a run has it: started one after another,
                                 waited for at the end of the loop */
    SWE_COMPONENT_CAPTURED,   /* the same loop replayed from recorded steps; only where the backend
                                 records (a CUDA graph) */
    SWE_COMPONENT_OTHER_STEP, /* a step and a loop of the pipeline that is not the model's */
    SWE_COMPONENT_OTHER_LOOP,
    SWE_COMPONENT_COUNT
};

/* Steps of a loop, and of them in one recorded sequence: some hundreds of kernels, so that starting
 * a sequence costs little beside what it starts. */
enum { SWE_LOOP_STEPS = 20, SWE_CAPTURED_STEPS = 10 };

typedef struct swe_component {
    const char *name, *meaning; /* NULL: the model has no such component */
    swe_pipeline pipeline;      /* whose step calls it: the model's if that does */
    int calls_per_step;         /* of that pipeline; 0: no step of the case calls it */
    prof_quartiles seconds;     /* per call */
} swe_component;

typedef struct swe_components {
    swe_component row[SWE_COMPONENT_COUNT];
    bool captured; /* the backend records, and there is a captured loop */
} swe_components;

/* What decides which stages a step is made of. */
typedef struct swe_step_plan {
    swe_flow flow;
    swe_pipeline pipeline;
    bool damps, dissipates; /* at its end */
} swe_step_plan;

swe_step_plan swe_step_plan_of(const swe_physics *physics, swe_pipeline pipeline);

/* How many times a stage, or another component, stands in a step. */
int swe_component_calls(int component, const swe_step_plan *plan);

/* What a step must do at the least: the static cost of its stages, as often as it calls them. */
typedef struct swe_step_cost {
    int calls;
    double read, written; /* bytes */
    double flops;
} swe_step_cost;

swe_step_cost swe_step_cost_of(const swe_costs *costs, const swe_step_plan *plan);

/* Measure all components of a model, which has room for all stages of its flow (all_arrays): at
 * least `repeats` samples each, steps of dt. The model's state afterwards is of no use. Errors:
 * SWE_INTERNAL (the device failed), SWE_NO_MEMORY. */
swe_status swe_components_measure(swe_context *ctx, swe_model *model, double dt, int repeats,
                                  swe_components *out);

/* Record a window of the model's profiler: a step to warm up, then, where the backend records, a
 * replay of a recorded sequence, and `steps` steps one after another. The profiler's schedule is
 * one window of `steps` after one step. Errors: as above. */
swe_status swe_components_trace(swe_context *ctx, swe_model *model, double dt, int64_t steps);

#endif
