/* The SIMD rows of the fused pipeline: the loops over the interior of a panel, which compute nearly
 * all of a sweep.
 *
 * SIMD rows and loops over points give the same bits (ctest -R 'test_pipelines|test_invariance').
 * Loops over points compute the rows that read closures along xi2. For other rows the cut into
 * tiles decides which of the two runs.
 *
 * simd_rows_cpu.c is compiled for AVX-512, for AVX2 and for the baseline instruction set, once in
 * each precision (base/real.h renames the tables of single precision). Every function issues one
 * step of `prefetch` (not NULL) for each cache line of columns, except at the ends of a row; the
 * rows of a call share it. `substep` and `weight`: stages.h, SUBSTEPS. */
#ifndef SWE_SWEEPS_SIMD_SIMD_ROWS_CPU_H
#define SWE_SWEEPS_SIMD_SIMD_ROWS_CPU_H

#include "stages/gradient/gradient_cpu.h"
#include "sweeps/momentum/momentum_cpu.h"
#include "sweeps/transport/transport_row_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs and outputs of rows j and j + 1 of h of a tile, in non-rotating flows. All pointers are at
 * row j and the tile's first column, those into row buffers, too. The metric terms are the arrays
 * of `params` (metric11: J g^11). Rows of fields and metric terms are a pitch of the layout apart,
 * rows of row buffers CPU_TILE_PITCH. */
typedef struct simd_h {
    cpu_tile tile;
    const real *v1, *v2, *metric11, *metric12, *metric22, *inverse_jacobian;
    real *out; /* A v: the tendency of h */
    /* Row buffers (contravariant_cpu.h). The call computes rows j + order - 1 and j + order of
     * cross1, and rows j + order/2 - 1 and j + order/2 of flux2: reserve these rows first
     * (swe_flux_tile_reserve). */
    real *cross1, *flux2;
    /* Scratch lines of rows j and j + 1 for closures along xi1, CPU_TILE_PITCH values each. They
     * are at the tile's first column. They must not be NULL, even in a tile without closures. */
    real *cross2[2], *flux1[2];
} simd_h;

/* Inputs and outputs of two rows of a velocity in non-rotating flows, and of their cross terms. All
 * pointers are at the first of both rows and the tile's first column: v1 and head1 at rows of
 * vertices, v2 and head2 at rows of cells. */
typedef struct simd_velocity {
    rows_range columns; /* of cross1 */
    int begin, end;     /* vectors of v, from the first of these columns */
    real weight;
    const real *head1, *head2, *metric12;
    real *v1, *v2, *cross1;
} simd_velocity;

/* Inputs and outputs of two rows of v1 and of two rows of v2. *row1 is the first row of v1, *row2
 * the first row of v2, both at the panel's column 0; the second rows follow a pitch later. Vectors
 * begin at column `first`, a multiple of ROWS_LINE and at most the tile's first column. */
typedef struct simd_v {
    const momentum_tile *tile;
    int first;
    const momentum_row *row1, *row2;
} simd_v;

/* Whether a tile with these columns has room for SIMD rows of h. The fluxes of the tile's first
 * cache line are not stored if the tile begins at a cut or behind another tile. A high closure
 * reads stored fluxes: such a tile with the high closure must have room for both, one after the
 * other. */
SWE_POINT int simd_rows_fit(int order, int n, rows_range columns)
{
    return columns.first == 0 || columns.last <= n ||
           columns.last - columns.first > ROWS_LINE + sbp_columns(order);
}

/* The functions compute whole rows of a tile, with the closures along xi1 that it has. Conditions
 * of a call:
 *
 *   - h: simd_rows_fit.
 *   - Its rows read no closure along xi2.
 *   - The row buffers already hold the rows before those that the call computes.
 *   - The row after the last row that it reads exists in memory, and no other thread writes this
 *     row during the call: vectors read beyond the end of a row. */
typedef struct swe_simd_table {
    /* Two rows of v1, of its cross terms and of v2. */
    void (*velocity)(const swe_params *params, gradient_result result, const simd_velocity *v,
                     tile_prefetch *prefetch);
    /* Rows j and j + 1 of h. */
    void (*h)(const swe_params *params, const simd_h *h, int j, tile_prefetch *prefetch);
    /* Two rows of v1 and of v2 of a rotational flow, all in the tile, which has no closures along
     * xi1. */
    void (*v)(const swe_params *params, int substep, real weight, const simd_v *v,
              tile_prefetch *prefetch);
    /* Row row->j of the first sweep of a rotational flow. The call also computes row j + order - 1
     * of mean1 and cross1, and row j + order/2 - 1 of flux2 and, nonlinear, shear2 and square2. */
    void (*transport)(const swe_params *params, int substep, real weight, const transport_row *row,
                      tile_prefetch *prefetch);
} swe_simd_table;

/* v4 (AVX-512) and v3 (AVX2) exist only if SWE_HAS_CLONES. */
extern const swe_simd_table swe_simd_rows_v4 REAL_SYMBOL(swe_simd_rows_v4),
    swe_simd_rows_v3 REAL_SYMBOL(swe_simd_rows_v3),
    swe_simd_rows_base REAL_SYMBOL(swe_simd_rows_base);

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
