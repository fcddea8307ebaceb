#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "library/internal.h"
#include "operators/sbp_point.h"

swe_status library_check_between_steps(swe_context *ctx, const cubeswe_model *m)
{
    return m->is_in_step
               ? swe_fail(ctx, SWE_USAGE, "forcing may read h, u, v, v1, v2 and tracers alone")
               : SWE_OK;
}

swe_status library_force(swe_context *ctx, cubeswe_model *m, double time)
{
    if (m->force == NULL)
        return SWE_OK;
    m->is_in_step = true;
    const int is_stopped = m->force(m->force_data, time);
    m->is_in_step = false;
    return is_stopped == 0 ? SWE_OK
                           : swe_fail(ctx, SWE_STOPPED, "forcing stopped after step %ld, at %.9g s",
                                      m->steps, cubeswe_time(m));
}

swe_status library_step_forced(swe_context *ctx, cubeswe_model *m)
{
    const double start = cubeswe_time(m);
    const swe_step_plan plan =
        swe_step_plan_of(&m->model->physics, &m->model->fields, m->model->pipeline);
    for (int number = 0; number < SWE_SUBSTEPS; number++) {
        const swe_status status =
            library_force(ctx, m, start + swe_plan_time(&plan, number) * m->dt);
        if (status != SWE_OK) {
            SWE_TRY(swe_model_substep(ctx, m->model, m->dt, -1));
            return status;
        }
        SWE_TRY(swe_model_substep(ctx, m->model, m->dt, number));
    }
    return swe_model_substep(ctx, m->model, m->dt, SWE_SUBSTEPS);
}

/* ---- the fields of forcing ------------------------------------------------------------------- */

/* Covariant components at the vertices of a panel, of accelerations there. */
static void fill_covariants(const cubeswe_model *m, int panel, const double *zonal,
                            const double *meridional, double *w1, double *w2)
{
    const swe_grid *grid = m->model->grid;
    const int n = grid->layout.n;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++, zonal++, meridional++) {
            const ptrdiff_t at = swe_at(&grid->layout, 0, j, i);
            double of[2];
            library_covariants(m, panel, grid->tan_vertex[i], grid->tan_vertex[j], *zonal,
                               *meridional, of);
            w1[at] = of[0];
            w2[at] = of[1];
        }
}

/* v1 and v2 of a panel from covariant components at vertices. */
static void interpolate(const cubeswe_model *m, const double *w1, const double *w2, double *v1,
                        double *v2)
{
    const swe_layout *layout = &m->model->grid->layout;
    const swe_sbp *sbp = m->model->sbp;
    for (int a = 0; a <= layout->n; a++)
        for (int c = 0; c < layout->n; c++) {
            const ptrdiff_t of_1 = swe_at(layout, 0, a, c), of_2 = swe_at(layout, 0, c, a);
            v1[of_1] = sbp_pvc(sbp->order, SBP_ANYWHERE, sbp, layout->n, c, w1 + of_1, 1);
            v2[of_2] =
                sbp_pvc(sbp->order, SBP_ANYWHERE, sbp, layout->n, c, w2 + of_2, layout->pitch);
        }
}

static swe_status set_acceleration(swe_context *ctx, const cubeswe_model *m,
                                   const swe_host_fields *fields, const double *zonal,
                                   const double *meridional)
{
    const swe_layout *layout = &m->model->grid->layout;
    const swe_panels *panels = swe_host_fields_panels(fields);
    const size_t panel_size = (size_t)layout->panel, side = (size_t)layout->n + 1;
    double *room = NULL;
    SWE_TRY(swe_memory_doubles(ctx, 4 * panel_size, &room));
    double *const w1 = room, *const w2 = w1 + panel_size, *const v1 = w2 + panel_size,
                  *const v2 = v1 + panel_size;
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const size_t first = (size_t)panel * side * side;
        fill_covariants(m, panel, zonal + first, meridional + first, w1, w2);
        interpolate(m, w1, w2, v1, v2);
        swe_panels_set(panels, SWE_FIELD_V1, panel, v1);
        swe_panels_set(panels, SWE_FIELD_V2, panel, v2);
    }
    free(room);
    return SWE_OK;
}

/* Set both constants: the source from h, the acceleration from the wind. */
static swe_status set_forcing(swe_context *ctx, const cubeswe_model *m, const double *h,
                              const double *zonal, const double *meridional)
{
    const int side = m->model->grid->layout.n + 1;
    swe_host_fields *fields = NULL;
    SWE_TRY(swe_host_fields_create(ctx, m->model, SWE_FLOW_FIELDS, &fields));
    swe_status status = library_set_field(ctx, m, fields, SWE_FIELD_H, -1, side, side, h);
    if (status == SWE_OK)
        status = swe_host_fields_set_constant(ctx, fields, SWE_SOURCE);
    if (status == SWE_OK)
        status = set_acceleration(ctx, m, fields, zonal, meridional);
    if (status == SWE_OK)
        status = swe_host_fields_set_constant(ctx, fields, SWE_STIRRING);
    swe_host_fields_destroy(&fields);
    return status;
}

static swe_status check_and_set(swe_context *ctx, const cubeswe_model *m, const double *h,
                                const double *zonal, const double *meridional, size_t count)
{
    const double *const given[] = {h, zonal, meridional};
    static const char *const names[] = {"h", "zonal", "meridional"};
    const size_t side = (size_t)m->model->grid->layout.n + 1;
    double *zeros = NULL;
    if (!m->simulation->options.has_own_forcing || count != SWE_PANELS * side * side)
        return swe_fail(ctx, SWE_USAGE,
                        "forcing of %zu values: has_own_forcing, and 6 x %zu x %zu values", count,
                        side, side);
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; given[k] != NULL && i < count; i++)
            if (!isfinite(given[k][i]))
                return swe_fail(ctx, SWE_USAGE, "forcing of %s: value %zu is not finite", names[k],
                                i);
    SWE_TRY(swe_memory_doubles(ctx, count, &zeros));
    const swe_status status =
        set_forcing(ctx, m, h != NULL ? h : zeros, zonal != NULL ? zonal : zeros,
                    meridional != NULL ? meridional : zeros);
    free(zeros);
    return status;
}

cubeswe_status cubeswe_force(cubeswe_model *m, const double *h, const double *zonal,
                             const double *meridional, size_t count, cubeswe_error *error)
{
    LIBRARY_CALL(m, true, error, check_and_set(&ctx, m, h, zonal, meridional, count));
}

/* Without a function nothing forces. */
static swe_status set_function(swe_context *ctx, cubeswe_model *m,
                               int (*force)(void *data, double time), void *data)
{
    const size_t side = (size_t)m->model->grid->layout.n + 1;
    if (!m->simulation->options.has_own_forcing)
        return swe_fail(ctx, SWE_USAGE,
                        "the model was created without forcing of its user's own "
                        "(has_own_forcing)");
    SWE_TRY(library_check_between_steps(ctx, m));
    if (m->force != NULL && force == NULL)
        SWE_TRY(check_and_set(ctx, m, NULL, NULL, NULL, SWE_PANELS * side * side));
    m->force = force;
    m->force_data = data;
    return SWE_OK;
}

cubeswe_status cubeswe_set_forcing(cubeswe_model *m, int (*force)(void *data, double time),
                                   void *data, cubeswe_error *error)
{
    LIBRARY_CALL(m, true, error, set_function(&ctx, m, force, data));
}
