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

/* The largest of the rows' values; the first that is not finite wins. */
static swe_extreme find_maximum(const swe_layout *layout, const double *rows, int extreme)
{
    swe_extreme most = {.value = -HUGE_VAL};
    for (int row = 0; row < SWE_PANELS * (layout->n + 1); row++) {
        const double *of_row = rows + row * BUDGETS_VALUES;
        if (of_row[BUDGETS_MAX + extreme] <= most.value)
            continue;
        most = (swe_extreme){of_row[BUDGETS_MAX + extreme], row / (layout->n + 1),
                             row % (layout->n + 1), (int)of_row[BUDGETS_MAX_I + extreme]};
        if (!isfinite(most.value))
            break;
    }
    return most;
}

swe_status swe_budgets_measure(swe_context *ctx, swe_model *model, swe_budgets *out)
{
    const swe_layout *layout = &model->grid->layout;
    const swe_physics *physics = &model->physics;
    const bool is_linear = physics->equations == SWE_LINEAR;
    const double *rows = NULL;
    SWE_TRY(swe_model_get_budgets(ctx, model, &rows));
    double sums[BUDGETS_MAX];
    for (int sum = 0; sum < BUDGETS_MAX; sum++)
        sums[sum] = add_rows(layout, rows, sum);
    const double velocity =
        sums[BUDGETS_VELOCITY1] + sums[BUDGETS_VELOCITY2] + 2.0 * sums[BUDGETS_CROSS];
    out->mass = sums[BUDGETS_MASS];
    out->mass_scale = sums[BUDGETS_MASS_SCALE];
    out->energy = physics->gravity * (0.5 * sums[BUDGETS_HEIGHT] + sums[BUDGETS_BOTTOM]) +
                  0.5 * (is_linear ? physics->depth : 1.0) * velocity;
    out->circulation = sums[BUDGETS_SIDES1] + sums[BUDGETS_SIDES2];
    out->shear = sums[BUDGETS_SHEAR] / model->grid->spacing;
    out->potential_enstrophy = 0.5 * sums[BUDGETS_ENSTROPHY];
    out->highest = find_maximum(layout, rows, BUDGETS_HIGHEST);
    out->lowest = find_maximum(layout, rows, BUDGETS_LOWEST);
    out->lowest.value = -out->lowest.value;
    out->fastest = find_maximum(layout, rows, BUDGETS_FASTEST);
    return SWE_OK;
}
