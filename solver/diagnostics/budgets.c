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

swe_status swe_budgets_measure(swe_context *ctx, swe_model *model, const swe_quadrature *q,
                               double *host_state, double *host_flux, swe_budgets *out)
{
    const swe_layout *layout = &model->grid->layout;
    SWE_TRY(swe_model_get_fluxes(ctx, model, host_flux));
    SWE_TRY(swe_model_get_state(ctx, model, host_state));
    const double *h = host_state, *v1 = h + layout->field, *v2 = v1 + layout->field;
    const double *f1 = host_flux, *f2 = host_flux + layout->field;
    out->mass = swe_quadrature_h(q, h);
    out->mass_scale = swe_quadrature_absolute_h(q, h);
    out->energy = 0.5 * model->physics.gravity * swe_quadrature_product_h(q, h, h) +
                  0.5 * model->physics.depth *
                      (swe_quadrature_product_v1(q, v1, f1) + swe_quadrature_product_v2(q, v2, f2));
    out->circulation = swe_quadrature_circulation(q, v1, v2);
    out->shear = swe_quadrature_shear(q, v1, v2);
    find_maximum(layout, h, out);
    return SWE_OK;
}
