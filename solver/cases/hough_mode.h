/* The eigenmodes of Laplace's tidal equations, in spherical harmonics. Internal to solver/cases.
 *
 * Units: time 1/(2 Omega), length a, height H0; gamma = g H0 / (2 Omega a)^2. The velocity is that
 * of a stream function psi and a potential chi, r x grad psi + grad chi. All is proportional to
 * e^(i (s lon - sigma t)). With orthonormal P_l, c_l = l (l + 1), e_l^2 = (l^2 - s^2)/(4 l^2 - 1)
 * and p_l = e_l sqrt((l - 1)(l + 1)) / l, put
 *
 *     psi = sum A_l P_l / sqrt(c_l)
 *     chi = i sum B_l P_l / sqrt(c_l)
 *     h = sum C_l P_l / sqrt(gamma)
 *
 *     sigma A_l = -s/c_l A_l + p_l B_(l-1) + p_(l+1) B_(l+1)
 *     sigma B_l = -s/c_l B_l + p_l A_(l-1) + p_(l+1) A_(l+1) - sqrt(gamma c_l) C_l
 *     sigma C_l = -sqrt(gamma c_l) B_l
 *
 * (after Longuet-Higgins, Phil. Trans. R. Soc. A 262 (1968) 511). The matrix is symmetric, and
 * modes are even or odd: A stands at every other degree, B and C at those between. So it is a chain
 * A - B - A - B ... with one C at each B, which elimination does not fill: the signs of its pivots
 * say how many eigenvalues lie below a number. Bisection then finds any one of them, to rounding
 * and for any gamma, with a page of code and no dense solver. */
#ifndef SWE_CASES_HOUGH_MODE_H
#define SWE_CASES_HOUGH_MODE_H

#include "cases/case.h"

enum { HOUGH_MOST_DEGREES = 4000 };

typedef struct hough_mode {
    int wavenumber;                 /* s */
    int first;                      /* degree of the first coefficient: max(s, 1) */
    int count;                      /* of coefficients */
    double sigma;                   /* frequency over 2 Omega */
    double psi[HOUGH_MOST_DEGREES]; /* A_l / sqrt(c_l), 0 where there is none; likewise: */
    double chi[HOUGH_MOST_DEGREES];
    double height[HOUGH_MOST_DEGREES];
} hough_mode;

/* Find a mode. `index` counts the modes of a type from 0, in order of latitudinal nodes: eastward 0
 * is the Kelvin wave, rossby 0 the mixed Rossby-gravity wave. Errors: SWE_CONFIG (too small a gamma
 * for the degrees that there is room for). */
swe_status hough_mode_find(swe_context *ctx, double gamma, int wavenumber, swe_wave_type type,
                           int index, hough_mode *out);

/* Amplitudes of h, zonal and meridional velocity at a latitude:
 *     h = height cos(phase), u = zonal cos(phase), v = meridional sin(phase) */
typedef struct hough_profile {
    double height, zonal, meridional;
} hough_profile;

hough_profile hough_mode_at(const hough_mode *mode, double sin_lat, double cos_lat);

#endif
