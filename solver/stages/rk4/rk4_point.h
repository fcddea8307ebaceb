/* Classical Runge-Kutta at one value. No accumulator: substep 3 combines the states at which the
 * tendencies k were computed.
 *
 *     substep   result                                       weight w   k computed at
 *     0         Y1 = y + w k                                 dt/2       y
 *     1         Y2 = y + w k                                 dt/2       Y1
 *     2         Y3 = y + w k                                 dt         Y2
 *     3         y  = y + (Y1-y + 2 (Y2-y) + Y3-y)/3 + w k    dt/6       Y3
 *
 * It sums differences to y, not states: they are small, so rounding does not drift, and a state at
 * rest keeps every bit.
 *
 * HORNER'S FORM: where the tendency is a linear function of the state, the same step is
 *
 *     substep   result                                       weight w   k computed at
 *     0 to 2    Y1, Y2, Y3 = y + w k                         dt/4, dt/3, dt/2
 *     3         y  = y + w k                                 dt         Y3
 *
 * The fused pipeline of rotating linear flows uses it: no substep reads Y1 and Y2 again. */
#ifndef SWE_STAGES_RK4_POINT_H
#define SWE_STAGES_RK4_POINT_H

#include "stages/params.h"

SWE_POINT real rk4_weight(int substep, double dt)
{
    return (real)(substep == 3 ? dt / 6.0 : substep == 2 ? dt : dt / 2.0);
}

SWE_POINT real rk4_horner_weight(int substep, double dt)
{
    return (real)(dt / (4 - substep));
}

/* Result of substeps 0 to 2, and of substep 3; for scalars and for SIMD vectors. */
#define RK4_STATE(weight, k, y)   ((y) + (weight) * (k))
#define RK4_CHANGE(y, y1, y2, y3) (((y1) - (y)) + ((y3) - (y)) + 2 * ((y2) - (y)))
#define RK4_END(weight, k, y, y1, y2, y3)                                                          \
    ((y) + ((real)(1.0 / 3.0) * RK4_CHANGE(y, y1, y2, y3) + (weight) * (k)))

/* Run `call` with SUBSTEP a compile-time constant that has the same update as `substep`: 0 or 3. */
#define RK4_WITH_SUBSTEP(substep, call)                                                            \
    do {                                                                                           \
        if ((substep) < 3) {                                                                       \
            enum { SUBSTEP = 0 };                                                                  \
            call;                                                                                  \
        } else {                                                                                   \
            enum { SUBSTEP = 3 };                                                                  \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

/* The substep whose update a sweep of the fused pipeline applies. */
SWE_POINT int rk4_fused_update(const swe_params *params, int substep)
{
    return params->physics.equations == SWE_LINEAR ? 0 : substep;
}

/* The arrays of one substep, at a value or at the first value of a row. */
typedef struct rk4_arrays {
    const real *in;      /* state at which the tendency is computed */
    real *out;           /* the substep's result */
    const real *y;       /* the state at the start of the step */
    const real *y1, *y2; /* Y1 and Y2; read in substep 3 only */
} rk4_arrays;

/* next: Y1, Y2 and Y3, one after the other. */
SWE_POINT rk4_arrays rk4_arrays_of(const swe_params *params, int substep, real *y, real *next)
{
    const rk4_arrays arrays = {substep == 0 ? y : next + (substep - 1) * params->next,
                               substep == 3 ? y : next + substep * params->next, y, next,
                               next + params->next};
    return arrays;
}

SWE_POINT rk4_arrays rk4_arrays_at(rk4_arrays a, ptrdiff_t at)
{
    const rk4_arrays moved = {a.in + at, a.out + at, a.y + at, a.y1 + at, a.y2 + at};
    return moved;
}

/* The substep's result at one value, at which the arrays point. */
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
