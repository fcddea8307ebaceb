/* Exact solutions of the linear equations on the sphere, at rest at t = 0.
 *
 * A mode of degree l oscillates with omega_l^2 = g H0 l (l + 1) / a^2, hence
 *     gaussian       h = sum_l h_l cos(omega_l t) P_l(cos theta),  theta from the centre,
 *                    h_l = (2 l + 1)/2 int h0 P_l sin(theta) dtheta, h0 = A exp(-theta^2 / width)
 *     standing wave  h = A Re[(e . r)^l] cos(omega_l t),  e = e1 + i e2 isotropic, any orientation
 */
#ifndef SWE_DIAGNOSTICS_EXACT_H
#define SWE_DIAGNOSTICS_EXACT_H

#include "base/context.h"
#include "grid/grid.h"
#include "state/model.h"

typedef enum swe_initial_kind {
    SWE_INITIAL_GAUSSIAN,
    SWE_INITIAL_STANDING_WAVE,
    SWE_INITIAL_FILE /* no exact solution */
} swe_initial_kind;

typedef struct swe_initial {
    swe_initial_kind kind;
    double lon, lat;  /* centre of the pulse, axis of the wave [degree] */
    double amplitude; /* A [m] */
    double width;     /* of the pulse [rad2] */
    int degree;       /* l of the wave */
    double angle;     /* turns the wave about its axis [degree] */
} swe_initial;

typedef struct swe_exact swe_exact;

/* Errors: SWE_NO_MEMORY, SWE_INTERNAL (a kind without an exact solution). */
swe_status swe_exact_create(swe_context *ctx, const swe_initial *initial,
                            const swe_physics *physics, swe_exact **out);
void swe_exact_destroy(swe_exact **exact);

/* h at time t [s] at all vertices (panel, j, i) of the grid. Host memory. */
void swe_exact_height(const swe_exact *exact, const swe_grid *grid, int threads, double t,
                      double *h);

/* h at t = 0 from its closed form rather than the series. Host memory. */
void swe_exact_initial_height(const swe_exact *exact, const swe_grid *grid, double *h);

#endif
