/* The eigenmodes of Laplace's tidal equations, in spherical harmonics. Internal to solver/cases.
 *
 * Source: after Longuet-Higgins, Phil. Trans. R. Soc. A 262 (1968) 511.
 *
 * Units: time 1/(2 Omega), length a, height H0; gamma = g H0 / (2 Omega a)^2. The velocity is
 * r x grad psi + grad chi, with stream function psi and potential chi. All fields are proportional
 * to e^(i (s lon - sigma t)). With orthonormal P_l, c_l = l (l + 1), e_l^2 = (l^2 - s^2)/(4 l^2 -
 * 1) and p_l = e_l sqrt((l - 1)(l + 1)) / l, let
 *
 *     psi = sum A_l P_l / sqrt(c_l)
 *     chi = i sum B_l P_l / sqrt(c_l)
 *     h = sum C_l P_l / sqrt(gamma)
 *
 *     sigma A_l = -s/c_l A_l + p_l B_(l-1) + p_(l+1) B_(l+1)
 *     sigma B_l = -s/c_l B_l + p_l A_(l-1) + p_(l+1) A_(l+1) - sqrt(gamma c_l) C_l
 *     sigma C_l = -sqrt(gamma c_l) B_l
 *
 * The matrix is symmetric, and modes are even or odd: A is nonzero at every other degree, B and C
 * at the degrees between. The unknowns form a chain A - B - A - B ... with one C at each B, which
 * elimination does not fill. The number of negative pivots is the number of eigenvalues below sigma
 * (Sylvester's law of inertia), so that bisection finds any eigenvalue to rounding for any gamma.
 */
#ifndef SWE_CASES_HOUGH_MODE_H
#define SWE_CASES_HOUGH_MODE_H

#include "cases/case.h"

enum { HOUGH_MOST_DEGREES = 4000 };

typedef struct hough_mode {
    int wavenumber;                 /* s */
    int first;                      /* degree of the first coefficient: max(s, 1) */
    int count;                      /* number of coefficients */
    double sigma;                   /* frequency over 2 Omega */
    double psi[HOUGH_MOST_DEGREES]; /* A_l / sqrt(c_l), 0 at degrees without A; likewise: */
    double chi[HOUGH_MOST_DEGREES];
    double height[HOUGH_MOST_DEGREES];
} hough_mode;

/* Find a mode. `index` counts the modes of a type from 0, by their number of latitudinal nodes:
 * eastward 0 is the Kelvin wave, rossby 0 the mixed Rossby-gravity wave. Errors: SWE_CONFIG (gamma
 * is so small that the mode needs more than HOUGH_MOST_DEGREES), SWE_NO_MEMORY. */
swe_status hough_mode_find(swe_context *ctx, double gamma, int wavenumber, swe_wave_type type,
                           int index, hough_mode *out);

/* Amplitudes of h, zonal and meridional velocity at a latitude:
 *     h = height cos(phase), u = zonal cos(phase), v = meridional sin(phase) */
typedef struct hough_profile {
    double height, zonal, meridional;
} hough_profile;

hough_profile hough_mode_at(const hough_mode *mode, double sin_lat, double cos_lat);

#endif
