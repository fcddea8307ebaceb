/* Errors of the state against a reference.
 *
 * l1, l2, linf are normalised by the reference as Williamson et al. (1992) do, with the scheme's
 * weights J Hv Hv; the others are not normalised. h is what the model holds: of the nonlinear
 * equations the whole depth, so an error of 1 m in 3000 m is 3e-4. */
#ifndef SWE_DIAGNOSTICS_ERRORS_H
#define SWE_DIAGNOSTICS_ERRORS_H

#include "diagnostics/quadrature.h"

typedef struct swe_errors {
    double l1, l2, linf;
    double l2_abs;   /* sqrt(sum e^2 J W) [m2] */
    double linf_abs; /* max |e| [m] */
    double rms;      /* sqrt(mean e^2) over all 6 (n + 1)^2 points, unweighted [m] */
} swe_errors;

/* Compare h with `exact`; `difference` gets h - exact. Host memory, fields in the grid's layout. */
void swe_errors_measure(const swe_quadrature *q, const double *h, const double *exact,
                        double *difference, swe_errors *out);

/* Williamson's norms of the velocity: of |u - u_exact| over that of |u_exact|, vectors of the
 * sphere, at vertices. NaN where the reference is at rest. */
typedef struct swe_velocity_errors {
    double l1, l2, linf;
    double linf_abs; /* max |u - u_exact| [m s-1] */
} swe_velocity_errors;

/* Compare v1 and v2 with the reference, which stands in d1, d2 and, as the speed at vertices, in
 * `speed`; d1, d2 get v1, v2 less it, and `length` gets |u - u_exact|.
 *
 * The components stand at different places; no vector, and no l1 or linf of one, is to be had
 * without interpolation. It is the error that is interpolated to the vertices, not the velocity:
 * what the operators do to a smooth error is an error of the error. What alternates from point to
 * point they damp, though; h shows that. */
void swe_errors_measure_velocity(const swe_quadrature *q, const double *v1, const double *v2,
                                 const double *speed, double *d1, double *d2, double *length,
                                 swe_velocity_errors *out);

#endif
