#include "stages/fused/fused_cpu.h"

#include "stages/contravariant/contravariant_rows.h"
#include "stages/divergence/divergence_point.h"
#include "stages/fused/fused_tile.h"
#include "stages/gradient/gradient_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* Vertices of a tile at most. So wide, the rows that a row of the tile takes stay in a core's
 * first-level cache; so high, the cross terms, the fluxes and the metric terms, which six panels
 * share, stay in its second. */
enum {
    CPU_TILE_I = 128,
    CPU_TILE_J = 64,
    CPU_TILE_MARGIN = 16, /* that operators of order 6 take beyond it, both sides together */
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
    int next_cross1, first_cross1; /* rows of vertices: to be made next, first in the array */
    int next_flux2, first_flux2;   /* rows of cells */
    rows_range cells, vertices;    /* columns of flux1, and of cross2 */
} cpu_tile_work;

static const size_t scratch_of_a_thread = (size_t)(2 * CPU_TILE_ROWS + 2) * CPU_TILE_PITCH;

size_t swe_fused_scratch_cpu(const swe_view *view)
{
    return (size_t)view->workers.threads * scratch_of_a_thread;
}

SWE_POINT cpu_tile_work tile_work_of(int order, int n, cpu_tile t, real *memory)
{
    cpu_tile_work w;
    w.cross1 = memory;
    w.flux2 = w.cross1 + CPU_TILE_ROWS * CPU_TILE_PITCH;
    w.cross2 = w.flux2 + CPU_TILE_ROWS * CPU_TILE_PITCH;
    w.flux1 = w.cross2 + CPU_TILE_PITCH;
    w.first_flux2 = w.next_flux2 = fused_first_cell(order, n, t.j.first);
    w.first_cross1 = w.next_cross1 = fused_first_vertex(order, n, w.first_flux2);
    w.cells.first = fused_first_cell(order, n, t.i.first);
    w.cells.last = fused_last_cell(order, n, t.i.last - 1) + 1;
    w.vertices.first = fused_first_vertex(order, n, w.cells.first);
    w.vertices.last = fused_last_vertex(order, n, w.cells.last - 1) + 1;
    return w;
}

/* Ask for a tile's columns of row j of a field, or of a metric term, that begins at `field`, while
 * the row before is worked on: rows of a tile are too short for a processor to see by itself what
 * comes next. */
SWE_POINT void fetch(const swe_view *view, rows_range columns, int j, const real *field)
{
    const real *row = field + j * view->layout.pitch;
    const int line = 64 / sizeof *row;
    if (j <= view->layout.n)
        for (int i = columns.first; i < columns.last; i += line)
            __builtin_prefetch(row + i, 0, 2);
}

/* The same of a row that will be written. */
SWE_POINT void fetch_to_write(const swe_view *view, rows_range columns, int j, const real *field)
{
    const real *row = field + j * view->layout.pitch;
    const int line = 64 / sizeof *row;
    if (j <= view->layout.n)
        for (int i = columns.first; i < columns.last; i += line)
            __builtin_prefetch(row + i, 1, 2);
}

/* The first panel of a tile brings the metric terms, which then are there for the others. */
SWE_POINT void fetch_metric(const swe_view *view, cpu_tile t, rows_range columns, int j,
                            const real *term)
{
    if (t.panel == 0)
        fetch(view, columns, j, term);
}

/* What a part reads of a field at row j, but for stencils, and writes. */
SWE_POINT void fetch_part(const swe_view *view, int part, rows_range columns, int j, rk4_arrays a)
{
    fetch(view, columns, j, a.y);
    if (part < 3) {
        fetch_to_write(view, columns, j, a.out);
    } else {
        fetch(view, columns, j, a.y1);
        fetch(view, columns, j, a.y2);
    }
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
            fetch(view, t.i, w->next_cross1 + 1, v1);
            fetch_metric(view, t, t.i, w->next_cross1 + 1, view->metric12);
            contravariant_cross1_row(order, view, t.i, view->metric12 + at, v1 + at,
                                     w->cross1 +
                                         (w->next_cross1 - w->first_cross1) * CPU_TILE_PITCH);
        }
        const ptrdiff_t at = w->next_flux2 * pitch + t.i.first;
        fetch(view, t.i, w->next_flux2 + 1, v2);
        fetch_metric(view, t, t.i, w->next_flux2 + 1, view->metric22);
        contravariant_flux2_row(order, view, w->next_flux2, columns, view->metric22 + at, v2 + at,
                                w->cross1 + (w->next_flux2 - w->first_cross1) * CPU_TILE_PITCH,
                                CPU_TILE_PITCH,
                                w->flux2 + (w->next_flux2 - w->first_flux2) * CPU_TILE_PITCH);
    }
}

/* F1 of the cells that row j of the tile takes. */
SWE_POINT void make_flux1(int order, const swe_view *view, cpu_tile t, const real *v1,
                          const real *v2, int j, const cpu_tile_work *w)
{
    const ptrdiff_t pitch = view->layout.pitch;
    const ptrdiff_t vertex = j * pitch + w->vertices.first, cell = j * pitch + w->cells.first;
    fetch_metric(view, t, w->cells, j + 1, view->metric11);
    contravariant_cross2_row(order, view, j, w->vertices.last - w->vertices.first,
                             view->metric12 + vertex, v2 + vertex, pitch, w->cross2);
    contravariant_flux1_row(order, view, w->cells, view->metric11 + cell, v1 + cell,
                            w->cross2 + (w->cells.first - w->vertices.first), w->flux1);
}

/* The part of h, of v1 and of v2 along row j of a tile; `a` is at the row's first place. */

SWE_POINT void update_h(int order, sbp_region where_j, const swe_view *view, int part, real weight,
                        rows_range vertices, int j, const real *SWE_RESTRICT inverse_jacobian,
                        const real *SWE_RESTRICT flux1, const real *SWE_RESTRICT flux2,
                        rk4_arrays a)
{
    ROWS_ALONG(
        vertices, rows_vertices(order, view->layout.n),
        rk4_point(part, weight,
                  divergence_point(DIVERGENCE_WEAK, order, where, where_j, view, j, i,
                                   inverse_jacobian[k], flux1 + k, flux2 + k, CPU_TILE_PITCH),
                  rk4_arrays_at(a, k)));
}

SWE_POINT void update_v1(int order, const swe_view *view, int part, real weight, rows_range cells,
                         const real *SWE_RESTRICT h, rk4_arrays a)
{
    ROWS_ALONG(cells, rows_cells(order, view->layout.n),
               rk4_point(part, weight, gradient_point1(order, where, view, i, h + k),
                         rk4_arrays_at(a, k)));
}

SWE_POINT void update_v2(int order, sbp_region where_j, const swe_view *view, int part, real weight,
                         int columns, int j, const real *SWE_RESTRICT h, rk4_arrays a)
{
    const ptrdiff_t pitch = view->layout.pitch;
#pragma omp simd
    for (int k = 0; k < columns; k++)
        rk4_point(part, weight, gradient_point2(order, where_j, view, j, h + k, pitch),
                  rk4_arrays_at(a, k));
}

/* Row j of a tile. `a` is at the panel's first value of h. */
SWE_POINT void update_row(int order, const swe_view *view, int part, real weight, cpu_tile t, int j,
                          rk4_arrays a, cpu_tile_work *w)
{
    const int n = view->layout.n, columns = t.i.last - t.i.first;
    const ptrdiff_t field = view->layout.field, at = j * view->layout.pitch + t.i.first;
    const rows_range cells = {t.i.first, t.i.last > n ? n : t.i.last};
    const rk4_arrays h = rk4_arrays_at(a, at), v1 = rk4_arrays_at(a, field + at),
                     v2 = rk4_arrays_at(a, 2 * field + at);
    make_flux2(order, view, t, a.in + field, a.in + 2 * field, j, w);
    make_flux1(order, view, t, a.in + field, a.in + 2 * field, j, w);
    const real *flux1 = w->flux1 + (t.i.first - w->cells.first);
    const real *flux2 = w->flux2 + (j - w->first_flux2) * CPU_TILE_PITCH;
    fetch(view, t.i, j + 1 + order / 2, a.in);
    fetch_metric(view, t, t.i, j + 1, view->inverse_jacobian);
    fetch_part(view, part, t.i, j + 1, a);
    if (rows_is_interior(rows_vertices(order, n), j))
        update_h(order, SBP_INTERIOR, view, part, weight, t.i, j, view->inverse_jacobian + at,
                 flux1, flux2, h);
    else
        update_h(order, SBP_ANYWHERE, view, part, weight, t.i, j, view->inverse_jacobian + at,
                 flux1, flux2, h);
    fetch_part(view, part, t.i, j + 1, rk4_arrays_at(a, field));
    update_v1(order, view, part, weight, cells, h.in, v1);
    if (j == n)
        return;
    fetch_part(view, part, t.i, j + 1, rk4_arrays_at(a, 2 * field));
    if (rows_is_interior(rows_cells(order, n), j))
        update_v2(order, SBP_INTERIOR, view, part, weight, columns, j, h.in, v2);
    else
        update_v2(order, SBP_ANYWHERE, view, part, weight, columns, j, h.in, v2);
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

/* Piece `index` of `count` nearly equal pieces of `places`. */
static rows_range piece(int places, int index, int count)
{
    const rows_range range = {(int)((long)places * index / count),
                              (int)((long)places * (index + 1) / count)};
    return range;
}

/* Columns are cut where cache lines are. */
static cpu_tile tile_of(int n, int panel, int column, int columns, int row, int rows)
{
    const int line = 64 / sizeof(real);
    const rows_range lines = piece((n + line) / line, column, columns);
    cpu_tile t = {panel, {lines.first * line, lines.last * line}, piece(n + 1, row, rows)};
    if (t.i.last > n)
        t.i.last = n + 1;
    return t;
}

void swe_fused_cpu(const swe_view *view, int part, real weight, real *y, real *next)
{
    const int n = view->layout.n, threads = view->workers.threads;
    const int columns = (n + CPU_TILE_I) / CPU_TILE_I, least = (n + CPU_TILE_J) / CPU_TILE_J;
    const int rows = (least + threads - 1) / threads * threads;
    const rk4_arrays arrays = rk4_arrays_of(view, part, y, next);
    real *memory = view->scratch + (size_t)omp_get_thread_num() * scratch_of_a_thread;
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int k = 0; k < rows * columns; k++)
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            const cpu_tile t = tile_of(n, panel, k % columns, columns, k / columns, rows);
            const rk4_arrays a = rk4_arrays_at(arrays, panel * view->layout.panel);
            sweep_tile(view, part, weight, &t, &a, memory);
        }
    thread_end(view);
#pragma omp barrier
}
