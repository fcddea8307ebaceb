/* Errors of a state against the reference solution of its case. Host memory, fields in the grid's
 * layout.
 *
 * l1, l2, linf are relative norms, equations 82 to 84 of Williamson et al., J. Comput. Phys. 102
 * (1992) 211, with the weights J Hv Hv of the scheme. h is the model's h: with the nonlinear
 * equations the whole depth, so that an error of 1 m in 3000 m is 3e-4. */
#ifndef SWE_DIAGNOSTICS_ERRORS_H
#define SWE_DIAGNOSTICS_ERRORS_H

#include <stdbool.h>

#include "cases/case.h"
#include "diagnostics/quadrature.h"

typedef struct swe_errors {
    double l1, l2, linf;
    double l2_abs;   /* sqrt(sum e^2 J W) [m2] */
    double linf_abs; /* max |e| [m] */
    double rms;      /* sqrt(mean e^2) over all 6 (n + 1)^2 points, unweighted [m] */
} swe_errors;

/* Compare h with `exact`; `difference` becomes h - exact. */
void swe_errors_measure(const swe_quadrature *q, const double *h, const double *exact,
                        double *difference, swe_errors *out);

/* The same norms of the velocity at vertices: that of |u - u_exact| over that of |u_exact|. NaN if
 * the reference is at rest. */
typedef struct swe_velocity_errors {
    double l1, l2, linf;
    double linf_abs; /* max |u - u_exact| [m s-1] */
} swe_velocity_errors;

/* Compare v1 and v2 with the reference. Input: d1, d2 hold v1, v2 of the reference, `speed` its
 * speed at vertices. Output: d1, d2 hold v1, v2 minus the reference, `length` holds |u - u_exact|.
 *
 * v1 and v2 are staggered, so a vector needs interpolation. The error is interpolated to the
 * vertices, not the velocity: the interpolation error of a smooth error is of higher order.
 * Interpolation damps an error that alternates from point to point; the errors of h show such an
 * error. */
void swe_errors_measure_velocity(const swe_quadrature *q, const double *v1, const double *v2,
                                 const double *speed, double *d1, double *d2, double *length,
                                 swe_velocity_errors *out);

/* ---- the reference of a case ----------------------------------------------------------------- */

typedef struct swe_comparison {
    const swe_case *test_case;
    const swe_quadrature *q;
    bool has_velocity;
    double *h;       /* (6, n+1, n+1) h of the reference [m] */
    double *h_error; /* state minus reference [m] */
    double *v1, *v2; /* of the reference, then state minus reference [m2 s-1]; NULL: unknown */
    double *speed;   /* of the reference at vertices [m s-1] */
    double *length;  /* |u - u_exact| at vertices [m s-1] */
} swe_comparison;

/* Number of fields that a comparison allocates. */
int swe_comparison_fields(const swe_initial *initial, const swe_physics *physics);

/* Allocate the comparison of a case that has a reference. Case and quadrature must outlive it.
 * Errors: SWE_NO_MEMORY. */
swe_status swe_comparison_create(swe_context *ctx, const swe_case *test_case, bool has_velocity,
                                 const swe_quadrature *q, swe_comparison *out);
void swe_comparison_destroy(swe_comparison *comparison);

/* Compare a state with the reference at time t [s]. The velocity errors are NaN if the velocity of
 * the reference is unknown. */
void swe_comparison_measure(const swe_comparison *comparison, double t, const double *h,
                            const double *v1, const double *v2, swe_errors *errors,
                            swe_velocity_errors *velocity);

#endif
