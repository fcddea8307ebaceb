/* One classical RK4 step, by one of two pipelines. */
#ifndef SWE_TIME_RK4_STEP_H
#define SWE_TIME_RK4_STEP_H

#include "stages/rhs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the first sweep of the fused pipeline leaves for the second (transport_point.h); a CPU's
 * sets only what the cells that it leaves take, and margin. */
typedef struct swe_sweep {
    real *head, *turned1, *turned2; /* (6, n+1, n+1); linear: no head */
    real *margin;                   /* (6, 4, n+1) */
} swe_sweep;

/* Arrays of a time step, in the backend's memory. */
typedef struct swe_step_fields {
    swe_fields y;    /* the state */
    swe_fields next; /* three states, one after the other: at which later tendencies are taken */
    swe_fields k;    /* a tendency; NULL where only the fused pipeline runs */
    swe_work work;   /* likewise */
    swe_sweep sweep; /* where the flow turns and the fused pipeline runs */
} swe_step_fields;

/* y(t) -> y(t + dt). */
void swe_rk4_step(const swe_stage_table *stages, const swe_view *view, swe_pipeline pipeline,
                  swe_step_fields fields, double dt);

#ifdef __cplusplus
}
#endif
#endif
