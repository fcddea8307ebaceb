/* A flow without divergence has the fluxes of its streamfunction psi at vertices,
 *
 *     J u^1 = -Pvc_1 G_2 psi      J u^2 = Pvc_2 G_1 psi      G = Hv^-1 (B - Q^T)
 *
 * with Q = Pvc^T Hc Dvc and B = 1 at the last vertex, -1 at the first one. With test functions phi
 * the weak divergence is psi^T ((B_2 - Q_2) Q_1 - (B_1 - Q_1) Q_2) phi. Q_1 and Q_2 commute, and
 * what B leaves along an edge has opposite signs on its two panels: after the projection the
 * divergence is 0 to rounding. Other flows have the fluxes of their velocities. */
#include "run/wind.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "grid/geometry_point.h"
#include "operators/sbp_point.h"
#include "run/tasks.h"
#include "state/host_fields.h"
#include "state/slabs.h"

typedef struct wind_given {
    swe_initial initial;
    int fields, term;
    bool of_fluxes;
} wind_given;

/* A panel: psi, its interpolation to cells of a direction, and G psi, at (n + 1, n + 1) points. */
typedef struct stream {
    const swe_model *model;
    double *psi, *mean, *slope;
} stream;

/* Fill psi of a panel. */
static void evaluate(const stream *s, const swe_case *test_case, int panel)
{
    const swe_grid *grid = s->model->grid;
    const int side = grid->layout.n + 1;
#pragma omp parallel for schedule(static) num_threads(s->model->execution.threads)
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            double r[3];
            geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
            s->psi[(ptrdiff_t)j * side + i] = swe_case_stream_at(test_case, r);
        }
}

/* slope = G_k psi. Lines of direction k have the stride `along`, and begin `across` apart. */
static void differentiate(const stream *s, ptrdiff_t along, ptrdiff_t across)
{
    const swe_sbp *sbp = s->model->sbp;
    const int n = s->model->grid->layout.n, order = sbp->order;
#pragma omp parallel for schedule(static) num_threads(s->model->execution.threads)
    for (int line = 0; line <= n; line++) {
        const ptrdiff_t first = line * across;
        for (int c = 0; c < n; c++)
            s->mean[first + c * along] =
                sbp_pvc(order, SBP_ANYWHERE, sbp, n, c, s->psi + first + c * along, along);
        for (int v = 0; v <= n; v++)
            s->slope[first + v * along] =
                sbp_weak(order, SBP_ANYWHERE, sbp, n, v, s->mean + first + v * along, along);
        s->slope[first] -= s->psi[first] / sbp->hv[0];
        s->slope[first + n * along] += s->psi[first + n * along] / sbp->hv[0];
    }
}

/* A row of H0 J u^k from the slope of the other direction. */
static void stream_row(const stream *s, int k, int j, double *out)
{
    const swe_sbp *sbp = s->model->sbp;
    const int n = s->model->grid->layout.n, side = n + 1, columns = k == SWE_FIELD_V1 ? n : side;
    const double scale =
        (k == SWE_FIELD_V1 ? -1.0 : 1.0) * s->model->physics.depth / s->model->grid->spacing;
    for (int i = 0; i < columns; i++) {
        const double *slope = s->slope + (ptrdiff_t)j * side + i;
        out[i] =
            scale * (k == SWE_FIELD_V1 ? sbp_pvc(sbp->order, SBP_ANYWHERE, sbp, n, i, slope, 1)
                                       : sbp_pvc(sbp->order, SBP_ANYWHERE, sbp, n, j, slope, side));
    }
}

/* A row of H0 J u^k from the velocity. */
static void flux_row(const swe_model *model, const swe_case *test_case, int k, int panel, int j,
                     double *out)
{
    const swe_grid *grid = model->grid;
    const bool is_1 = k == SWE_FIELD_V1;
    const double y = is_1 ? grid->tan_vertex[j] : grid->tan_cell[j];
    const double *tan_x = is_1 ? grid->tan_cell : grid->tan_vertex;
    for (int i = 0; i < grid->layout.n + !is_1; i++) {
        double r[3], u[3];
        geometry_position(panel, tan_x[i], y, r);
        swe_case_velocity_at(test_case, 0.0, r, u);
        out[i] =
            model->physics.depth * (is_1 ? geometry_flux1(grid->radius, panel, tan_x[i], y, u)
                                         : geometry_flux2(grid->radius, panel, tan_x[i], y, u));
    }
}

/* A row of v_k, or of H0 J u^k. */
static void wind_row(const stream *s, const swe_case *test_case, bool of_fluxes, int k, int panel,
                     int j, double *out)
{
    const swe_grid *grid = s->model->grid;
    if (of_fluxes && !isnan(s->psi[0]))
        stream_row(s, k, j, out);
    else if (of_fluxes)
        flux_row(s->model, test_case, k, panel, j, out);
    else if (k == SWE_FIELD_V1)
        swe_case_v1_row(test_case, grid, 0.0, panel, j, out);
    else
        swe_case_v2_row(test_case, grid, 0.0, panel, j, out);
}

static void set_term(const stream *s, const wind_given *g, const swe_case *test_case,
                     const swe_host_fields *fields, swe_slab *slab)
{
    const ptrdiff_t side = s->model->grid->layout.n + 1;
    for (int k = SWE_FIELD_V1; k <= SWE_FIELD_V2; k++) {
        swe_slab_turn(fields, k, slab);
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            const swe_range rows = swe_slab_own_rows(slab, &swe_flow_fields.field[k], panel);
            if (g->of_fluxes && rows.first < rows.last) {
                evaluate(s, test_case, panel);
                differentiate(s, k == SWE_FIELD_V1 ? side : 1, k == SWE_FIELD_V1 ? 1 : side);
            }
#pragma omp parallel for schedule(static) num_threads(s->model->execution.threads)
            for (int j = rows.first; j < rows.last; j++)
                wind_row(s, test_case, g->of_fluxes, k, panel, j, swe_slab_row(slab, panel, j));
        }
        swe_slab_set(fields, k, slab);
    }
}

static swe_status run_start_wind(swe_context *ctx, swe_model *model, void *given)
{
    const wind_given *g = given;
    const swe_host_fields *fields = model->host[g->fields];
    const size_t points = (size_t)swe_layout_of(model->grid->layout.n).panel;
    stream s = {.model = model};
    swe_case *test_case = NULL;
    swe_slab slab = {.room = NULL};
    swe_status status = swe_memory_doubles(ctx, 3 * points, &s.psi);
    if (status == SWE_OK)
        status = swe_case_create(ctx, &g->initial, &model->physics, &test_case);
    status = swe_ranks_agree(ctx, status);
    if (status == SWE_OK)
        status = swe_slab_create(ctx, fields, (swe_margin){0, 0}, &slab);
    if (status == SWE_OK) {
        s.mean = s.psi + points;
        s.slope = s.mean + points;
        swe_case_select_term(test_case, g->term);
        set_term(&s, g, test_case, fields, &slab);
    }
    swe_slab_release(&slab);
    swe_case_destroy(&test_case);
    free(s.psi);
    return status;
}

SWE_TASK_DEFINE(start_wind, wind_given);

swe_status swe_start_wind(swe_context *ctx, const swe_config *config, swe_model *model)
{
    swe_host_fields *fields = NULL;
    SWE_TRY(swe_host_fields_create(ctx, model, SWE_FLOW_FIELDS, &fields));
    swe_status status = SWE_OK;
    for (int k = 0; k < 2 * model->physics.wind.terms && status == SWE_OK; k++) {
        wind_given given = {swe_config_initial(config), swe_host_fields_number(fields), k / 2,
                            k % 2 != 0};
        status = swe_task_run(ctx, model, SWE_TASK_START_WIND, &given);
        if (status == SWE_OK)
            status = swe_host_fields_set_constant(ctx, fields, (swe_constant)(SWE_WIND + k));
    }
    swe_host_fields_destroy(&fields);
    return status;
}
