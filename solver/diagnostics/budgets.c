#include "diagnostics/budgets.h"

#include <math.h>

/* Largest |h| and its place; the first value that is not finite wins. */
static void find_maximum(const swe_layout *layout, const double *h, swe_budgets *out)
{
    out->max_h = -1.0;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                const double value = fabs(h[swe_at(layout, p, j, i)]);
                if (value <= out->max_h)
                    continue;
                out->max_h = value;
                out->max_panel = p;
                out->max_j = j;
                out->max_i = i;
                if (!isfinite(value))
                    return;
            }
}

/* F of the state into the work fields. */
static void make_fluxes(void *argument)
{
    const swe_model *model = argument;
    const swe_fields y = model->fields.y;
    const swe_work work = model->fields.work;
    model->backend->stages->contravariant(&model->view, y.v1, y.v2, work.cross1, work.cross2,
                                          work.f1, work.f2);
}

swe_status swe_budgets_measure(swe_context *ctx, swe_model *model, const swe_quadrature *q,
                               double *host_state, double *host_flux, swe_budgets *out)
{
    const swe_layout *layout = &model->grid->layout;
    const swe_work work = model->fields.work;
    model->backend->share(&model->view, make_fluxes, model);
    SWE_TRY(model->backend->download(ctx, model->device, work.f1, host_flux, /* f1 and f2 */
                                     2 * (size_t)layout->field));
    SWE_TRY(swe_model_get_state(ctx, model, host_state));
    const swe_fields host = swe_model_fields(layout, host_state);
    const double *f1 = host_flux, *f2 = host_flux + layout->field;
    out->mass = swe_quadrature_h(q, host.h);
    out->mass_scale = swe_quadrature_absolute_h(q, host.h);
    out->energy =
        0.5 * model->physics.gravity * swe_quadrature_product_h(q, host.h, host.h) +
        0.5 * model->physics.depth *
            (swe_quadrature_product_v1(q, host.v1, f1) + swe_quadrature_product_v2(q, host.v2, f2));
    out->circulation = swe_quadrature_circulation(q, host.v1, host.v2);
    out->shear = swe_quadrature_shear(q, host.v1, host.v2);
    find_maximum(layout, host.h, out);
    return SWE_OK;
}
