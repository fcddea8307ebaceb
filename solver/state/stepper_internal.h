/* Contents of a stepper. Include it only in sources of the same precision (base/real.h). */
#ifndef SWE_STATE_STEPPER_INTERNAL_H
#define SWE_STATE_STEPPER_INTERNAL_H

#include "base/real.h"
#include "state/stepper.h"
#include "time/step.h"

enum { STEPPER_ARRAYS = 16 + SWE_WORK_COUNT, STEPPER_CHUNK = 1 << 14 };

struct swe_stepper {
    const swe_backend *backend;
    swe_device *device;
    const swe_stage_table *stages;
    swe_execution execution;
    swe_params params;      /* kernel parameters; the arrays they point to are device memory */
    swe_step_fields fields; /* device memory */
    swe_step_plan plans[SWE_PIPELINES];
    real *bottom;      /* device memory, also params.bottom; NULL if the flow is non-rotating */
    double *integrals; /* integrals of each row, device memory */
    void *memory[STEPPER_ARRAYS]; /* every device array that the stepper owns */
    int memory_count;
    real chunk[STEPPER_CHUNK]; /* host buffer for conversions between precisions */
};

/* Vorticity of a nonlinear flow for the integrals: in the states Y1 to Y3, reused as scratch. */
static inline real *stepper_vorticity(const swe_stepper *s)
{
    return swe_step_scratch(&s->params, &s->fields) + 4 * s->params.layout.field;
}

#endif
