/* What the stage `budgets` leaves of every row of every panel: sums with the row's weights, and the
 * largest |h| with its place. Doubles in both precisions; diagnostics/budgets.c adds the rows. */
#ifndef SWE_STAGES_BUDGETS_H
#define SWE_STAGES_BUDGETS_H

/* (v,v), (c,v): weights Hv along the rows. (v,c), (c,c): Hc, which the last row of vertices has
 * not. Angular brackets are inner products as in diagnostics/quadrature.h. */
enum {
    BUDGETS_MASS,        /* h dA */
    BUDGETS_MASS_SCALE,  /* |h| dA */
    BUDGETS_HEIGHT,      /* <h, h> */
    BUDGETS_CROSS,       /* J g^12 (Pcv_1 v1) (Pcv_2 v2) */
    BUDGETS_VELOCITY1,   /* <v1, J g^11 v1> */
    BUDGETS_VELOCITY2,   /* <v2, J g^22 v2> */
    BUDGETS_CIRCULATION, /* D times the vorticity: differences Dvc_1 v2 - Dvc_2 v1 of spacing 1 */
    BUDGETS_SHEAR,       /* |Dvc_1 v2| + |Dvc_2 v1| likewise */
    BUDGETS_SUMS,
    BUDGETS_ALONG_CELLS = BUDGETS_VELOCITY2, /* first of those with weights Hc */
    BUDGETS_MAX_H = BUDGETS_SUMS, /* the first value that is not finite, or largest |h| */
    BUDGETS_MAX_I,                /* its place in the row */
    BUDGETS_VALUES                /* of a row */
};

#endif
