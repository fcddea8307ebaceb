#include "stages/fused/fused_cpu.h"

#include "stages/fused/fused_pair_cpu.h"
#include "stages/fused/fused_substep_cpu.h"
#include "stages/stages.h"

/* Thread t owns piece t of the rows of every panel. */
void swe_fused_clear_cpu(const swe_params *params, int panels, real *values)
{
    const swe_layout *layout = &params->layout;
    const rows_range own = threads_piece(layout->n + 1);
    for (int panel = 0; panel < panels; panel++) {
        real *rows = values + panel * layout->panel;
        for (ptrdiff_t k = own.first * layout->pitch; k < own.last * layout->pitch; k++)
            rows[k] = 0;
    }
}

enum { FUSED_TILES = 2 }; /* tiles whose fluxes a thread keeps: one per substep of a sweep */

size_t swe_fused_scratch_cpu(const swe_execution *execution)
{
    return (size_t)execution->threads * FUSED_TILES * flux_tile_size;
}

static void sweep_tile(const swe_params *params, cpu_tile t, const fused_substep *p, real *memory)
{
    const int n = params->layout.n, order = params->sbp.order;
    const rows_range all = {0, n}, cells = rows_within(t.i, all);
    cpu_flux_tile w = swe_flux_tile_begin(params, t, memory);
    tile_prefetch nothing = prefetch_nothing();
    for (int j = t.j.first; j < t.j.last; j++) {
        if (j + 1 < t.j.last && fused_two_h_fit(order, n, j, n + 1, &w) &&
            fused_two_v2_fit(order, n, j, n + 1)) {
            fused_make_two_h(params, p, t, j, &w, &nothing);
            fused_make_two_v(params, p, cells, j, t.i, j, &nothing);
            j++;
            continue;
        }
        fused_make_h(params, p, t, j, &w, &nothing);
        fused_make_v1(params, p, cells, j);
        if (j < n)
            fused_make_v2(params, p, t.i, j);
    }
}

static void sweep(const swe_execution *execution, const swe_params *params,
                  const fused_substep *whole, real *memory)
{
    thread_begin(execution);
    FOR_OWN_TILES(params, FLUX_TILE_J, t, {
        const fused_substep p = fused_substep_at(whole, t.panel, params);
        sweep_tile(params, t, &p, memory);
    });
    thread_end(execution);
}

static void sweep_pair(const swe_execution *execution, const swe_params *params,
                       const fused_substep *first, const fused_substep *second, real *memory)
{
    thread_begin(execution);
    FOR_OWN_TILES(params, FLUX_TILE_J, t, {
        const fused_substep p = fused_substep_at(first, t.panel, params),
                            q = fused_substep_at(second, t.panel, params);
        pair_sweep_tile(params, t, &p, &q, memory);
    });
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
    pair_make_borders(params, second, memory);
    thread_end(execution);
}

static void finish_pair(const swe_execution *execution, const swe_params *params,
                        const fused_substep *second)
{
    thread_begin(execution);
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const fused_substep q = fused_substep_at(second, panel, params);
        pair_finish(params, &q);
    }
    thread_end(execution);
}

void swe_fused_cpu(const swe_execution *execution, const swe_params *params, int substep,
                   real weight, real next_weight, real *y, real *next)
{
    const fused_substep p = fused_substep_of(params, substep, weight, y, next);
    real *memory = threads_scratch(params, FUSED_TILES * flux_tile_size);
    if (!params->exceeds_cache) {
        sweep(execution, params, &p, memory);
    } else if (substep % 2 == 0) {
        const fused_substep q = fused_substep_of(params, substep + 1, next_weight, y, next);
        sweep_pair(execution, params, &p, &q, memory);
    } else {
        finish_pair(execution, params, &p);
    }
    threads_wait(execution);
}
