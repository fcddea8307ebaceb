/* What a stepper consists of, for sources of its own precision (base/real.h). */
#ifndef SWE_STATE_STEPPER_ARRAYS_H
#define SWE_STATE_STEPPER_ARRAYS_H

#include "base/real.h"
#include "state/stepper.h"
#include "time/rk4_step.h"

enum { STEPPER_ARRAYS = 20, STEPPER_CHUNK = 1 << 14 };

struct swe_stepper {
    const swe_backend *backend;
    swe_device *device;
    const swe_stage_table *stages;
    swe_view view;                /* what the stages read, in device memory */
    swe_step_fields fields;       /* device memory */
    real *bottom;                 /* device memory, the view's; NULL where the flow does not turn */
    double *budgets;              /* of rows, device memory */
    void *memory[STEPPER_ARRAYS]; /* every device array that the stepper owns */
    int memory_count;
    real chunk[STEPPER_CHUNK]; /* of host memory, between precisions */
};

/* Where budgets find the vorticity of a nonlinear flow: in what the next states lend. */
static inline real *stepper_vorticity(const swe_stepper *s)
{
    return swe_rk4_lent(&s->view, &s->fields) + 4 * s->view.layout.field;
}

/* Run one stage (SWE_STAGE_...) on the state, of rk4 and the sweeps all parts. */
void swe_stepper_stage(const swe_stepper *s, int stage, double dt);

#endif
