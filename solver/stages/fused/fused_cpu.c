#include "stages/fused/fused_cpu.h"

#include "stages/contravariant/contravariant_tile_cpu.h"
#include "stages/fused/fused_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"
#include "stages/tiles_cpu.h"

static tile_ahead row_ahead(const swe_view *view, int part, cpu_tile t, int j, rk4_arrays a,
                            const cpu_flux_tile *w)
{
    const ptrdiff_t field = view->layout.field;
    tile_ahead ahead = ahead_begin(view, t.i);
    swe_flux_tile_ahead(view, t, a.in, a.in + field, a.in + 2 * field, j, w, &ahead);
    ahead_add(&ahead, view, t.i, j + 1 + view->sbp.order / 2, a.in);
    for (int k = 0; k < 3; k++)
        ahead_add_part(&ahead, view, part, t.i, j + 1, rk4_arrays_at(a, k * field));
    return ahead;
}

/* Row j of a tile. `a` is at the panel's first value of h. */
static void update_row(const swe_view *view, int part, real weight, cpu_tile t, int j, rk4_arrays a,
                       cpu_flux_tile *w)
{
    const int n = view->layout.n, columns = t.i.last - t.i.first;
    const ptrdiff_t field = view->layout.field, at = j * view->layout.pitch + t.i.first;
    const rows_range cells = {t.i.first, t.i.last > n ? n : t.i.last};
    const rk4_arrays h = rk4_arrays_at(a, at), v1 = rk4_arrays_at(a, field + at),
                     v2 = rk4_arrays_at(a, 2 * field + at);
    const tile_ahead ahead = row_ahead(view, part, t, j, a, w);
    swe_flux_tile_row(view, t, a.in, a.in + field, a.in + 2 * field, j, w, &ahead);
    fused_h_row(view, part, weight, t.i, j, view->inverse_jacobian + at, flux_tile_1(w, t),
                flux_tile_2(w, j), CPU_TILE_PITCH, &h);
    ahead_ask(&ahead, FLUX_TILE_PIECES);
    fused_v1_row(view, part, weight, cells, h.in, &v1);
    ahead_ask(&ahead, FLUX_TILE_PIECES + 1);
    if (j == n)
        return;
    fused_v2_row(view, part, weight, columns, j, h.in, view->layout.pitch, &v2);
    ahead_ask(&ahead, FLUX_TILE_PIECES + 2);
}

static void sweep_tile(const swe_view *view, int part, real weight, const cpu_tile *t,
                       const rk4_arrays *a, real *memory)
{
    cpu_flux_tile w = swe_flux_tile_begin(view, *t, memory);
    for (int j = t->j.first; j < t->j.last; j++)
        update_row(view, part, weight, *t, j, *a, &w);
}

/* Rows of tiles are a multiple of the threads: of every panel, thread t has piece t of the rows. */
void swe_fused_clear_cpu(const swe_view *view, int panels, real *values)
{
    const swe_layout *layout = &view->layout;
    const rows_range own = threads_piece(layout->n + 1);
    for (int panel = 0; panel < panels; panel++) {
        real *rows = values + panel * layout->panel;
        for (ptrdiff_t k = own.first * layout->pitch; k < own.last * layout->pitch; k++)
            rows[k] = 0;
    }
}

void swe_fused_cpu(const swe_view *view, int part, real weight, real *y, real *next)
{
    const rk4_arrays arrays = rk4_arrays_of(view, part, y, next);
    real *memory = threads_scratch(view, flux_tile_size);
    thread_begin(view);
    FOR_OWN_TILES(view, CPU_TILE_I, FLUX_TILE_J, t, {
        const rk4_arrays a = rk4_arrays_at(arrays, t.panel * view->layout.panel);
        sweep_tile(view, part, weight, &t, &a, memory);
    });
    thread_end(view);
#pragma omp barrier
}
