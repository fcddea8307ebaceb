#include "stages/fused/fused_cpu.h"

#include "stages/contravariant/contravariant_rows.h"
#include "stages/divergence/divergence_rows.h"
#include "stages/fused/fused_tile.h"
#include "stages/gradient/gradient_rows.h"
#include "stages/rk4/rk4_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* Vertices of a tile: its cross terms and fluxes, and the metric terms that six panels share, stay
 * in a core's own cache. */
enum {
    CPU_TILE_I = 512,
    CPU_TILE_J = 32,
    /* of order 6, whose operators take most: cells, or vertices, beyond a tile on both sides */
    CPU_TILE_MARGIN = 16,
    CPU_TILE_PITCH = CPU_TILE_I + CPU_TILE_MARGIN,
    CPU_TILE_ROWS = CPU_TILE_J + CPU_TILE_MARGIN
};

typedef struct cpu_tile {
    int panel;
    rows_range i, j;
} cpu_tile;

/* What lives while a tile is worked on. Row r of cross1 and of flux2 is row r - first. */
typedef struct cpu_tile_work {
    real *cross1, *flux2;          /* (CPU_TILE_ROWS, CPU_TILE_PITCH), columns of the tile */
    real *cross2, *flux1;          /* (CPU_TILE_PITCH), columns that the tile's vertices take */
    real *tendency;                /* (CPU_TILE_PITCH) */
    int next_cross1, first_cross1; /* rows of vertices: to be made next, first in the array */
    int next_flux2, first_flux2;   /* rows of cells */
    rows_range cells, vertices;    /* columns of flux1, and of cross2 */
} cpu_tile_work;

size_t swe_fused_scratch_cpu(const swe_view *view)
{
    return (size_t)view->workers.threads * (2 * CPU_TILE_ROWS + 3) * CPU_TILE_PITCH;
}

SWE_POINT cpu_tile_work tile_work_of(int order, int n, cpu_tile t, real *memory)
{
    cpu_tile_work w;
    w.cross1 = memory;
    w.flux2 = w.cross1 + CPU_TILE_ROWS * CPU_TILE_PITCH;
    w.cross2 = w.flux2 + CPU_TILE_ROWS * CPU_TILE_PITCH;
    w.flux1 = w.cross2 + CPU_TILE_PITCH;
    w.tendency = w.flux1 + CPU_TILE_PITCH;
    w.first_flux2 = w.next_flux2 = fused_first_cell(order, n, t.j.first);
    w.first_cross1 = w.next_cross1 = fused_first_vertex(order, n, w.first_flux2);
    w.cells.first = fused_first_cell(order, n, t.i.first);
    w.cells.last = fused_last_cell(order, n, t.i.last - 1) + 1;
    w.vertices.first = fused_first_vertex(order, n, w.cells.first);
    w.vertices.last = fused_last_vertex(order, n, w.cells.last - 1) + 1;
    return w;
}

/* F2 of the rows that vertex row j takes, each made once. */
SWE_POINT void make_flux2(int order, const swe_view *view, cpu_tile t, const real *v1,
                          const real *v2, int j, cpu_tile_work *w)
{
    const int n = view->layout.n, columns = t.i.last - t.i.first;
    const ptrdiff_t pitch = view->layout.pitch;
    for (; w->next_flux2 <= fused_last_cell(order, n, j); w->next_flux2++) {
        for (; w->next_cross1 <= fused_last_vertex(order, n, w->next_flux2); w->next_cross1++) {
            const ptrdiff_t at = w->next_cross1 * pitch + t.i.first;
            contravariant_cross1_row(order, view, t.i, view->metric12 + at, v1 + at,
                                     w->cross1 +
                                         (w->next_cross1 - w->first_cross1) * CPU_TILE_PITCH);
        }
        const ptrdiff_t at = w->next_flux2 * pitch + t.i.first;
        contravariant_flux2_row(order, view, w->next_flux2, columns, view->metric22 + at, v2 + at,
                                w->cross1 + (w->next_flux2 - w->first_cross1) * CPU_TILE_PITCH,
                                CPU_TILE_PITCH,
                                w->flux2 + (w->next_flux2 - w->first_flux2) * CPU_TILE_PITCH);
    }
}

/* F1 of the cells that row j of the tile takes. */
SWE_POINT void make_flux1(int order, const swe_view *view, const real *v1, const real *v2, int j,
                          cpu_tile_work *w)
{
    const ptrdiff_t pitch = view->layout.pitch, row = j * pitch;
    contravariant_cross2_row(order, view, j, w->vertices.last - w->vertices.first,
                             view->metric12 + row + w->vertices.first, v2 + row + w->vertices.first,
                             pitch, w->cross2);
    contravariant_flux1_row(order, view, w->cells, view->metric11 + row + w->cells.first,
                            v1 + row + w->cells.first,
                            w->cross2 + (w->cells.first - w->vertices.first), w->flux1);
}

/* The part at row j of a tile: h, v1 and v2. `a` is at the panel's first value of h. */
SWE_POINT void update_row(int order, const swe_view *view, int part, real weight, cpu_tile t, int j,
                          rk4_arrays a, cpu_tile_work *w)
{
    const int n = view->layout.n, columns = t.i.last - t.i.first;
    const ptrdiff_t pitch = view->layout.pitch, field = view->layout.field;
    const ptrdiff_t at = j * pitch + t.i.first;
    const rows_range cells = {t.i.first, t.i.last > n ? n : t.i.last};
    make_flux2(order, view, t, a.in + field, a.in + 2 * field, j, w);
    make_flux1(order, view, a.in + field, a.in + 2 * field, j, w);
    divergence_row(DIVERGENCE_WEAK, order, view, j, t.i, view->inverse_jacobian + at,
                   w->flux1 + (t.i.first - w->cells.first),
                   w->flux2 + (j - w->first_flux2) * CPU_TILE_PITCH, CPU_TILE_PITCH, w->tendency);
    rk4_row(part, weight, columns, w->tendency, rk4_arrays_at(a, at));
    gradient_row1(order, view, cells, a.in + at, w->tendency);
    rk4_row(part, weight, cells.last - cells.first, w->tendency, rk4_arrays_at(a, field + at));
    if (j == n)
        return;
    gradient_row2(order, view, j, columns, a.in + at, pitch, w->tendency);
    rk4_row(part, weight, columns, w->tendency, rk4_arrays_at(a, 2 * field + at));
}

SWE_POINT void sweep_tile_of_order(int order, const swe_view *view, int part, real weight,
                                   cpu_tile t, rk4_arrays a, real *memory)
{
    cpu_tile_work w = tile_work_of(order, view->layout.n, t, memory);
    for (int j = t.j.first; j < t.j.last; j++)
        if (part < 3)
            update_row(order, view, 0, weight, t, j, a, &w);
        else
            update_row(order, view, 3, weight, t, j, a, &w);
}

SWE_CLONES
static void sweep_tile(const swe_view *view, int part, real weight, const cpu_tile *t,
                       const rk4_arrays *a, real *memory)
{
    SWE_WITH_ORDER(view->sbp.order, sweep_tile_of_order(ORDER, view, part, weight, *t, *a, memory));
}

/* Piece `index` of `count` nearly equal pieces of 0..n. */
static rows_range piece(int n, int index, int count)
{
    const int places = n + 1;
    const rows_range range = {(int)((long)places * index / count),
                              (int)((long)places * (index + 1) / count)};
    return range;
}

void swe_fused_cpu(const swe_view *view, int part, real weight, real *y, real *next)
{
    const int n = view->layout.n, threads = view->workers.threads;
    const int columns = (n + CPU_TILE_I) / CPU_TILE_I;
    const int least = (n + CPU_TILE_J) / CPU_TILE_J,
              rows = (least + threads - 1) / threads * threads;
    const rk4_arrays arrays = rk4_arrays_of(view, part, y, next);
    thread_begin(view);
    real *memory =
        view->scratch + omp_get_thread_num() * (swe_fused_scratch_cpu(view) / (size_t)threads);
#pragma omp for schedule(static) nowait
    for (int k = 0; k < rows * columns; k++)
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            const cpu_tile t = {panel, piece(n, k % columns, columns), piece(n, k / columns, rows)};
            const rk4_arrays a = rk4_arrays_at(arrays, panel * view->layout.panel);
            sweep_tile(view, part, weight, &t, &a, memory);
        }
    thread_end(view);
#pragma omp barrier
}
