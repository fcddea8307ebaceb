/* One classical RK4 step. */
#ifndef SWE_TIME_RK4_STEP_H
#define SWE_TIME_RK4_STEP_H

#include "stages/rhs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays of a time step, in the backend's memory. */
typedef struct swe_step_fields {
    swe_fields y;    /* the state */
    swe_fields k;    /* a tendency */
    swe_fields sum;  /* y and the weighted tendencies so far */
    swe_fields next; /* the state at which the next tendency is taken */
    swe_work work;
} swe_step_fields;

/* y(t) -> y(t + dt). */
void swe_rk4_step(const swe_stage_table *stages, const swe_view *view, swe_step_fields fields,
                  double dt);

#ifdef __cplusplus
}
#endif
#endif
