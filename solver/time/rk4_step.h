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
    swe_fields next; /* Y1, of three states at which later tendencies are taken, view->next apart */
    swe_fields k;    /* a tendency; NULL where only the fused pipeline runs */
    swe_work work;   /* likewise */
    swe_sweep sweep; /* where the flow turns and the fused pipeline runs */
} swe_step_fields;

/* y(t) -> y(t + dt). The four states are one after the other, y at one end, Y1, Y2 and Y3 from the
 * other end on. A step that may not write to y while others read it leaves its result in the place
 * of Y1, and the next one goes the other way: of a view that walks the step turns the view and the
 * fields, which threads then may not share. */
void swe_rk4_step(const swe_stage_table *stages, swe_view *view, swe_pipeline pipeline,
                  swe_step_fields *fields, double dt);

/* Room of three states, one after the other, that the next ones lend between steps. */
SWE_POINT real *swe_rk4_lent(const swe_view *view, const swe_step_fields *fields)
{
    return view->next > 0 ? fields->next.h : fields->next.h + 2 * view->next;
}

#ifdef __cplusplus
}
#endif
#endif
