/* The fluxes of a limited tracer in a substep, by rows: what the stage `tracer` adds on a CPU. */
#ifndef SWE_STAGES_LIMITER_ROWS_H
#define SWE_STAGES_LIMITER_ROWS_H

#include "stages/limiter/limiter_point.h"
#include "stages/rows_cpu.h"

/* Add `value` times the weight, or begin with it. */
#define LIMITER_ADD(field, value) ((field) = (is_first ? 0 : (field)) + weight * (value))

/* At `cells` of a row; arrays point at the first of them. */
SWE_POINT void limiter_add_row1(int order, const swe_params *params, bool is_first, real weight,
                                rows_range cells, const real *SWE_RESTRICT c,
                                const real *SWE_RESTRICT f, const real *SWE_RESTRICT g,
                                const real *SWE_RESTRICT e, real *SWE_RESTRICT q,
                                real *SWE_RESTRICT m)
{
    const int n = params->layout.n, end = limiter_end(order);
    const int inside = end > cells.first ? end : cells.first,
              high_end = n - end < cells.last ? n - end : cells.last;
    limiter_fluxes low = {0, 0}, high = {0, 0};
    /* a block has all of an end, or nothing of it */
    for (int v = 0; cells.first == 0 && v < end && limiter_is_low(n, v); v++) {
        limiter_add_vertex(order, params, v, c + v, f + v, g + v, e + v, 1, &low);
        LIMITER_ADD(q[v], low.q);
        LIMITER_ADD(m[v], low.m);
    }
    for (int v = n; cells.last == n && v > n - end && !limiter_is_low(n, v - 1); v--) {
        const int k = v - cells.first;
        limiter_add_vertex(order, params, v, c + k, f + k, g + k, e + k, 1, &high);
        LIMITER_ADD(q[k - 1], -high.q);
        LIMITER_ADD(m[k - 1], -high.m);
    }
#pragma omp simd
    for (int k = inside - cells.first; k < high_end - cells.first; k++) {
        LIMITER_ADD(q[k], limiter_flux_inside(order, c + k, f + k, g + k, e + k, 1));
        LIMITER_ADD(m[k], limiter_mass_inside(order, f + k, 1));
    }
}

/* At up to LIMITER_WIDTH cuts between row j, near an end, and the next. */
enum { LIMITER_WIDTH = 16 };
SWE_POINT void limiter_add_end2(int order, const swe_params *params, bool is_first, real weight,
                                int j, int count, const real *SWE_RESTRICT c,
                                const real *SWE_RESTRICT f, const real *SWE_RESTRICT g,
                                const real *SWE_RESTRICT e, real *SWE_RESTRICT q,
                                real *SWE_RESTRICT m)
{
    const int n = params->layout.n, is_low = limiter_is_low(n, j);
    limiter_fluxes sums[LIMITER_WIDTH] = {{0, 0}};
    for (int v = is_low ? 0 : n; is_low ? v <= j : v > j; v += is_low ? 1 : -1) {
        const ptrdiff_t at = (v - j) * params->layout.pitch;
        ROWS_VECTOR for (int k = 0; k < count; k++)
            limiter_add_vertex(order, params, v, c + k + at, f + k + at, g + k + at, e + k + at,
                               params->layout.pitch, &sums[k]);
    }
    for (int k = 0; k < count; k++) {
        const limiter_fluxes fluxes = limiter_fluxes_of(n, j, sums[k]);
        LIMITER_ADD(q[k], fluxes.q);
        LIMITER_ADD(m[k], fluxes.m);
    }
}

/* At `count` cuts between row j and the next. */
SWE_POINT void limiter_add_row2(int order, const swe_params *params, bool is_first, real weight,
                                int j, int count, const real *SWE_RESTRICT c,
                                const real *SWE_RESTRICT f, const real *SWE_RESTRICT g,
                                const real *SWE_RESTRICT e, real *SWE_RESTRICT q,
                                real *SWE_RESTRICT m)
{
    const ptrdiff_t pitch = params->layout.pitch;
    if (!limiter_is_inside(order, params->layout.n, j)) {
        for (int k = 0; k < count; k += LIMITER_WIDTH)
            limiter_add_end2(order, params, is_first, weight, j,
                             count - k < LIMITER_WIDTH ? count - k : LIMITER_WIDTH, c + k, f + k,
                             g + k, e + k, q + k, m + k);
        return;
    }
#pragma omp simd
    for (int k = 0; k < count; k++) {
        LIMITER_ADD(q[k], limiter_flux_inside(order, c + k, f + k, g + k, e + k, pitch));
        LIMITER_ADD(m[k], limiter_mass_inside(order, f + k, pitch));
    }
}

#undef LIMITER_ADD

#endif
