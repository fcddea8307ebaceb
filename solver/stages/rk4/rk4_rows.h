/* Store a substep's result along a piece of a row from its tendency k; the arrays point at its
 * first value. */
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

SWE_POINT void rk4_row(int substep, real weight, ptrdiff_t count, const real *k, rk4_arrays a)
{
    if (substep < 3)
        rk4_row_of(0, weight, count, k, a);
    else
        rk4_row_of(3, weight, count, k, a);
}

#endif
