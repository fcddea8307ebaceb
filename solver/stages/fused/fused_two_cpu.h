/* Two rows of a substep of a step at a time, off the closures along xi2: the same numbers as row
 * after row, for less work (fused_two_rows.h). */
#ifndef SWE_STAGES_FUSED_TWO_CPU_H
#define SWE_STAGES_FUSED_TWO_CPU_H

#include "stages/contravariant/contravariant_tile_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What rows j and j + 1 of h of a tile take and make; all point at row j, at the tile's first
 * column. */
typedef struct two_h {
    cpu_tile tile;
    const real *v1, *v2, *metric11, *metric12, *metric22, *inverse_jacobian;
    rk4_arrays h;
    real *cross1, *flux2;       /* windows of rows; the next two of both are made */
    real *cross2[2], *flux1[2]; /* lines; of either row what its closures take */
} two_h;

/* What rows of v1 and v2 take and make, in columns `i`; all point at their first row, at the first
 * column. v1 takes the rows of h1 and of W1, v2 those of h2 and W2, which may be other ones; h is
 * the head of the nonlinear equations. */
typedef struct two_v {
    rows_range i, cells, vertices; /* columns; those of v1, and of v2 */
    const real *h1, *h2;
    const real *pv_flux1, *pv_flux2; /* NULL: a flow that does not turn */
    rk4_arrays v1, v2;
} two_v;

/* Of `prefetch` either asks for a piece with each cache line of its rows. */
typedef struct two_rows {
    void (*h)(const swe_params *params, int substep, real weight, const two_h *h, int j,
              tile_prefetch *prefetch);
    void (*v)(const swe_params *params, int substep, real weight, const two_v *v,
              tile_prefetch *prefetch);
} two_rows;

/* Compiled for AVX-512, for AVX2, and for what the rest is compiled for. */
extern const two_rows swe_two_rows_v4, swe_two_rows_v3, swe_two_rows_base;

/* Those that are fastest on this processor; none where numbers have no simd, as those that count.
 */
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
