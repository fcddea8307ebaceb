/* Errors of a state against the reference solution of its case, row by row, in host memory.
 *
 * l1, l2, linf are relative norms, equations 82 to 84 of Williamson et al., J. Comput. Phys. 102
 * (1992) 211, with the weights J Hv Hv of the scheme. h is the model's h: with the nonlinear
 * equations the whole depth, so that an error of 1 m in 3000 m is 3e-4.
 *
 * All sums are compensated, and rows are added in a fixed order: results do not depend on the
 * numbers of threads and ranks. */
#ifndef SWE_DIAGNOSTICS_ERRORS_H
#define SWE_DIAGNOSTICS_ERRORS_H

#include <stdbool.h>

#include "base/sum.h"
#include "cases/case.h"
#include "operators/sbp.h"
#include "state/host_fields.h"

typedef struct swe_errors {
    double l1, l2, linf;
    double l2_abs;   /* sqrt(sum e^2 J W) [m2] */
    double linf_abs; /* max |e| [m] */
    double rms;      /* sqrt(mean e^2) over all 6 (n + 1)^2 points, unweighted [m] */
} swe_errors;

/* The same norms for the velocity at vertices: the norm of |u - u_exact| over the norm of
 * |u_exact|. NaN if the reference is at rest. */
typedef struct swe_velocity_errors {
    double l1, l2, linf;
    double linf_abs; /* max |u - u_exact| [m s-1] */
} swe_velocity_errors;

/* A case that has a reference, and the grid, operators and threads for its norms. */
typedef struct swe_comparison {
    const swe_case *test_case;
    const swe_grid *grid;
    const swe_sbp *sbp;
    int threads;
    bool has_velocity; /* the velocity of the reference is known */
} swe_comparison;

/* Compare a state with the reference at time t [s]. All ranks call it (state/slabs.h), and the root
 * has the results. The velocity errors are NaN if the velocity of the reference is unknown. Errors:
 * SWE_NO_MEMORY, on all ranks alike. */
swe_status swe_comparison_measure(swe_context *ctx, const swe_comparison *comparison, double t,
                                  const swe_host_fields *state, swe_errors *errors,
                                  swe_velocity_errors *velocity);

/* ---- the norms ------------------------------------------------------------------------------- */

/* The sums of a row, and its largest magnitudes. */
enum { SWE_ERROR_ROW = 7 };

/* Sums over the rows that were added; all zero before the first. */
typedef struct swe_error_sums {
    swe_sum squares;               /* of the errors, unweighted */
    swe_sum error1, error2;        /* int |e| dA, int e^2 dA */
    swe_sum exact1, exact2;        /* the same of the exact values */
    double error_most, exact_most; /* largest magnitudes; NaN if any value is */
} swe_error_sums;

/* Sum a row of errors at vertices, and of exact values there, with the areas of swe_areas_row. */
void swe_errors_sum_row(int points, const double *areas, const double *error, const double *exact,
                        double out[SWE_ERROR_ROW]);
void swe_errors_add_row(const double row[SWE_ERROR_ROW], swe_error_sums *sums);
swe_errors swe_errors_of(const swe_error_sums *sums, int n);
swe_velocity_errors swe_velocity_errors_of(const swe_error_sums *sums);

/* The lengths |u - u_exact| at the vertices of row j of a panel. d1 and d2 are row j of v1 and v2
 * minus v1 and v2 of the reference; the rows before and after row j of d2 are layout.pitch values
 * apart.
 *
 * v1 and v2 are staggered, so a vector needs interpolation. The error is interpolated to the
 * vertices, not the velocity: the interpolation error of a smooth error is of higher order.
 * Interpolation damps an error that alternates from point to point; the errors of h show such an
 * error. */
void swe_errors_length_row(const swe_comparison *comparison, int panel, int j, const double *d1,
                           const double *d2, double *length);

#endif
