#include "diagnostics/budgets.h"

#include <math.h>

#include "base/sum.h"
#include "stages/budgets/budgets.h"

static double add_rows(const swe_layout *layout, const double *rows, int sum)
{
    swe_sum total = {0.0, 0.0};
    for (int row = 0; row < SWE_PANELS * (layout->n + 1); row++)
        swe_sum_add(&total, rows[row * BUDGETS_VALUES + sum]);
    return swe_sum_total(total);
}

/* Largest |h| and its place; the first value that is not finite wins. */
static void find_maximum(const swe_layout *layout, const double *rows, swe_budgets *out)
{
    out->max_h = -1.0;
    for (int row = 0; row < SWE_PANELS * (layout->n + 1); row++) {
        const double *of_row = rows + row * BUDGETS_VALUES;
        if (of_row[BUDGETS_MAX_H] <= out->max_h)
            continue;
        out->max_h = of_row[BUDGETS_MAX_H];
        out->max_panel = row / (layout->n + 1);
        out->max_j = row % (layout->n + 1);
        out->max_i = (int)of_row[BUDGETS_MAX_I];
        if (!isfinite(out->max_h))
            return;
    }
}

swe_status swe_budgets_measure(swe_context *ctx, swe_model *model, swe_budgets *out)
{
    const swe_layout *layout = &model->grid->layout;
    const swe_physics *physics = &model->physics;
    const double *rows = NULL;
    SWE_TRY(swe_model_get_budgets(ctx, model, &rows));
    double sums[BUDGETS_MAX_H];
    for (int sum = 0; sum < BUDGETS_MAX_H; sum++)
        sums[sum] = add_rows(layout, rows, sum);
    const double velocity =
        sums[BUDGETS_VELOCITY1] + sums[BUDGETS_VELOCITY2] + 2.0 * sums[BUDGETS_CROSS];
    out->mass = sums[BUDGETS_MASS];
    out->mass_scale = sums[BUDGETS_MASS_SCALE];
    out->energy = 0.5 * physics->gravity * sums[BUDGETS_HEIGHT] + 0.5 * physics->depth * velocity;
    out->circulation = sums[BUDGETS_SIDES1] + sums[BUDGETS_SIDES2];
    out->shear = sums[BUDGETS_SHEAR] / model->grid->spacing;
    find_maximum(layout, rows, out);
    return SWE_OK;
}
