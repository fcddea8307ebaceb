/* The contravariant flux of a tile of vertices, row after row: cross terms and fluxes that the
 * tile's vertices take, each made once, which live only while the tile is worked on. */
#ifndef SWE_STAGES_CONTRAVARIANT_TILE_CPU_H
#define SWE_STAGES_CONTRAVARIANT_TILE_CPU_H

#include "stages/tiles_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of vertices of a tile at most: metric terms of so many, which six panels share, stay in a
 * cache. Rows of a window: operators of order 6 take nine at a panel's edge; more of them, and
 * fewer are moved. */
enum { FLUX_TILE_J = 128, FLUX_TILE_ROWS = 16 };

/* Windows have the columns of the tile; row r of one is row r - first. A window that is full goes
 * on with the rows that are still to be taken. Lines have the columns that the tile's vertices
 * take. */
typedef struct cpu_flux_tile {
    real *cross1, *flux2;          /* windows (FLUX_TILE_ROWS, CPU_TILE_PITCH) */
    real *cross2, *flux1;          /* lines (2, CPU_TILE_PITCH), the first of the row made last */
    int next_cross1, first_cross1; /* rows of vertices: to be made next, first of the window */
    int next_flux2, first_flux2;   /* rows of cells */
    rows_range cells, vertices;    /* columns of flux1, and of cross2 */
} cpu_flux_tile;

/* Values of memory that a tile wants. */
static const size_t flux_tile_size = (size_t)(2 * FLUX_TILE_ROWS + 4) * CPU_TILE_PITCH;

/* Begin a tile. */
cpu_flux_tile swe_flux_tile_begin(const swe_params *params, cpu_tile t, real *memory);

/* Add what the row takes that is `by` rows after j, which is to be made, of h, v1, v2 and metric
 * terms, 1/J among them. */
void swe_flux_tile_prefetch(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                            const real *v2, int j, int by, const cpu_flux_tile *w,
                            tile_prefetch *prefetch);

/* Make what row j of the tile takes; rows come one after the other. h, v1 and v2 are the panel's
 * first values; linear: h is not read. Asks for some of `prefetch` between its loops. */
void swe_flux_tile_row(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                       const real *v2, int j, cpu_flux_tile *w, tile_prefetch *prefetch);

/* Room in both windows for `rows` more rows, which are the caller's to make, where rows from j on
 * are to come, off the closures. */
void swe_flux_tile_room(const swe_params *params, cpu_tile t, int j, int rows, cpu_flux_tile *w);

/* F1 of the row made last, and F2 of row j of cells, at the tile's first column. */

static inline const real *flux_tile_1(const cpu_flux_tile *w, cpu_tile t)
{
    return w->flux1 + (t.i.first - w->cells.first);
}

static inline const real *flux_tile_2(const cpu_flux_tile *w, int j)
{
    return w->flux2 + (j - w->first_flux2) * (ptrdiff_t)CPU_TILE_PITCH;
}

/* F along pieces of row j; fields and metric terms point at the first place, cross2 at the vertex
 * of the first cell, cross1 at row j of a window, whose rows are `up` apart. */

void swe_flux1_row(const swe_params *params, rows_range cells, const real *metric11, const real *h,
                   const real *v1, const real *cross2, real *out);

void swe_flux2_row(const swe_params *params, int j, int count, const real *metric22, const real *h,
                   const real *v2, const real *cross1, ptrdiff_t up, real *out);

#ifdef __cplusplus
}
#endif
#endif
