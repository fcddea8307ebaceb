/* Two rows of a substep at a time, off the closures along xi2: the results of single rows to the
 * bit, faster (fused_two_rows.h). */
#ifndef SWE_STAGES_FUSED_TWO_CPU_H
#define SWE_STAGES_FUSED_TWO_CPU_H

#include "stages/contravariant/contravariant_tile_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs and outputs of rows j and j + 1 of h of a tile; all point at row j, at the tile's first
 * column. */
typedef struct two_h {
    cpu_tile tile;
    const real *v1, *v2, *metric11, *metric12, *metric22, *inverse_jacobian;
    rk4_arrays h;
    real *cross1, *flux2;       /* row buffers; the next two rows of both are computed */
    real *cross2[2], *flux1[2]; /* lines for the closures of either row */
} two_h;

/* Inputs and outputs of rows of v1 and v2 in columns `i`; all point at their first row, at the
 * first column. v1 reads the rows of h1 and W1, v2 those of h2 and W2, which may be different rows;
 * h is the head of the nonlinear equations. */
typedef struct two_v {
    rows_range i, cells, vertices; /* columns; columns of v1; columns of v2 */
    const real *h1, *h2;
    const real *pv_flux1, *pv_flux2; /* NULL: non-rotating */
    rk4_arrays v1, v2;
} two_v;

/* Both issue one step of `prefetch` with each cache line of their rows. */
typedef struct two_rows {
    void (*h)(const swe_params *params, int substep, real weight, const two_h *h, int j,
              tile_prefetch *prefetch);
    void (*v)(const swe_params *params, int substep, real weight, const two_v *v,
              tile_prefetch *prefetch);
} two_rows;

/* Compiled for AVX-512, for AVX2 and for the baseline instruction set. */
extern const two_rows swe_two_rows_v4, swe_two_rows_v3, swe_two_rows_base;

/* The fastest that this processor runs; NULL in the build that counts operations. */
static inline const two_rows *two_rows_here(void)
{
#ifdef SWE_NO_SIMD
    return NULL;
#else
#if SWE_HAS_CLONES
    if (__builtin_cpu_supports("x86-64-v4"))
        return &swe_two_rows_v4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return &swe_two_rows_v3;
#endif
    return &swe_two_rows_base;
#endif
}

#ifdef __cplusplus
}
#endif
#endif
