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
    const swe_field_set *prognostic; /* fields of a state */
    swe_params params;      /* kernel parameters; the arrays they point to are device memory */
    swe_step_fields fields; /* device memory */
    swe_step_plan plans[SWE_PIPELINES];
    swe_decomposition *decomposition; /* also params.decomposition; NULL: whole panels */
    double *field; /* host memory for one field of the blocks; NULL: whole panels */
    real *bottom;  /* device memory, also params.bottom; NULL if the flow is non-rotating */
    void *memory[STEPPER_ARRAYS]; /* every device array that the stepper owns */
    int memory_count;
    real chunk[STEPPER_CHUNK]; /* host buffer for conversions between precisions */
};

#endif
