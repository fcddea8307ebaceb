/* What the equations conserve, and the extremes, of a model's state. */
#ifndef SWE_DIAGNOSTICS_INTEGRALS_H
#define SWE_DIAGNOSTICS_INTEGRALS_H

#include "state/model.h"

/* A value and where it is; the first that is not finite if any is not. */
typedef struct swe_extreme {
    double value;
    int panel, j, i;
} swe_extreme;

typedef struct swe_integrals {
    double mass;        /* int h dA [m3] */
    double mass_scale;  /* int |h| dA [m3]: what a mass drift is relative to */
    double energy;      /* g (1/2 <h,h> + <h,b>) + 1/2 (<v1,F1> + <v2,F2>), linear: the latter
                           times H0 [m5 s-2] */
    double circulation; /* sum of the vorticity over all cells [m2 s-1] */
    double shear;       /* the same sum of |d_1 v2| + |d_2 v1|: what a circulation is relative to */
    swe_extreme highest; /* |h| [m] */
    swe_extreme lowest;  /* h [m], the least */
    /* Nonlinear: */
    double potential_enstrophy; /* 1/2 int h q^2 dA, q = (zeta + f)/h [m s-2] */
    swe_extreme fastest;        /* |u| + sqrt(g h) [m s-1] */
} swe_integrals;

/* Measure the state of a model: its device sums every row, the host adds the rows in their order,
 * compensated. Errors: SWE_INTERNAL. */
swe_status swe_integrals_measure(swe_context *ctx, swe_model *model, swe_integrals *out);

#endif
