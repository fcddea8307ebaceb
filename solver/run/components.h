/* Times of the components of a step: each stage of a flow, the right-hand side, a step, loops of
 * steps. Stages of both pipelines are timed; a stage that the model's pipeline does not call
 * belongs to a step of the other pipeline.
 *
 * A sample is a number of calls that last about a millisecond, followed by one wait for the device,
 * so that the clock and the wait contribute little; on a GPU the calls of a sample queue. Samples
 * of steps are loops. Samples that are not reliable are taken again for a while. */
#ifndef SWE_RUN_COMPONENTS_H
#define SWE_RUN_COMPONENTS_H

#include <stdbool.h>

#include "base/samples.h"
#include "stages/cost.h"
#include "stages/regions.h"
#include "state/model.h"
#include "time/plan.h"

enum {
    SWE_COMPONENT_RHS = SWE_STAGE_COUNT, /* preceded by the stages, in the order of their list */
    SWE_COMPONENT_STEP,                  /* one step and a wait, in a loop */
    SWE_COMPONENT_LOOP,     /* a step within a loop as in a run: steps start one after another, one
                               wait at the end */
    SWE_COMPONENT_CAPTURED, /* the loop as CUDA graphs; on one rank, if the backend has graphs */
    SWE_COMPONENT_OTHER_STEP, /* a step and a loop of the pipeline that is not the model's */
    SWE_COMPONENT_OTHER_LOOP,
    SWE_COMPONENT_COUNT
};

/* Steps of a loop, and steps of one graph. A graph has some hundreds of kernels, so that a launch
 * costs little compared with its kernels. */
enum { SWE_LOOP_STEPS = 20, SWE_CAPTURED_STEPS = 10 };

typedef struct swe_component {
    const char *name, *meaning; /* NULL: the model has no such component */
    swe_pipeline pipeline;      /* whose step calls it; the model's if its step does */
    int calls_per_step;         /* in a step of that pipeline; 0: no step of the case calls it */
    swe_quartiles seconds;      /* of one call */
} swe_component;

enum { SWE_MOST_PARTS = SWE_PART_COUNT + SWE_STAGE_COUNT };

typedef struct swe_components {
    swe_component row[SWE_COMPONENT_COUNT];
    bool captured; /* the captured loop has a row */
    /* samples of the parts of the stages in steps of the model's pipeline; static names */
    prof_part_samples part[SWE_MOST_PARTS];
    int part_count; /* 0: not sampled, or its stages have no parts */
} swe_components;

/* Number of calls of a stage, or of another component, in a step. */
int swe_component_calls(int component, const swe_step_plan *plan);

/* Static cost of a step: the sum over its stages of the cost of a call times the number of
 * calls. */
typedef struct swe_step_cost {
    int calls;
    double read, written; /* bytes */
    double flops;
} swe_step_cost;

swe_step_cost swe_step_cost_of(const swe_costs *costs, const swe_step_plan *plan);

/* Why the time of a row is not reliable; NULL: it is. */
const char *swe_component_doubt(const swe_components *components, int row);
/* The median of a row over the median of row `to`; NAN: a row is missing or not reliable. */
double swe_component_ratio(const swe_components *components, int row, int to);
/* Share of a stage or of the right-hand side in a step of its pipeline, within a loop; NAN for
 * others. */
double swe_component_share(const swe_components *components, int row);

/* Number of components of a model. */
int swe_components_count(const swe_model *model);

/* Add a row that was measured before. False if the model has no component of this name, or already
 * has its row. */
bool swe_components_add(const swe_model *model, const char *name, swe_quartiles seconds,
                        swe_components *out);

/* Add samples that were taken before; `part` is "" for the rest of a stage. False if no stage has
 * such a part, or the samples are there. */
bool swe_components_add_samples(const char *stage, const char *part, int64_t samples,
                                swe_components *out);

/* Callbacks that save rows as they are measured, and that end the measurement. */
typedef struct swe_components_keeper {
    swe_status (*keep)(swe_context *ctx, void *study); /* called after each row */
    const char *(*stop)(
        void);   /* called before each sample: the reason to end now; NULL: continue */
    void *study; /* argument of keep */
} swe_components_keeper;

/* Measure the components of a model that have no row yet, whole steps first, with `repeats` samples
 * each and steps of dt [s]. The model needs the arrays of both pipelines (all_arrays); its state
 * afterwards is meaningless. Errors: SWE_INTERNAL (the device failed), SWE_NO_MEMORY, SWE_STOPPED,
 * and the errors of `keep`. */
swe_status swe_components_measure(swe_context *ctx, swe_model *model, double dt, int repeats,
                                  const swe_components_keeper *keeper, swe_components *out);

/* Sample the parts of the model's stages in steps of dt [s] for two seconds, with a profiler of
 * parts (prof_parts_begin) that is not attached yet. Does nothing on a GPU, or if the pipeline's
 * stages have no parts. Errors: SWE_INTERNAL, SWE_STOPPED. */
swe_status swe_components_sample(swe_context *ctx, swe_model *model, double dt,
                                 prof_profiler *sampler, const swe_components_keeper *keeper,
                                 swe_components *out);

/* Record the one window of the model's profiler, of `steps` steps, after the warm-up of the
 * profiler, in strides of at most `steps` steps. Steps are launched as in a run. Errors:
 * SWE_INTERNAL, SWE_NO_MEMORY. */
swe_status swe_components_trace(swe_context *ctx, swe_model *model, double dt, int64_t steps);

#endif
