/* Results of the stage `integrals` for every row of every panel: sums with the row's weights, and
 * extremes with their indices. Doubles in both precisions; diagnostics/integrals.c adds the
 * rows.
 *
 * Shape: (6, n+1, INTEGRALS_VALUES) of the flow, then for each advected field (6, n+1,
 * INTEGRALS_FIELD_VALUES). */
#ifndef SWE_STAGES_INTEGRALS_H
#define SWE_STAGES_INTEGRALS_H

#include "fields/fields.h"
#include "grid/topology.h"

/* Each is the largest value, or the first that is not finite. */
enum {
    INTEGRALS_HIGHEST, /* |h| [m] */
    INTEGRALS_LOWEST,  /* -h [m] */
    INTEGRALS_FASTEST, /* |u| + sqrt(g h) [m s-1]; linear: -1 */
    INTEGRALS_EXTREMES
};

/* Angular brackets are inner products of the norms. Rows of vertices have the weight
 * Hv, rows of cells Hc; row n of cells does not exist. Nonlinear: velocities with h, as in
 * contravariant_point.h; zeta and q are single-valued at shared points. */
enum {
    INTEGRALS_MASS,                    /* h dA */
    INTEGRALS_MASS_SCALE,              /* |h| dA */
    INTEGRALS_HEIGHT,                  /* <h, h> */
    INTEGRALS_CROSS,                   /* J g^12 (Pcv_1 v1) (Pcv_2 v2) */
    INTEGRALS_VELOCITY1,               /* <v1, J g^11 v1> */
    INTEGRALS_BOTTOM,                  /* <h, b>; it and the next nonlinear, otherwise 0 */
    INTEGRALS_ENSTROPHY,               /* <h q, q>, q = (zeta + f)/h */
    INTEGRALS_VELOCITY2,               /* <v2, J g^22 v2>; it and the next in rows of cells */
    INTEGRALS_SHEAR,                   /* |Dvc_1 v2| + |Dvc_2 v1| of spacing 1, weights Hc Hc */
    INTEGRALS_SIDES1,                  /* v1 along the panel's side in this row, counterclockwise */
    INTEGRALS_SUMS,                    /* number of sums along a row */
    INTEGRALS_SIDES2 = INTEGRALS_SUMS, /* v2 along the two sides at the ends of the row, likewise */
    INTEGRALS_MAX,                     /* the extremes */
    INTEGRALS_MAX_I = INTEGRALS_MAX + INTEGRALS_EXTREMES,   /* their indices in the row */
    INTEGRALS_VALUES = INTEGRALS_MAX_I + INTEGRALS_EXTREMES /* values of a row */
};

/* The values of a row of an advected field, a state's q = h c. */
enum {
    INTEGRALS_FIELD_MASS,     /* q dA */
    INTEGRALS_FIELD_GREATEST, /* c */
    INTEGRALS_FIELD_GREATEST_I,
    INTEGRALS_FIELD_LEAST, /* -c */
    INTEGRALS_FIELD_LEAST_I,
    INTEGRALS_FIELD_VALUES
};

/* Offset of the rows of prognostic field number `field`, an advected one, and with the number of
 * all fields of a state the number of all values. */
SWE_POINT ptrdiff_t integrals_of_field(int n, int field)
{
    return (ptrdiff_t)SWE_PANELS * (n + 1) *
           (INTEGRALS_VALUES + (field - SWE_FLOW_FIELDS) * INTEGRALS_FIELD_VALUES);
}

#endif
