/* What the equations conserve, and the extremes, of a model's state. */
#ifndef SWE_DIAGNOSTICS_BUDGETS_H
#define SWE_DIAGNOSTICS_BUDGETS_H

#include "state/model.h"

typedef struct swe_budgets {
    double mass;        /* int h dA [m3] */
    double mass_scale;  /* int |h| dA [m3]: what a mass drift is relative to */
    double energy;      /* 1/2 g <h,h> + 1/2 H0 (<v1,F1> + <v2,F2>) [m5 s-2] */
    double circulation; /* sum of the vorticity over all cells [m2 s-1] */
    double shear;       /* the same sum of |d_1 v2| + |d_2 v1|: what a circulation is relative to */
    double max_h;       /* max |h| [m]; not finite if any h is not */
    int max_panel, max_j, max_i;
} swe_budgets;

/* Measure the state of a model: its device sums every row, the host adds the rows in their order,
 * compensated. Errors: SWE_INTERNAL. */
swe_status swe_budgets_measure(swe_context *ctx, swe_model *model, swe_budgets *out);

#endif
