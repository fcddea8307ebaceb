#include "diagnostics/integrals.h"

#include <math.h>

#include "base/sum.h"
#include "stages/integrals/integrals.h"

/* The rows of all panels: `values` a row. */
typedef struct all_rows {
    const swe_layout *layout;
    const double *of;
    int values;
} all_rows;

static double add_rows(const all_rows *rows, int sum)
{
    swe_sum total = {0.0, 0.0};
    for (int row = 0; row < SWE_PANELS * (rows->layout->n + 1); row++)
        swe_sum_add(&total, rows->of[row * rows->values + sum]);
    return swe_sum_total(total);
}

/* Largest value over the rows, of an extreme and its index in the row; the first value that is not
 * finite takes precedence. */
static swe_extreme find_maximum(const all_rows *rows, int extreme, int index)
{
    const int side = rows->layout->n + 1;
    swe_extreme most = {.value = -HUGE_VAL};
    for (int row = 0; row < SWE_PANELS * side; row++) {
        const double *of_row = rows->of + row * rows->values;
        if (of_row[extreme] <= most.value)
            continue;
        most = (swe_extreme){of_row[extreme], row / side, row % side, (int)of_row[index]};
        if (!isfinite(most.value))
            break;
    }
    return most;
}

static swe_extreme find_extreme(const all_rows *rows, int extreme)
{
    return find_maximum(rows, INTEGRALS_MAX + extreme, INTEGRALS_MAX_I + extreme);
}

/* Measure the state, or the state plus `weight` times the tendency of a term. `kinetic`: kinetic
 * energy [m5 s-2]. */
static swe_status measure(swe_context *ctx, swe_model *model, swe_term term, double weight,
                          swe_integrals *out, double *kinetic)
{
    const swe_physics *physics = &model->physics;
    const bool is_linear = physics->equations == SWE_LINEAR;
    all_rows rows = {&model->grid->layout, NULL, INTEGRALS_VALUES};
    SWE_TRY(swe_model_get_integrals(ctx, model, term, weight, &rows.of));
    double sums[INTEGRALS_MAX];
    for (int sum = 0; sum < INTEGRALS_MAX; sum++)
        sums[sum] = add_rows(&rows, sum);
    const double velocity =
        sums[INTEGRALS_VELOCITY1] + sums[INTEGRALS_VELOCITY2] + 2.0 * sums[INTEGRALS_CROSS];
    out->mass = sums[INTEGRALS_MASS];
    out->mass_scale = sums[INTEGRALS_MASS_SCALE];
    *kinetic = 0.5 * (is_linear ? physics->depth : 1.0) * velocity;
    out->energy =
        physics->gravity * (0.5 * sums[INTEGRALS_HEIGHT] + sums[INTEGRALS_BOTTOM]) + *kinetic;
    out->circulation = sums[INTEGRALS_SIDES1] + sums[INTEGRALS_SIDES2];
    out->shear = sums[INTEGRALS_SHEAR] / model->grid->spacing;
    out->potential_enstrophy = 0.5 * sums[INTEGRALS_ENSTROPHY];
    out->highest = find_extreme(&rows, INTEGRALS_HIGHEST);
    out->lowest = find_extreme(&rows, INTEGRALS_LOWEST);
    out->lowest.value = -out->lowest.value;
    out->fastest = find_extreme(&rows, INTEGRALS_FASTEST);
    return SWE_OK;
}

swe_status swe_integrals_measure(swe_context *ctx, swe_model *model, swe_integrals *out)
{
    double kinetic;
    return measure(ctx, model, SWE_TERMS, 0.0, out, &kinetic);
}

/* The difference of the states before and after. */
static swe_status rates_of(swe_context *ctx, swe_model *model, swe_term term, double dt,
                           swe_rates *out)
{
    swe_integrals before, after;
    double kinetic;
    SWE_TRY(measure(ctx, model, term, -dt, &before, &kinetic));
    SWE_TRY(measure(ctx, model, term, dt, &after, &kinetic));
    *out = (swe_rates){(after.energy - before.energy) / (2.0 * dt),
                       (after.mass - before.mass) / (2.0 * dt)};
    return SWE_OK;
}

swe_status swe_integrals_rates(swe_context *ctx, swe_model *model, swe_term term, double dt,
                               swe_rates *out)
{
    const swe_physics *physics = &model->physics;
    swe_rates source;
    *out = (swe_rates){0.0, 0.0};
    if (term != SWE_TERM_drag || physics->drag_of_field != 0.0 || physics->drag_coefficient != 0.0)
        SWE_TRY(rates_of(ctx, model, term, dt, out));
    if (term == SWE_TERM_drag && physics->drag != 0.0) { /* it is not in the stage forcing */
        swe_integrals state;
        double kinetic;
        SWE_TRY(measure(ctx, model, SWE_TERMS, 0.0, &state, &kinetic));
        out->energy -= 2.0 * physics->drag * kinetic;
    }
    if (term == SWE_TERM_stress) { /* the source comes with it */
        SWE_TRY(rates_of(ctx, model, SWE_TERM_source, dt, &source));
        *out = (swe_rates){out->energy - source.energy, 0.0};
    }
    return SWE_OK;
}

swe_field_integrals swe_integrals_of_field(const swe_model *model, int field)
{
    const swe_layout *layout = &model->grid->layout;
    const all_rows rows = {layout, model->integrals + integrals_of_field(layout->n, field),
                           INTEGRALS_FIELD_VALUES};
    swe_field_integrals out = {
        .mass = add_rows(&rows, INTEGRALS_FIELD_MASS),
        .greatest = find_maximum(&rows, INTEGRALS_FIELD_GREATEST, INTEGRALS_FIELD_GREATEST_I),
        .least = find_maximum(&rows, INTEGRALS_FIELD_LEAST, INTEGRALS_FIELD_LEAST_I)};
    out.least.value = -out.least.value;
    return out;
}
