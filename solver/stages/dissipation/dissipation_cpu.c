#include "stages/contravariant/contravariant_cpu.h"
#include "stages/coriolis/coriolis_rows.h"
#include "stages/dissipation/dissipation_point.h"
#include "stages/exchange.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"
#include "stages/tiles_cpu.h"

enum { FORCE_TILE_J = 32 }; /* most vertices of a tile of the second pass */

/* Velocity fields and scratch: whole fields, at a panel, or at the first value of a row of a tile
 * of vertices. */
typedef struct dissipation_fields {
    real weight;
    const real *h, *v1, *v2;
    dissipation_scratch s;
} dissipation_fields;

SWE_POINT dissipation_fields fields_at(const dissipation_fields *f, ptrdiff_t at)
{
    const dissipation_fields moved = {
        f->weight,
        f->h + at,
        f->v1 + at,
        f->v2 + at,
        {{f->s.x[0] + at, f->s.x[1] + at, f->s.x[2] + at}, {f->s.z[0] + at, f->s.z[1] + at}}};
    return moved;
}

/* flux1 and flux2 are fluxes of the tile (contravariant_cpu.h). */
SWE_POINT void flow_row_of(swe_equations equations, int order, sbp_region where_j,
                           const swe_params *params, rows_range columns, int j,
                           const real *SWE_RESTRICT inverse_jacobian,
                           const real *SWE_RESTRICT flux1, const real *SWE_RESTRICT flux2,
                           const dissipation_fields *f)
{
    const int n = params->layout.n;
    const real *SWE_RESTRICT h = f->h;
    real *SWE_RESTRICT x0 = f->s.x[0], *SWE_RESTRICT x1 = f->s.x[1], *SWE_RESTRICT x2 = f->s.x[2];
    const real tan_y = params->tan_vertex[j];
    ROWS_ALONG(columns, rows_vertices(order, params), {
        real flow0, flow1, flow2;
        dissipation_flow(params, params->tan_vertex[i], tan_y,
                         dissipation_density(equations, inverse_jacobian[k], h + k),
                         sbp_pcv(order, where, &params->sbp, n, i, flux1 + k, 1),
                         sbp_pcv(order, where_j, &params->sbp, n, j, flux2 + k, CPU_TILE_PITCH),
                         &flow0, &flow1, &flow2);
        x0[k] = flow0;
        x1[k] = flow1;
        x2[k] = flow2;
    });
}

SWE_CLONES
static void flow_row(const swe_params *params, rows_range columns, int j,
                     const real *inverse_jacobian, const real *flux1, const real *flux2,
                     const dissipation_fields *f)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(
                       params->physics.equations,
                       ROWS_AT_VERTEX(ORDER, params, j,
                                      flow_row_of(EQUATIONS, ORDER, (sbp_region)REGION, params,
                                                  columns, j, inverse_jacobian, flux1, flux2, f))));
}

SWE_POINT rows_interior force_interior(int order, int degree, int n)
{
    const int rows = sbp_spread_rows(order, degree);
    const rows_interior interior = {rows, n + 1 - rows};
    return interior;
}

/* (M_1 + M_2) of a component of x. */
SWE_POINT void spread_row_of(int order, int degree, sbp_region where_j, const swe_params *params,
                             rows_range columns, int j, const real *SWE_RESTRICT x,
                             real *SWE_RESTRICT out)
{
    ROWS_ALONG(columns, force_interior(order, degree, params->layout.n),
               out[k] = dissipation_spread(order, degree, where, where_j, params, j, i, x + k));
}

SWE_CLONES
static void spread_row(const swe_params *params, rows_range columns, int j, const real *x,
                       real *out)
{
    SBP_WITH_DEGREE(&params->sbp, ROWS_AT(force_interior(ORDER, DEGREE, params->layout.n), j,
                                          spread_row_of(ORDER, DEGREE, (sbp_region)REGION, params,
                                                        columns, j, x, out)));
}

SWE_POINT void force_row_of(swe_equations equations, const swe_params *params, rows_range columns,
                            int j, const real *SWE_RESTRICT inverse_jacobian,
                            real spread[3][CPU_TILE_PITCH], const dissipation_fields *f)
{
    const real *SWE_RESTRICT h = f->h;
    const real *SWE_RESTRICT tan_x = params->tan_vertex + columns.first;
    real *SWE_RESTRICT z1 = f->s.z[0], *SWE_RESTRICT z2 = f->s.z[1];
    const real tan_y = params->tan_vertex[j], weight = f->weight;
#pragma omp simd
    for (int k = 0; k < columns.last - columns.first; k++) {
        real force1, force2;
        dissipation_force(params, tan_x[k], tan_y, weight,
                          dissipation_density(equations, inverse_jacobian[k], h + k),
                          inverse_jacobian[k], spread[0][k], spread[1][k], spread[2][k], &force1,
                          &force2);
        z1[k] = force1;
        z2[k] = force2;
    }
}

SWE_CLONES
static void force_row(const swe_params *params, rows_range columns, int j,
                      const real *inverse_jacobian, real spread[3][CPU_TILE_PITCH],
                      const dissipation_fields *f)
{
    SWE_WITH_EQUATIONS(params->physics.equations,
                       force_row_of(EQUATIONS, params, columns, j, inverse_jacobian, spread, f));
}

/* The passes over a tile and over one of its rows, and the prefetch of the next row; `panel` has
 * the fields there. */

static void compute_flow(const swe_params *params, cpu_tile t, const dissipation_fields *panel,
                         real *buffers)
{
    cpu_flux_tile w = swe_flux_tile_begin(params, t, buffers);
    for (int j = t.j.first; j < t.j.last; j++) {
        const ptrdiff_t at = j * params->layout.pitch + t.i.first;
        const dissipation_fields row = fields_at(panel, at);
        tile_prefetch prefetch = prefetch_begin(params, t.i, 6);
        prefetch_add(&prefetch, params, t.i, w.next_cross1 + 1, panel->v1);
        prefetch_add(&prefetch, params, t.i, w.next_flux2 + 1, panel->v2);
        if (params->physics.equations == SWE_NONLINEAR)
            prefetch_add(&prefetch, params, t.i, w.next_cross1 + 1, panel->h);
        swe_flux_tile_prefetch(params, t, j, 1, &w, &prefetch);
        for (int m = 0; m < 3; m++)
            prefetch_add(&prefetch, params, t.i, j + 1, panel->s.x[m]);
        swe_flux_tile_compute(params, t, panel->h, panel->v1, panel->v2, j, &w, &prefetch);
        flow_row(params, t.i, j, params->inverse_jacobian + tiles_metric_at(params, t, j),
                 flux_tile_1(&w, t), flux_tile_2(&w, j), &row);
        prefetch_end(&prefetch);
    }
}

static tile_prefetch force_prefetch(const swe_params *params, cpu_tile t, int j,
                                    const dissipation_fields *panel)
{
    tile_prefetch prefetch = prefetch_begin(params, t.i, 6);
    for (int m = 0; m < 3; m++)
        prefetch_add(&prefetch, params, t.i, j + params->sbp.degree + 1, panel->s.x[m]);
    for (int m = 0; m < 2; m++)
        prefetch_add(&prefetch, params, t.i, j + 1, panel->s.z[m]);
    prefetch_add(&prefetch, params, t.i, j + 1, panel->h);
    if (t.block.panel == t.block.first_panel)
        prefetch_add(&prefetch, params, t.i, j + 1, params->inverse_jacobian + t.block.metric);
    return prefetch;
}

static void compute_force(const swe_params *params, cpu_tile t, int j,
                          const dissipation_fields *panel)
{
    real spread[3][CPU_TILE_PITCH];
    const ptrdiff_t at = j * params->layout.pitch + t.i.first;
    const dissipation_fields row = fields_at(panel, at);
    tile_prefetch prefetch = force_prefetch(params, t, j, panel);
    for (int m = 0; m < 3; m++) {
        spread_row(params, t.i, j, row.s.x[m], spread[m]);
        prefetch_step(&prefetch);
    }
    force_row(params, t.i, j, params->inverse_jacobian + tiles_metric_at(params, t, j), spread,
              &row);
    prefetch_end(&prefetch);
}

/* The two averages over the copies of all shared points. All threads call them and then wait. */

SWE_CLONES
static void project_flow(const swe_params *params, const dissipation_scratch *s)
{
    FOR_SHARED_POINTS(params, copies, dissipation_project_flow(&copies, s->x));
}

SWE_CLONES
static void project_force(const swe_params *params, const dissipation_scratch *s)
{
    FOR_SHARED_POINTS(params, copies, dissipation_project_force(params, &copies, s->z[0], s->z[1]));
}

void swe_dissipation_cpu(const swe_execution *execution, const swe_params *params, real weight,
                         const real *h, real *v1, real *v2, real *scratch)
{
    const dissipation_scratch s = dissipation_scratch_of(params, scratch);
    const dissipation_fields fields = {weight, h, v1, v2, s};
    real *buffers = threads_scratch(params, flux_tile_size);
    thread_begin(execution);
    FOR_THREAD_TILES(params, FLUX_TILE_J, t, {
        const dissipation_fields there = fields_at(&fields, t.block.at);
        compute_flow(params, t, &there, buffers);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(s.x[0]), EXCHANGE_BOTH(s.x[1]),
             EXCHANGE_BOTH(s.x[2]));
    thread_begin(execution);
    project_flow(params, &s);
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
    FOR_THREAD_TILES(params, FORCE_TILE_J, t, {
        const dissipation_fields there = fields_at(&fields, t.block.at);
        for (int j = t.j.first; j < t.j.last; j++)
            compute_force(params, t, j, &there);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(s.z[0]), EXCHANGE_BOTH(s.z[1]));
    thread_begin(execution);
    project_force(params, &s);
    thread_end(execution);
    threads_wait(execution);
    coriolis_add_rows(execution, params, s.z[0], s.z[1], v1, v2);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(v1), EXCHANGE_GHOSTS(v2));
}
