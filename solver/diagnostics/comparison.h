/* The reference of a run: what is known of its case at t > 0, sampled on the grid and compared with
 * the state. */
#ifndef SWE_DIAGNOSTICS_COMPARISON_H
#define SWE_DIAGNOSTICS_COMPARISON_H

#include "cases/case.h"
#include "diagnostics/errors.h"

typedef struct swe_comparison {
    const swe_case *test_case;
    const swe_quadrature *q;
    bool has_velocity;
    double *h;       /* (6, n+1, n+1) of the reference [m] */
    double *h_error; /* the state's less it */
    double *v1, *v2; /* of the reference, then the state's less it [m2 s-1]; NULL: not known */
    double *speed;   /* of the reference at vertices [m s-1] */
    double *length;  /* |u - u_exact| at vertices [m s-1] */
} swe_comparison;

/* Fields that a comparison holds. */
int swe_comparison_fields(const swe_initial *initial, const swe_physics *physics);

/* Room for the comparison of a case that has a reference; case and quadrature must outlive it.
 * Errors: SWE_NO_MEMORY. */
swe_status swe_comparison_create(swe_context *ctx, const swe_case *test_case, bool has_velocity,
                                 const swe_quadrature *q, swe_comparison *out);
void swe_comparison_destroy(swe_comparison *comparison);

/* Compare a state (h, v1, v2, host memory) with the reference at time t [s]. The errors of a
 * velocity that is not known are NaN. */
void swe_comparison_measure(const swe_comparison *comparison, double t, const double *h,
                            const double *v1, const double *v2, swe_errors *errors,
                            swe_velocity_errors *velocity);

#endif
