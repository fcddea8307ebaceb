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
#include "state/model.h"
#include "time/plan.h"

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
    bool captured; /* the captured loop has a row */
} swe_components;

/* How many times a stage, or another component, stands in a step. */
int swe_component_calls(int component, const swe_step_plan *plan);

/* What a step must do at the least: the static cost of its stages, as often as it calls them. */
typedef struct swe_step_cost {
    int calls;
    double read, written; /* bytes */
    double flops;
} swe_step_cost;

swe_step_cost swe_step_cost_of(const swe_costs *costs, const swe_step_plan *plan);

/* Components that a model has. */
int swe_components_count(const swe_model *model);

/* Take a row that was measured before. False: the model has no component of this name, or its row
 * is there. */
bool swe_components_take(const swe_model *model, const char *name, prof_quartiles seconds,
                         swe_components *out);

/* Who keeps rows as they are measured. */
typedef struct swe_components_keeper {
    swe_status (*keep)(swe_context *ctx, void *study); /* after every row */
    const char *(*stop)(void); /* asked before every sample: why to end now; NULL: go on */
    void *study;
} swe_components_keeper;

/* Measure the components of a model that have no row yet, those of whole steps first. The model has
 * room for all stages of its flow (all_arrays); its state afterwards is of no use. At least
 * `repeats` samples each, steps of dt. Errors: SWE_INTERNAL (the device failed), SWE_NO_MEMORY,
 * SWE_STOPPED, those of `keep`. */
swe_status swe_components_measure(swe_context *ctx, swe_model *model, double dt, int repeats,
                                  const swe_components_keeper *keeper, swe_components *out);

/* Record a window of the model's profiler: a step to warm up, then, where the backend records, a
 * replay of a recorded sequence, and `steps` steps one after another. The profiler's schedule is
 * one window of `steps` after one step. Errors: as above. */
swe_status swe_components_trace(swe_context *ctx, swe_model *model, double dt, int64_t steps);

#endif
