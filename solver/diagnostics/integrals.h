/* Global integrals of a state (mass, energy, circulation, potential enstrophy) and its extremes. */
#ifndef SWE_DIAGNOSTICS_INTEGRALS_H
#define SWE_DIAGNOSTICS_INTEGRALS_H

#include "state/model.h"

/* An extreme value and its position; if any value is not finite, the first such value. */
typedef struct swe_extreme {
    double value;
    int panel, j, i;
} swe_extreme;

typedef struct swe_integrals {
    double mass;         /* int h dA [m3] */
    double mass_scale;   /* int |h| dA [m3], the scale of relative mass drifts */
    double energy;       /* g (1/2 <h,h> + <h,b>) + 1/2 (<v1,F1> + <v2,F2>) [m5 s-2]; linear:
                            the second term times H0 */
    double circulation;  /* sum of the vorticity over all cells [m2 s-1] */
    double shear;        /* sum of |d_1 v2| + |d_2 v1| over all cells, the scale of circulation */
    swe_extreme highest; /* maximum of |h| [m] */
    swe_extreme lowest;  /* minimum of h [m] */
    /* nonlinear equations only */
    double potential_enstrophy; /* 1/2 int h q^2 dA, q = (zeta + f)/h [m s-2] */
    swe_extreme fastest;        /* maximum of |u| + sqrt(g h) [m s-1] */
} swe_integrals;

/* Compute the integrals of a model's state. The device sums each row; the host adds the rows in a
 * fixed order with compensated sums. Errors: SWE_INTERNAL. */
swe_status swe_integrals_measure(swe_context *ctx, swe_model *model, swe_integrals *out);

/* Rates at which a term changes integrals of the state. */
typedef struct swe_rates {
    double energy; /* [m5 s-3] */
    double mass;   /* [m3 s-1] */
} swe_rates;

/* Compute the rates of a term that the model's physics has. Energy and mass are measured at the
 * state minus and plus `dt` times the tendency of the term. Their difference is exact to rounding,
 * as energy is a quadratic function of h and of v; a stress beside a source, and damping beside
 * dissipation, have an error of order dt^2. Errors: SWE_INTERNAL. */
swe_status swe_integrals_rates(swe_context *ctx, swe_model *model, swe_term term, double dt,
                               swe_rates *out);

/* Integrals of an advected field, with the unit of its concentration c. */
typedef struct swe_field_integrals {
    double mass; /* int h c dA [m3 times the unit] */
    swe_extreme greatest, least;
} swe_field_integrals;

/* Integrals of prognostic field number `field`, an advected one, of the state that
 * swe_integrals_measure measured last. */
swe_field_integrals swe_integrals_of_field(const swe_model *model, int field);

#endif
