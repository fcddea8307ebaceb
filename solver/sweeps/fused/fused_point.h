/* THE FUSED PIPELINE OF NON-ROTATING FLOWS: a step in two sweeps.
 *
 * The flow is linear: dh = A v with A the weak divergence of the flux and the mean over the copies
 * of shared points, and dv = B h with B the gradient. Then a step of the classical Runge-Kutta
 * method adds the first four derivatives of h in time:
 *
 *     h1 = A v      h2 = A B h      h3 = A B h1      h4 = A B h2
 *     h'   = h + dt h1 + dt^2/2 h2 + dt^3/6 h3 + dt^4/24 h4
 *     mean = h + dt/2 h1 + dt^2/6 h2 + dt^3/24 h3
 *     v'   = v + dt B mean
 *
 * A sweep applies A to two velocities: the first to v and B h, the second to B h1 and B h2. On a
 * CPU v lags behind h after a step, until the first sweep of the next step completes it, or until v
 * is read. B reads fields with one value at each shared point, so velocities need no projection.
 *
 * LEAPFROG OF ORDER 4 (the modified equation of Shubin and Bell, SIAM J. Sci. Stat. Comput. 8
 * (1987) 135) is a step of the same cost as one of these sweeps:
 *
 *     first:   mean = h + dt^2/12 A B h
 *     second:  v' = v + dt B mean      h' = h + dt A v'
 *
 * The v of its state is the mean over the step before h, so that dt A v is the last change of h.
 * time/step.h converts it. */
#ifndef SWE_SWEEPS_FUSED_POINT_H
#define SWE_SWEEPS_FUSED_POINT_H

#include "stages/params.h"

/* The sweeps of a step, the completion of v alone, and the sweeps of a leapfrog step. `dt` of the
 * completion is the weight of B mean, of the first leapfrog sweep the weight of A B h [s2]. */
enum { FUSED_FIRST, FUSED_SECOND, FUSED_COMPLETION, FUSED_LEAP_FIRST, FUSED_LEAP_SECOND };

typedef struct fused_fields {
    real *h, *v1, *v2;    /* the state */
    real *h1, *h2, *mean; /* of one field each in `next` */
} fused_fields;

SWE_POINT fused_fields fused_fields_of(const swe_params *params, real *y, real *next)
{
    const ptrdiff_t field = params->layout.field;
    const fused_fields f = {y, y + field, y + 2 * field, next, next + field, next + 2 * field};
    return f;
}

/* dt, dt/2, dt/3 and dt/4 [s]. */
typedef struct fused_weights {
    real dt, half, third, quarter;
} fused_weights;

SWE_POINT fused_weights fused_weights_of(real dt)
{
    const fused_weights w = {dt, dt / 2, dt / 3, dt / 4};
    return w;
}

/* h' in place of h, and the mean. */
SWE_POINT void fused_point(fused_weights w, real *h, real h1, real h2, real h3, real h4, real *mean)
{
    const real before = *h;
    *mean = before + w.half * (h1 + w.third * (h2 + w.quarter * h3));
    *h = before + w.dt * (h1 + w.half * (h2 + w.third * (h3 + w.quarter * h4)));
}

#endif
