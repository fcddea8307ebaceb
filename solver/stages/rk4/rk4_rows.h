/* Update part of a row in an RK4 substep. k is the tendency. k and the arrays point at the first
 * value of that part. */
#ifndef SWE_STAGES_RK4_ROWS_H
#define SWE_STAGES_RK4_ROWS_H

#include "stages/rk4/rk4_point.h"

SWE_POINT void rk4_row_of(int substep, real weight, ptrdiff_t count, const real *SWE_RESTRICT k,
                          rk4_arrays a)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < count; i++)
        rk4_point(substep, weight, k[i], rk4_arrays_at(a, i));
}

/* Update `count` values with a constant substep. k must not overlap a.out. */
SWE_POINT void rk4_row(int substep, real weight, ptrdiff_t count, const real *k, rk4_arrays a)
{
    RK4_WITH_SUBSTEP(substep, rk4_row_of(SUBSTEP, weight, count, k, a));
}

#endif
