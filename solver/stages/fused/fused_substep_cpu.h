/* Rows of one substep of the fused stage on the CPU, one or two at a time. */
#ifndef SWE_STAGES_FUSED_PART_CPU_H
#define SWE_STAGES_FUSED_PART_CPU_H

#include "stages/contravariant/contravariant_tile_cpu.h"
#include "stages/fused/fused_rows.h"
#include "stages/fused/fused_two_cpu.h"

/* A substep and its arrays at the first value of h, v1 and v2: of all panels, or of one. */
typedef struct fused_substep {
    int substep;
    real weight;
    rk4_arrays h, v1, v2;
} fused_substep;

static inline fused_substep fused_substep_of(const swe_params *params, int substep, real weight,
                                             real *y, real *next)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays a = rk4_arrays_of(params, substep, y, next);
    const fused_substep p = {substep, weight, a, rk4_arrays_at(a, field),
                             rk4_arrays_at(a, 2 * field)};
    return p;
}

static inline fused_substep fused_substep_at(const fused_substep *whole, int panel,
                                             const swe_params *params)
{
    const ptrdiff_t at = panel * params->layout.panel;
    const fused_substep p = {whole->substep, whole->weight, rk4_arrays_at(whole->h, at),
                             rk4_arrays_at(whole->v1, at), rk4_arrays_at(whole->v2, at)};
    return p;
}

/* ---- a row ------------------------------------------------------------------------------------
 *
 * Each a function of its own, compiled for all orders and processors: small enough that a compiler
 * keeps all that a loop takes in registers. */

SWE_CLONES
static void fused_h_row(const swe_params *SWE_RESTRICT params, int substep, real weight,
                        rows_range vertices, int j, const real *inverse_jacobian, const real *flux1,
                        const real *flux2, ptrdiff_t up, const rk4_arrays *a)
{
    if (substep < 3)
        SWE_WITH_ORDER(
            params->sbp.order,
            ROWS_AT_VERTEX(ORDER, params->layout.n, j,
                           fused_h_of(ORDER, (sbp_region)REGION, params, 0, weight, vertices, j,
                                      inverse_jacobian, flux1, flux2, up, *a)));
    else
        SWE_WITH_ORDER(
            params->sbp.order,
            ROWS_AT_VERTEX(ORDER, params->layout.n, j,
                           fused_h_of(ORDER, (sbp_region)REGION, params, 3, weight, vertices, j,
                                      inverse_jacobian, flux1, flux2, up, *a)));
}

SWE_CLONES
static void fused_v1_row(const swe_params *SWE_RESTRICT params, int substep, real weight,
                         rows_range cells, const real *h, const rk4_arrays *a)
{
    if (substep < 3)
        SWE_WITH_ORDER(params->sbp.order, fused_v1_of(ORDER, params, 0, weight, cells, h, *a));
    else
        SWE_WITH_ORDER(params->sbp.order, fused_v1_of(ORDER, params, 3, weight, cells, h, *a));
}

SWE_CLONES
static void fused_v2_row(const swe_params *SWE_RESTRICT params, int substep, real weight,
                         rows_range vertices, int j, const real *h, const rk4_arrays *a)
{
    if (substep < 3)
        SWE_WITH_ORDER(params->sbp.order,
                       ROWS_AT_CELL(ORDER, params->layout.n, j,
                                    fused_v2_of(ORDER, (sbp_region)REGION, params, 0, weight,
                                                vertices, j, h, *a)));
    else
        SWE_WITH_ORDER(params->sbp.order,
                       ROWS_AT_CELL(ORDER, params->layout.n, j,
                                    fused_v2_of(ORDER, (sbp_region)REGION, params, 3, weight,
                                                vertices, j, h, *a)));
}

/* h of row j of a tile, whose rows are computed in order; v1 and v2 of row j of a panel. */

static inline void fused_make_h(const swe_params *params, const fused_substep *p, cpu_tile t, int j,
                                cpu_flux_tile *w, tile_prefetch *prefetch)
{
    const ptrdiff_t at = j * params->layout.pitch + t.i.first;
    const rk4_arrays a = rk4_arrays_at(p->h, at);
    swe_flux_tile_row(params, t, p->h.in, p->v1.in, p->v2.in, j, w, prefetch);
    fused_h_row(params, p->substep, p->weight, t.i, j, params->inverse_jacobian + at,
                flux_tile_1(w, t), flux_tile_2(w, j), CPU_TILE_PITCH, &a);
}

static inline void fused_make_v1(const swe_params *params, const fused_substep *p, rows_range cells,
                                 int j)
{
    const ptrdiff_t at = j * params->layout.pitch + cells.first;
    const rk4_arrays a = rk4_arrays_at(p->v1, at);
    fused_v1_row(params, p->substep, p->weight, cells, p->h.in + at, &a);
}

static inline void fused_make_v2(const swe_params *params, const fused_substep *p,
                                 rows_range vertices, int j)
{
    const ptrdiff_t at = j * params->layout.pitch + vertices.first;
    const rk4_arrays a = rk4_arrays_at(p->v2, at);
    fused_v2_row(params, p->substep, p->weight, vertices, j, p->h.in + at, &a);
}

/* ---- two rows -------------------------------------------------------------------------------- */

/* Whether rows j and j + 1 of h can be computed together: all rows that they read are off the
 * closures along xi2; the inputs of the row before are computed; and one readable row (of `rows`)
 * follows the last row that they read, because SIMD vectors read beyond the end of a row. */
static inline int fused_two_h_fit(int order, int n, int j, int rows, const cpu_flux_tile *w)
{
    const rows_range vertices = rows_vertices(order, n), cells = rows_cells(order, n);
    const int cell = j + order / 2 - 1, vertex = j + order - 1; /* the next to compute */
    return two_rows_here() != NULL && j >= vertices.first && j + 1 < vertices.last &&
           cell >= cells.first && cell + 1 < cells.last && vertex + 2 < rows &&
           w->next_flux2 == cell && w->next_cross1 == vertex;
}

/* Likewise v2 of rows j and j + 1. */
static inline int fused_two_v2_fit(int order, int n, int j, int rows)
{
    const rows_range cells = rows_cells(order, n);
    return two_rows_here() != NULL && j >= cells.first && j + 1 < cells.last &&
           j + order / 2 + 2 < rows;
}

/* Rows j and j + 1 of h. */
static inline void fused_make_two_h(const swe_params *params, const fused_substep *p, cpu_tile t,
                                    int j, cpu_flux_tile *w, tile_prefetch *prefetch)
{
    const ptrdiff_t at = j * params->layout.pitch + t.i.first, line = CPU_TILE_PITCH;
    swe_flux_tile_room(params, t, j, 2, w);
    const two_h rows = {
        .tile = t,
        .v1 = p->v1.in + at,
        .v2 = p->v2.in + at,
        .metric11 = params->metric11 + at,
        .metric12 = params->metric12 + at,
        .metric22 = params->metric22 + at,
        .inverse_jacobian = params->inverse_jacobian + at,
        .h = rk4_arrays_at(p->h, at),
        .cross1 = w->cross1 + (j - w->first_cross1) * line,
        .flux2 = w->flux2 + (j - w->first_flux2) * line,
        .cross2 = {w->cross2, w->cross2 + line},
        .flux1 = {w->flux1, w->flux1 + line},
    };
    two_rows_here()->h(params, p->substep, p->weight, &rows, j, prefetch);
    w->next_cross1 += 2;
    w->next_flux2 += 2;
}

/* Rows j1 and j1 + 1 of v1, j2 and j2 + 1 of v2. */
static inline void fused_make_two_v(const swe_params *params, const fused_substep *p,
                                    rows_range cells, int j1, rows_range vertices, int j2,
                                    tile_prefetch *prefetch)
{
    const int first = vertices.first / ROWS_LINE * ROWS_LINE;
    const ptrdiff_t at1 = j1 * params->layout.pitch + first,
                    at2 = j2 * params->layout.pitch + first;
    const two_v rows = {
        .i = {first, vertices.last},
        .cells = cells,
        .vertices = vertices,
        .h1 = p->h.in + at1,
        .h2 = p->h.in + at2,
        .pv_flux1 = NULL,
        .pv_flux2 = NULL,
        .v1 = rk4_arrays_at(p->v1, at1),
        .v2 = rk4_arrays_at(p->v2, at2),
    };
    two_rows_here()->v(params, p->substep, p->weight, &rows, prefetch);
}

#endif
