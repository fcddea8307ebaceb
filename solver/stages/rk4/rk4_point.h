/* Classical Runge-Kutta at one value, without an accumulator: its fourth substep is made of the
 * states at which the tendency k was taken.
 *
 *     substep   result                                          weight of k
 *     0      Y1 = y + w k                                    dt/2, k taken at y
 *     1      Y2 = y + w k                                    dt/2,            Y1
 *     2      Y3 = y + w k                                    dt,              Y2
 *     3      y  = y + (Y1-y + 2 (Y2-y) + Y3-y)/3 + w k       dt/6,            Y3
 *
 * Differences to y are summed, not states: they are small, so that rounding does not drift, and a
 * state at rest stays to the last bit. */
#ifndef SWE_STAGES_RK4_POINT_H
#define SWE_STAGES_RK4_POINT_H

#include "stages/params.h"

SWE_POINT real rk4_weight(int substep, double dt)
{
    return (real)(substep == 3 ? dt / 6.0 : substep == 2 ? dt : dt / 2.0);
}

/* The result of substeps 0 to 2, and of substep 3; of numbers, or of vectors of them. */
#define RK4_STATE(weight, k, y)   ((y) + (weight) * (k))
#define RK4_CHANGE(y, y1, y2, y3) (((y1) - (y)) + ((y3) - (y)) + 2 * ((y2) - (y)))
#define RK4_END(weight, k, y, y1, y2, y3)                                                          \
    ((y) + ((real)(1.0 / 3.0) * RK4_CHANGE(y, y1, y2, y3) + (weight) * (k)))

/* The arrays of one substep at a value, or at the first of a row of them. */
typedef struct rk4_arrays {
    const real *in;      /* the state at which the tendency is taken */
    real *out;           /* the substep's result */
    const real *y;       /* the state at the start of the step */
    const real *y1, *y2; /* Y1 and Y2; of meaning in substep 3 */
} rk4_arrays;

/* next: Y1, Y2 and Y3, one after the other. The place of Y1 is that of a result that leaves y as it
 * is: nothing but the same value of Y1 goes into it. */
SWE_POINT rk4_arrays rk4_arrays_of(const swe_params *params, int substep, real *y, real *next)
{
    real *end = params->swaps_buffers ? next : y;
    const rk4_arrays arrays = {substep == 0 ? y : next + (substep - 1) * params->next,
                               substep == 3 ? end : next + substep * params->next, y, next,
                               next + params->next};
    return arrays;
}

SWE_POINT rk4_arrays rk4_arrays_at(rk4_arrays a, ptrdiff_t at)
{
    const rk4_arrays moved = {a.in + at, a.out + at, a.y + at, a.y1 + at, a.y2 + at};
    return moved;
}

/* One value; the arrays are at it. */
SWE_POINT real rk4_value(int substep, real weight, real k, rk4_arrays at)
{
    const real y = *at.y;
    return substep < 3 ? RK4_STATE(weight, k, y) : RK4_END(weight, k, y, *at.y1, *at.y2, *at.in);
}

SWE_POINT void rk4_point(int substep, real weight, real k, rk4_arrays at)
{
    *at.out = rk4_value(substep, weight, k, at);
}

#endif
