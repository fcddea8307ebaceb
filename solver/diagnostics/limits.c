#include "diagnostics/limits.h"

#include <math.h>
#include <stdio.h>

static swe_status stop(swe_context *ctx, const char *what, swe_extreme at, long step)
{
    return swe_fail(ctx, SWE_INTERNAL, "%s at step %ld (panel %d, j %d, i %d): the run is unstable",
                    what, step, at.panel, at.j, at.i);
}

double swe_limits_flow_courant(const swe_model *model, const swe_integrals *integrals, double dt)
{
    return integrals->fastest.value * dt / (model->grid->radius * model->grid->spacing);
}

static swe_status check_flow(swe_context *ctx, const swe_model *model,
                             const swe_integrals *integrals, double dt, long step)
{
    const double limit =
        swe_physics_flow_limit(&model->physics, model->grid->spacing,
                               swe_sbp_courant_limit(model->sbp->order, model->closure), dt);
    const double courant = swe_limits_flow_courant(model, integrals, dt);
    char what[128];
    if (integrals->lowest.value <= 0.0) {
        snprintf(what, sizeof what, "the depth is %g m", integrals->lowest.value);
        return stop(ctx, what, integrals->lowest, step);
    }
    if (!isfinite(courant))
        return stop(ctx, "the velocity is not finite", integrals->fastest, step);
    if (model->physics.is_prescribed) /* the configuration was checked with the greatest speed */
        return SWE_OK;
    if (courant > limit) {
        snprintf(what, sizeof what, "the Courant number of the flow is %.3g, its limit %.3g",
                 courant, limit);
        return stop(ctx, what, integrals->fastest, step);
    }
    const double waves = sqrt(model->physics.gravity * integrals->lowest.value);
    const double of_velocity = courant * (1.0 - waves / integrals->fastest.value); /* at most */
    if (model->physics.limiter != SWE_LIMITER_NONE && of_velocity > SWE_LIMITER_COURANT) {
        const swe_extreme at = integrals->fastest;
        return swe_fail(
            ctx, SWE_INTERNAL,
            "the Courant number of the velocity may be %.3g at step %ld (panel %d, j %d, i "
            "%d): the limiter keeps bounds up to %.3g",
            of_velocity, step, at.panel, at.j, at.i, SWE_LIMITER_COURANT);
    }
    return SWE_OK;
}

static swe_status check_advected(swe_context *ctx, const swe_model *model, long step)
{
    char what[SWE_FIELD_NAME + 32];
    for (int k = SWE_FLOW_FIELDS; k < model->fields.count; k++) {
        const swe_field_integrals field = swe_integrals_of_field(model, k);
        if (isfinite(field.greatest.value))
            continue;
        snprintf(what, sizeof what, "%s is not finite", model->fields.field[k].name);
        return stop(ctx, what, field.greatest, step);
    }
    return SWE_OK;
}

swe_status swe_limits_check(swe_context *ctx, const swe_model *model,
                            const swe_integrals *integrals, double dt, long step)
{
    if (!isfinite(integrals->highest.value))
        return stop(ctx, "h is not finite", integrals->highest, step);
    if (model->physics.equations == SWE_NONLINEAR)
        SWE_TRY(check_flow(ctx, model, integrals, dt, step));
    if (!isfinite(integrals->energy))
        return swe_fail(ctx, SWE_INTERNAL, "the energy is not finite at step %ld", step);
    return check_advected(ctx, model, step);
}

static bool find_in(const swe_layout *layout, const double *panel, int rows, int columns,
                    swe_not_finite *out)
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            if (!isfinite(panel[swe_at(layout, 0, j, i)])) {
                out->j = j;
                out->i = i;
                return true;
            }
    return false;
}

bool swe_find_not_finite(const swe_layout *layout, const swe_field_set *fields,
                         const swe_panels *state, double *room, swe_not_finite *out)
{
    for (int k = 0; k < fields->count; k++)
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            const swe_field *field = &fields->field[k];
            *out = (swe_not_finite){.field = field->name, .panel = panel};
            if (find_in(layout, swe_panels_get(state, k, panel, room),
                        swe_field_rows(field, layout->n), swe_field_columns(field, layout->n), out))
                return true;
        }
    return false;
}
