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
 * CPU v lags behind h after a step, until the first sweep of the next completes it, or somebody
 * reads it. B reads fields with one value at each
 * shared point, so velocities need no projection. */
#ifndef SWE_STAGES_FUSED_POINT_H
#define SWE_STAGES_FUSED_POINT_H

#include "stages/params.h"

/* The sweeps of a step, and the completion of v alone. */
enum { FUSED_FIRST, FUSED_SECOND, FUSED_COMPLETION };

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
