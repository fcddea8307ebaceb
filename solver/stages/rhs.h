/* The right-hand side of the shallow-water equations, as a list of stages. */
#ifndef SWE_STAGES_RHS_H
#define SWE_STAGES_RHS_H

#include "stages/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A state or a tendency, in the backend's memory: h, v1, v2 one after the other. */
typedef struct swe_fields {
    real *h, *v1, *v2;
} swe_fields;

/* h, v1, v2 of a state that starts at `base`. */
SWE_POINT swe_fields swe_fields_at(const swe_layout *layout, real *base)
{
    const swe_fields fields = {base, base + layout->field, base + 2 * layout->field};
    return fields;
}

/* Intermediate fields of one evaluation, in the backend's memory. */
typedef struct swe_work {
    real *cross1, *cross2; /* (6, n+1, n+1) at vertices: cross terms, then means, then W */
    real *f1, *f2;         /* contravariant fluxes */
    real *edge;            /* (12, n+1) consensus flux out of side a */
    real *head;            /* (6, n+1, n+1) Bernoulli head; nonlinear */
    real *vorticity;       /* (6, n+1, n+1) relative, at vertices; nonlinear */
} swe_work;

/* dy = f(P y), P the projection. Makes y.h single-valued in place; where it already is, no bit of y
 * changes. */
void swe_rhs(const swe_stage_table *stages, const swe_view *view, swe_fields y, swe_work work,
             swe_fields dy);

#ifdef __cplusplus
}
#endif
#endif
