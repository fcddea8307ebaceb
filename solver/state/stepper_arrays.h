/* What a stepper consists of, for sources of its own precision (base/real.h). */
#ifndef SWE_STATE_STEPPER_ARRAYS_H
#define SWE_STATE_STEPPER_ARRAYS_H

#include "base/real.h"
#include "state/stepper.h"
#include "time/rk4_step.h"

enum { STEPPER_ARRAYS = 16, STEPPER_CHUNK = 1 << 14 };

struct swe_stepper {
    const swe_backend *backend;
    swe_device *device;
    const swe_stage_table *stages;
    swe_view view;                /* what the stages read, in device memory */
    swe_step_fields fields;       /* device memory */
    double *budgets;              /* of rows, device memory */
    void *memory[STEPPER_ARRAYS]; /* every device array that the stepper owns */
    int memory_count;
    real chunk[STEPPER_CHUNK]; /* of host memory, between precisions */
};

#endif
