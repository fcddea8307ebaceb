/* The SIMD rows of the fused pipeline: the loops over the interior of a panel, which compute nearly
 * all of a sweep. They give the bits of the loops over points, which compute closures along xi2;
 * where tiles are cut decides which loop computes a row (ctest -R
 * 'test_pipelines|test_invariance').
 *
 * simd_rows_cpu.c is compiled for AVX-512, for AVX2 and for the baseline instruction set, once in
 * each precision. Every function issues one step of `prefetch` with each cache line of its rows. */
#ifndef SWE_STAGES_SIMD_ROWS_CPU_H
#define SWE_STAGES_SIMD_ROWS_CPU_H

#include "stages/momentum/momentum_cpu.h"
#include "stages/transport/transport_row_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs and outputs of rows j and j + 1 of h of a tile, non-rotational; all point at row j, at the
 * tile's first column. */
typedef struct simd_h {
    cpu_tile tile;
    const real *v1, *v2, *metric11, *metric12, *metric22, *inverse_jacobian;
    rk4_arrays h;
    real *cross1, *flux2;       /* row buffers; the next two rows of both are computed */
    real *cross2[2], *flux1[2]; /* lines for the closures of either row */
} simd_h;

/* Inputs and outputs of two rows of v1 and of v2; row1 is the first row of v1, row2 that of v2,
 * both at the panel's first column. Vectors begin at column `first`, a whole cache line. */
typedef struct simd_v {
    const momentum_tile *tile;
    int first;
    const momentum_row *row1, *row2;
} simd_v;

typedef struct swe_simd_table {
    void (*h)(const swe_params *params, int substep, real weight, const simd_h *h, int j,
              tile_prefetch *prefetch);
    void (*v)(const swe_params *params, int substep, real weight, const simd_v *v,
              tile_prefetch *prefetch);
    /* a row of the first sweep of a rotational flow, and the next row of its row buffers */
    void (*transport)(const swe_params *params, int substep, real weight, const transport_row *row,
                      tile_prefetch *prefetch);
} swe_simd_table;

extern const swe_simd_table swe_simd_rows_v4, swe_simd_rows_v3, swe_simd_rows_base;

/* The fastest that this processor runs; NULL in the build that counts operations. */
static inline const swe_simd_table *simd_rows(void)
{
#ifdef SWE_NO_SIMD
    return NULL;
#else
#if SWE_HAS_CLONES
    if (__builtin_cpu_supports("x86-64-v4"))
        return &swe_simd_rows_v4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return &swe_simd_rows_v3;
#endif
    return &swe_simd_rows_base;
#endif
}

#ifdef __cplusplus
}
#endif
#endif
