/* One classical RK4 step, by one of two pipelines. */
#ifndef SWE_TIME_RK4_STEP_H
#define SWE_TIME_RK4_STEP_H

#include "stages/rhs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays of a time step, in the backend's memory. */
typedef struct swe_step_fields {
    swe_fields y;    /* the state */
    swe_fields next; /* three states, one after the other: at which later tendencies are taken */
    swe_fields k;    /* a tendency; NULL where only the fused pipeline runs */
    swe_work work;   /* likewise */
} swe_step_fields;

/* y(t) -> y(t + dt). */
void swe_rk4_step(const swe_stage_table *stages, const swe_view *view, swe_pipeline pipeline,
                  swe_step_fields fields, double dt);

#ifdef __cplusplus
}
#endif
#endif
