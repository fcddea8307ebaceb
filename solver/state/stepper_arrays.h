/* What a stepper consists of, for sources of its own precision (base/real.h). */
#ifndef SWE_STATE_STEPPER_ARRAYS_H
#define SWE_STATE_STEPPER_ARRAYS_H

#include "base/real.h"
#include "state/stepper.h"
#include "time/step.h"

enum { STEPPER_ARRAYS = 16 + SWE_WORK_COUNT, STEPPER_CHUNK = 1 << 14 };

struct swe_stepper {
    const swe_backend *backend;
    swe_device *device;
    const swe_stage_table *stages;
    swe_execution execution;
    swe_params params;      /* what the stages read, in device memory */
    swe_step_fields fields; /* device memory */
    swe_step_plan plans[SWE_PIPELINES];
    real *bottom;      /* device memory, that of params; NULL where the flow does not turn */
    double *integrals; /* of rows, device memory */
    void *memory[STEPPER_ARRAYS]; /* every device array that the stepper owns */
    int memory_count;
    real chunk[STEPPER_CHUNK]; /* of host memory, between precisions */
};

/* Where integrals find the vorticity of a nonlinear flow: in what the next states lend. */
static inline real *stepper_vorticity(const swe_stepper *s)
{
    return swe_step_scratch(&s->params, &s->fields) + 4 * s->params.layout.field;
}

#endif
