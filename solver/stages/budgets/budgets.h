/* What the stage `budgets` leaves of every row of every panel: sums with the row's weights, and
 * extremes with their places. Doubles in both precisions; diagnostics/budgets.c adds the rows. */
#ifndef SWE_STAGES_BUDGETS_H
#define SWE_STAGES_BUDGETS_H

/* Each is the largest of something, or the first of it that is not finite. */
enum {
    BUDGETS_HIGHEST, /* |h| [m] */
    BUDGETS_LOWEST,  /* -h [m] */
    BUDGETS_FASTEST, /* |u| + sqrt(g h) [m s-1]; of linear equations -1 */
    BUDGETS_EXTREMES
};

/* Angular brackets are inner products as in diagnostics/quadrature.h. Rows of vertices have the
 * weight Hv, rows of cells Hc; row n of cells is none. Nonlinear: velocities with h, as in
 * contravariant_point.h; zeta and q have one value at shared points. */
enum {
    BUDGETS_MASS,                  /* h dA */
    BUDGETS_MASS_SCALE,            /* |h| dA */
    BUDGETS_HEIGHT,                /* <h, h> */
    BUDGETS_CROSS,                 /* J g^12 (Pcv_1 v1) (Pcv_2 v2) */
    BUDGETS_VELOCITY1,             /* <v1, J g^11 v1> */
    BUDGETS_BOTTOM,                /* <h, b>; it and the next nonlinear, otherwise 0 */
    BUDGETS_ENSTROPHY,             /* <h q, q>, q = (zeta + f)/h */
    BUDGETS_VELOCITY2,             /* <v2, J g^22 v2>; it and the next in rows of cells */
    BUDGETS_SHEAR,                 /* |Dvc_1 v2| + |Dvc_2 v1| of spacing 1, weights Hc Hc */
    BUDGETS_SIDES1,                /* v1 along the panel's side in this row, counterclockwise */
    BUDGETS_SUMS,                  /* those that are summed along the row */
    BUDGETS_SIDES2 = BUDGETS_SUMS, /* v2 along the two sides that the row meets, likewise */
    BUDGETS_MAX,                   /* the extremes */
    BUDGETS_MAX_I = BUDGETS_MAX + BUDGETS_EXTREMES,   /* their places in the row */
    BUDGETS_VALUES = BUDGETS_MAX_I + BUDGETS_EXTREMES /* of a row */
};

#endif
