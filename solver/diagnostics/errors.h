/* Errors of a state against the reference solution of its case, panel after panel. Host memory, a
 * panel is n + 1 rows of layout.pitch values.
 *
 * l1, l2, linf are relative norms, equations 82 to 84 of Williamson et al., J. Comput. Phys. 102
 * (1992) 211, with the weights J Hv Hv of the scheme. h is the model's h: with the nonlinear
 * equations the whole depth, so that an error of 1 m in 3000 m is 3e-4.
 *
 * All sums are compensated, and rows are added in a fixed order: results depend neither on the
 * number of threads nor on that of ranks. */
#ifndef SWE_DIAGNOSTICS_ERRORS_H
#define SWE_DIAGNOSTICS_ERRORS_H

#include <stdbool.h>

#include "base/sum.h"
#include "cases/case.h"
#include "fields/panels.h"
#include "operators/sbp.h"

typedef struct swe_errors {
    double l1, l2, linf;
    double l2_abs;   /* sqrt(sum e^2 J W) [m2] */
    double linf_abs; /* max |e| [m] */
    double rms;      /* sqrt(mean e^2) over all 6 (n + 1)^2 points, unweighted [m] */
} swe_errors;

/* The same norms of the velocity at vertices: that of |u - u_exact| over that of |u_exact|. NaN if
 * the reference is at rest. */
typedef struct swe_velocity_errors {
    double l1, l2, linf;
    double linf_abs; /* max |u - u_exact| [m s-1] */
} swe_velocity_errors;

typedef struct swe_comparison {
    const swe_case *test_case; /* NULL: there is no reference */
    const swe_grid *grid;
    const swe_sbp *sbp;
    int threads;
    bool has_velocity;
    double *areas;         /* panel of J Hv Hv at vertices [m2] */
    double *exact, *error; /* panels of h, then of the speed, at vertices */
    /* Where the velocity is known: panels of the state, and of the reference, then of state minus
     * reference [m2 s-1]. */
    double *state1, *state2, *v1, *v2;
    double *rows; /* (n + 1, values of a row) */
} swe_comparison;

/* Number of panels that a comparison allocates. */
int swe_comparison_panels(const swe_initial *initial, const swe_physics *physics);

/* Allocate the comparison with a case that has a reference. Case, grid and operators must outlive
 * it. Errors: SWE_NO_MEMORY. */
swe_status swe_comparison_create(swe_context *ctx, const swe_case *test_case, bool has_velocity,
                                 const swe_grid *grid, const swe_sbp *sbp, int threads,
                                 swe_comparison *out);
void swe_comparison_destroy(swe_comparison *comparison);

/* Compare a state with the reference at time t [s]. The velocity errors are NaN if the velocity of
 * the reference is unknown. */
void swe_comparison_measure(const swe_comparison *comparison, double t, const swe_panels *state,
                            swe_errors *errors, swe_velocity_errors *velocity);

/* ---- the norms ------------------------------------------------------------------------------- */

/* Sums over the panels that were added; all zero before the first. */
typedef struct swe_error_sums {
    swe_sum squares;               /* of the errors, unweighted */
    swe_sum error1, error2;        /* int |e| dA, int e^2 dA */
    swe_sum exact1, exact2;        /* the same of the exact values */
    double error_most, exact_most; /* largest magnitudes; NaN if any value is */
} swe_error_sums;

/* Add a panel of errors at vertices, and of exact values there. */
void swe_errors_add(const swe_comparison *comparison, const double *error, const double *exact,
                    swe_error_sums *sums);
swe_errors swe_errors_of(const swe_error_sums *sums, int n);
swe_velocity_errors swe_velocity_errors_of(const swe_error_sums *sums);

/* The lengths |u - u_exact| at the vertices of a panel, of v1 and v2 and those of the reference,
 * which become v1 and v2 minus the reference.
 *
 * v1 and v2 are staggered, so a vector needs interpolation. The error is interpolated to the
 * vertices, not the velocity: the interpolation error of a smooth error is of higher order.
 * Interpolation damps an error that alternates from point to point; the errors of h show such an
 * error. */
void swe_errors_lengths(const swe_comparison *comparison, int panel, const double *v1,
                        const double *v2, double *exact1, double *exact2, double *length);

#endif
