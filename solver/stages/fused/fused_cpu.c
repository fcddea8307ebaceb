#include "stages/fused/fused_cpu.h"

#include "stages/fused/fused_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"
#include "stages/tiles_cpu.h"

/* Vertices of a tile at most. So wide, the rows that a row of the tile takes stay in a core's
 * first-level cache; so high, the cross terms, the fluxes and the metric terms, which six panels
 * share, stay in its second. */
enum { FUSED_TILE_J = 64, FUSED_TILE_ROWS = FUSED_TILE_J + CPU_TILE_MARGIN };

/* What lives while a tile is worked on. Row r of cross1 and of flux2 is row r - first. */
typedef struct cpu_tile_work {
    real *cross1, *flux2;          /* (FUSED_TILE_ROWS, CPU_TILE_PITCH), columns of the tile */
    real *cross2, *flux1;          /* (CPU_TILE_PITCH), columns that the tile's vertices take */
    int next_cross1, first_cross1; /* rows of vertices: to be made next, first in the array */
    int next_flux2, first_flux2;   /* rows of cells */
    rows_range cells, vertices;    /* columns of flux1, and of cross2 */
} cpu_tile_work;

static const size_t fused_scratch_of_a_thread = (size_t)(2 * FUSED_TILE_ROWS + 2) * CPU_TILE_PITCH;

size_t swe_fused_scratch_cpu(const swe_view *view)
{
    return (size_t)view->workers.threads * fused_scratch_of_a_thread;
}

static cpu_tile_work tile_work_of(int order, int n, cpu_tile t, real *memory)
{
    cpu_tile_work w;
    w.cross1 = memory;
    w.flux2 = w.cross1 + FUSED_TILE_ROWS * CPU_TILE_PITCH;
    w.cross2 = w.flux2 + FUSED_TILE_ROWS * CPU_TILE_PITCH;
    w.flux1 = w.cross2 + CPU_TILE_PITCH;
    w.first_flux2 = w.next_flux2 = fused_first_cell(order, n, t.j.first);
    w.first_cross1 = w.next_cross1 = fused_first_vertex(order, n, w.first_flux2);
    w.cells = tiles_cells(order, n, t.i);
    w.vertices = tiles_vertices(order, n, w.cells);
    return w;
}

/* F2 of the rows that vertex row j takes, each made once. */
static void make_flux2(const swe_view *view, cpu_tile t, const real *v1, const real *v2, int j,
                       cpu_tile_work *w)
{
    const int order = view->sbp.order, n = view->layout.n, columns = t.i.last - t.i.first;
    const ptrdiff_t pitch = view->layout.pitch;
    for (; w->next_flux2 <= fused_last_cell(order, n, j); w->next_flux2++) {
        for (; w->next_cross1 <= fused_last_vertex(order, n, w->next_flux2); w->next_cross1++) {
            const ptrdiff_t at = w->next_cross1 * pitch + t.i.first;
            fetch(view, t.i, w->next_cross1 + 1, v1);
            fetch_metric(view, t, t.i, w->next_cross1 + 1, view->metric12);
            fused_cross1_row(view, t.i, view->metric12 + at, v1 + at,
                             w->cross1 + (w->next_cross1 - w->first_cross1) * CPU_TILE_PITCH);
        }
        const ptrdiff_t at = w->next_flux2 * pitch + t.i.first;
        fetch(view, t.i, w->next_flux2 + 1, v2);
        fetch_metric(view, t, t.i, w->next_flux2 + 1, view->metric22);
        fused_flux2_row(view, w->next_flux2, columns, view->metric22 + at, v2 + at,
                        w->cross1 + (w->next_flux2 - w->first_cross1) * CPU_TILE_PITCH,
                        CPU_TILE_PITCH,
                        w->flux2 + (w->next_flux2 - w->first_flux2) * CPU_TILE_PITCH);
    }
}

/* F1 of the cells that row j of the tile takes. */
static void make_flux1(const swe_view *view, cpu_tile t, const real *v1, const real *v2, int j,
                       const cpu_tile_work *w)
{
    const ptrdiff_t pitch = view->layout.pitch;
    const ptrdiff_t vertex = j * pitch + w->vertices.first, cell = j * pitch + w->cells.first;
    fetch_metric(view, t, w->cells, j + 1, view->metric11);
    fused_cross2_row(view, j, w->vertices.last - w->vertices.first, view->metric12 + vertex,
                     v2 + vertex, w->cross2);
    fused_flux1_row(view, w->cells, view->metric11 + cell, v1 + cell,
                    w->cross2 + (w->cells.first - w->vertices.first), w->flux1);
}

/* Row j of a tile. `a` is at the panel's first value of h. */
static void update_row(const swe_view *view, int part, real weight, cpu_tile t, int j, rk4_arrays a,
                       cpu_tile_work *w)
{
    const int n = view->layout.n, columns = t.i.last - t.i.first;
    const ptrdiff_t field = view->layout.field, at = j * view->layout.pitch + t.i.first;
    const rows_range cells = {t.i.first, t.i.last > n ? n : t.i.last};
    const rk4_arrays h = rk4_arrays_at(a, at), v1 = rk4_arrays_at(a, field + at),
                     v2 = rk4_arrays_at(a, 2 * field + at);
    make_flux2(view, t, a.in + field, a.in + 2 * field, j, w);
    make_flux1(view, t, a.in + field, a.in + 2 * field, j, w);
    fetch(view, t.i, j + 1 + view->sbp.order / 2, a.in);
    fetch_metric(view, t, t.i, j + 1, view->inverse_jacobian);
    fetch_part(view, part, t.i, j + 1, a);
    fused_h_row(view, part, weight, t.i, j, view->inverse_jacobian + at,
                w->flux1 + (t.i.first - w->cells.first),
                w->flux2 + (j - w->first_flux2) * CPU_TILE_PITCH, CPU_TILE_PITCH, &h);
    fetch_part(view, part, t.i, j + 1, rk4_arrays_at(a, field));
    fused_v1_row(view, part, weight, cells, h.in, &v1);
    if (j == n)
        return;
    fetch_part(view, part, t.i, j + 1, rk4_arrays_at(a, 2 * field));
    fused_v2_row(view, part, weight, columns, j, h.in, view->layout.pitch, &v2);
}

static void sweep_tile(const swe_view *view, int part, real weight, const cpu_tile *t,
                       const rk4_arrays *a, real *memory)
{
    cpu_tile_work w = tile_work_of(view->sbp.order, view->layout.n, *t, memory);
    for (int j = t->j.first; j < t->j.last; j++)
        update_row(view, part, weight, *t, j, *a, &w);
}

/* Rows of tiles are a multiple of the threads: of every panel, thread t has piece t of the rows. */
void swe_fused_clear_cpu(const swe_view *view, int panels, real *values)
{
    const swe_layout *layout = &view->layout;
    const rows_range own = rows_piece(layout->n + 1, omp_get_thread_num(), omp_get_num_threads());
    for (int panel = 0; panel < panels; panel++) {
        real *rows = values + panel * layout->panel;
        for (ptrdiff_t k = own.first * layout->pitch; k < own.last * layout->pitch; k++)
            rows[k] = 0;
    }
}

void swe_fused_cpu(const swe_view *view, int part, real weight, real *y, real *next)
{
    const tiles_cut cut = tiles_cut_of(view, FUSED_TILE_J);
    const rk4_arrays arrays = rk4_arrays_of(view, part, y, next);
    real *memory = view->scratch + (size_t)omp_get_thread_num() * fused_scratch_of_a_thread;
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int k = 0; k < cut.rows * cut.columns; k++)
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            const cpu_tile t = tiles_at(cut, panel, k);
            const rk4_arrays a = rk4_arrays_at(arrays, panel * view->layout.panel);
            sweep_tile(view, part, weight, &t, &a, memory);
        }
    thread_end(view);
#pragma omp barrier
}
