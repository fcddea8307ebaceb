#include "diagnostics/integrals.h"

#include <math.h>

#include "base/sum.h"
#include "stages/integrals/integrals.h"

static double add_rows(const swe_layout *layout, const double *rows, int sum)
{
    swe_sum total = {0.0, 0.0};
    for (int row = 0; row < SWE_PANELS * (layout->n + 1); row++)
        swe_sum_add(&total, rows[row * INTEGRALS_VALUES + sum]);
    return swe_sum_total(total);
}

/* Largest value over the rows; the first value that is not finite takes precedence. */
static swe_extreme find_maximum(const swe_layout *layout, const double *rows, int extreme)
{
    swe_extreme most = {.value = -HUGE_VAL};
    for (int row = 0; row < SWE_PANELS * (layout->n + 1); row++) {
        const double *of_row = rows + row * INTEGRALS_VALUES;
        if (of_row[INTEGRALS_MAX + extreme] <= most.value)
            continue;
        most = (swe_extreme){of_row[INTEGRALS_MAX + extreme], row / (layout->n + 1),
                             row % (layout->n + 1), (int)of_row[INTEGRALS_MAX_I + extreme]};
        if (!isfinite(most.value))
            break;
    }
    return most;
}

swe_status swe_integrals_measure(swe_context *ctx, swe_model *model, swe_integrals *out)
{
    const swe_layout *layout = &model->grid->layout;
    const swe_physics *physics = &model->physics;
    const bool is_linear = physics->equations == SWE_LINEAR;
    const double *rows = NULL;
    SWE_TRY(swe_model_get_integrals(ctx, model, &rows));
    double sums[INTEGRALS_MAX];
    for (int sum = 0; sum < INTEGRALS_MAX; sum++)
        sums[sum] = add_rows(layout, rows, sum);
    const double velocity =
        sums[INTEGRALS_VELOCITY1] + sums[INTEGRALS_VELOCITY2] + 2.0 * sums[INTEGRALS_CROSS];
    out->mass = sums[INTEGRALS_MASS];
    out->mass_scale = sums[INTEGRALS_MASS_SCALE];
    out->energy = physics->gravity * (0.5 * sums[INTEGRALS_HEIGHT] + sums[INTEGRALS_BOTTOM]) +
                  0.5 * (is_linear ? physics->depth : 1.0) * velocity;
    out->circulation = sums[INTEGRALS_SIDES1] + sums[INTEGRALS_SIDES2];
    out->shear = sums[INTEGRALS_SHEAR] / model->grid->spacing;
    out->potential_enstrophy = 0.5 * sums[INTEGRALS_ENSTROPHY];
    out->highest = find_maximum(layout, rows, INTEGRALS_HIGHEST);
    out->lowest = find_maximum(layout, rows, INTEGRALS_LOWEST);
    out->lowest.value = -out->lowest.value;
    out->fastest = find_maximum(layout, rows, INTEGRALS_FASTEST);
    return SWE_OK;
}
