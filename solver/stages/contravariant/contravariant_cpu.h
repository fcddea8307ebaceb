/* The contravariant flux of a tile of vertices on the CPU, row after row. Cross terms and fluxes
 * that the tile reads are computed once and exist only while the tile is processed. */
#ifndef SWE_STAGES_CONTRAVARIANT_CPU_H
#define SWE_STAGES_CONTRAVARIANT_CPU_H

#include "stages/tiles_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most rows of vertices of a tile: the metric terms of these rows, which six panels share, stay in
 * a cache. Rows of a row buffer: operators of order 6 read nine rows at a panel edge; a longer
 * buffer moves its rows less often. */
enum {
    FLUX_TILE_J = 128,
    FLUX_TILE_ROWS = 16,
    FLUX_TILES =
        2 /* tiles whose fluxes a thread keeps at a time: one for each substep of a sweep */
};

/* Row buffers have the columns of the tile; row r is stored at index r - first. A full buffer keeps
 * the rows that are still needed. Lines have the columns that the tile's vertices read. */
typedef struct cpu_flux_tile {
    real *cross1, *flux2;          /* row buffers (FLUX_TILE_ROWS, CPU_TILE_PITCH) */
    real *cross2, *flux1;          /* lines (2, CPU_TILE_PITCH), the first for the newest row */
    int next_cross1, first_cross1; /* rows of vertices: next to compute, first of the buffer */
    int next_flux2, first_flux2;   /* rows of cells */
    rows_range cells, vertices;    /* columns of flux1, and of cross2 */
} cpu_flux_tile;

/* Number of values that a tile's buffers need. */
static const size_t flux_tile_size = (size_t)(2 * FLUX_TILE_ROWS + 4) * CPU_TILE_PITCH;

/* Begin a tile. `scratch` has flux_tile_size values. */
cpu_flux_tile swe_flux_tile_begin(const swe_params *params, cpu_tile t, real *scratch)
    REAL_SYMBOL(swe_flux_tile_begin);

/* Add to a prefetch the metric terms of the row `by` rows after j, 1/J included. */
void swe_flux_tile_prefetch(const swe_params *params, cpu_tile t, int j, int by,
                            const cpu_flux_tile *w, tile_prefetch *prefetch)
    REAL_SYMBOL(swe_flux_tile_prefetch);

/* Compute the fluxes that row j of the tile reads; rows come in order. h, v1 and v2 point at the
 * panel; linear: h is not read. Issues steps of `prefetch` between its loops. */
void swe_flux_tile_compute(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                           const real *v2, int j, cpu_flux_tile *w, tile_prefetch *prefetch)
    REAL_SYMBOL(swe_flux_tile_compute);

/* Reserve `rows` more rows in both row buffers. The caller computes them; it continues with row j,
 * off the closures. */
void swe_flux_tile_reserve(const swe_params *params, cpu_tile t, int j, int rows, cpu_flux_tile *w)
    REAL_SYMBOL(swe_flux_tile_reserve);

/* F1 of the newest row, and F2 of row j of cells, at the tile's first column. */

static inline const real *flux_tile_1(const cpu_flux_tile *w, cpu_tile t)
{
    return w->flux1 + (t.i.first - w->cells.first);
}

static inline const real *flux_tile_2(const cpu_flux_tile *w, int j)
{
    return w->flux2 + (j - w->first_flux2) * (ptrdiff_t)CPU_TILE_PITCH;
}

/* F along a section of row j. Fields and metric terms point at the first value. cross2 points at
 * the vertex west of the first cell, cross1 at row j of a row buffer, whose rows are `up` apart. */

void swe_flux1_row(const swe_params *params, rows_range cells, const real *metric11, const real *h,
                   const real *v1, const real *cross2, real *out) REAL_SYMBOL(swe_flux1_row);

void swe_flux2_row(const swe_params *params, int j, int count, const real *metric22, const real *h,
                   const real *v2, const real *cross1, ptrdiff_t up, real *out)
    REAL_SYMBOL(swe_flux2_row);

#ifdef __cplusplus
}
#endif
#endif
