/* Rows of a part of a step on the CPU, as the fused stage makes them. */
#ifndef SWE_STAGES_FUSED_PART_CPU_H
#define SWE_STAGES_FUSED_PART_CPU_H

#include "stages/contravariant/contravariant_tile_cpu.h"
#include "stages/fused/fused_rows.h"

/* A part, and its arrays at the first value of h, v1 and v2: of all panels, or of one. */
typedef struct fused_part {
    int part;
    real weight;
    rk4_arrays h, v1, v2;
} fused_part;

static inline fused_part fused_part_of(const swe_view *view, int part, real weight, real *y,
                                       real *next)
{
    const ptrdiff_t field = view->layout.field;
    const rk4_arrays a = rk4_arrays_of(view, part, y, next);
    const fused_part p = {part, weight, a, rk4_arrays_at(a, field), rk4_arrays_at(a, 2 * field)};
    return p;
}

static inline fused_part fused_part_at(const fused_part *whole, int panel, const swe_view *view)
{
    const ptrdiff_t at = panel * view->layout.panel;
    const fused_part p = {whole->part, whole->weight, rk4_arrays_at(whole->h, at),
                          rk4_arrays_at(whole->v1, at), rk4_arrays_at(whole->v2, at)};
    return p;
}

/* h of row j of a tile, whose rows come one after the other; v1 and v2 of row j of a panel. */

static inline void fused_make_h(const swe_view *view, const fused_part *p, cpu_tile t, int j,
                                cpu_flux_tile *w, tile_ahead *ahead)
{
    const ptrdiff_t at = j * view->layout.pitch + t.i.first;
    const rk4_arrays a = rk4_arrays_at(p->h, at);
    swe_flux_tile_row(view, t, p->h.in, p->v1.in, p->v2.in, j, w, ahead);
    fused_h_row(view, p->part, p->weight, t.i, j, view->inverse_jacobian + at, flux_tile_1(w, t),
                flux_tile_2(w, j), CPU_TILE_PITCH, &a);
}

static inline void fused_make_v1(const swe_view *view, const fused_part *p, rows_range cells, int j)
{
    const ptrdiff_t at = j * view->layout.pitch + cells.first;
    const rk4_arrays a = rk4_arrays_at(p->v1, at);
    fused_v1_row(view, p->part, p->weight, cells, p->h.in + at, &a);
}

static inline void fused_make_v2(const swe_view *view, const fused_part *p, rows_range vertices,
                                 int j)
{
    const ptrdiff_t at = j * view->layout.pitch + vertices.first;
    const rk4_arrays a = rk4_arrays_at(p->v2, at);
    fused_v2_row(view, p->part, p->weight, vertices, j, p->h.in + at, &a);
}

#endif
