/* The cost of each component: every stage, the right-hand side, a step, a loop of steps.
 *
 * What is otherwise done by hand: warm up, repeat, wait for the device, divide. A sample is
 * as many calls as take about a millisecond, followed by one wait, so that neither the clock nor
 * the wait is what is measured; on a GPU the calls of a sample queue behind each other. */
#ifndef SWE_MODEL_COMPONENTS_H
#define SWE_MODEL_COMPONENTS_H

#include "samples.h"
#include "stages/stages.h"
#include "state/model.h"

enum {
    SWE_COMPONENT_RHS = SWE_STAGE_COUNT, /* the stages come first, in the order of their list */
    SWE_COMPONENT_STEP,                  /* one step, waited for */
    SWE_COMPONENT_LOOP,                  /* a step within a loop of many, waited for at its end */
    SWE_COMPONENT_COUNT
};

typedef struct swe_component {
    const char *name, *meaning;
    int calls_per_step;
    prof_quartiles seconds; /* per call */
} swe_component;

/* Measure all components of a model: at least `repeats` samples each, a loop being `loop_steps` of
 * dt. The model's state afterwards is of no use. Errors: SWE_INTERNAL (the device failed). */
swe_status swe_components_measure(swe_context *ctx, swe_model *model, double dt, int repeats,
                                  int loop_steps, swe_component out[SWE_COMPONENT_COUNT]);

#endif
