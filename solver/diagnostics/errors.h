/* Errors of h against an exact solution.
 *
 * l1, l2, linf are normalised by the exact field as Williamson et al. (1992) do, with the scheme's
 * weights J Hv Hv; the others are not normalised. */
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

#endif
