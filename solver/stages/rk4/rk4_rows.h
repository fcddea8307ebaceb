/* Runge-Kutta along `count` values. */
#ifndef SWE_STAGES_RK4_ROWS_H
#define SWE_STAGES_RK4_ROWS_H

#include "stages/rk4/rk4_point.h"

/* out = the part's result at every value, of the tendency k. */
SWE_POINT void rk4_row(int part, real weight, ptrdiff_t count, const real *SWE_RESTRICT k,
                       rk4_arrays a)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < count; i++)
        rk4_point(part, weight, k[i], rk4_arrays_at(a, i));
}

#endif
