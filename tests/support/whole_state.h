/* The state of a model in one memory: its fields one after the other, in grid->layout. */
#ifndef TESTS_SUPPORT_WHOLE_STATE_H
#define TESTS_SUPPORT_WHOLE_STATE_H

#include "state/host_fields.h"
#include "support/panels.h"

static inline size_t model_state_size(const swe_model *model)
{
    return swe_state_values(&model->fields, model->grid->layout.n);
}

static inline void copy_panels(const swe_panels *panels, int count, const whole_fields *whole,
                               bool is_set)
{
    for (int k = 0; k < count; k++)
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            double *at = whole_panel(whole, k, panel);
            if (is_set)
                swe_panels_set(panels, k, panel, at);
            else
                memmove(at, swe_panels_get(panels, k, panel, at),
                        (size_t)whole->layout.panel * sizeof *at);
        }
}

/* `which`: SWE_CONSTANTS is the state. */
static inline swe_status set_whole(swe_context *ctx, swe_model *model, int count,
                                   const double *values, swe_constant which)
{
    const whole_fields whole = {model->grid->layout, (double *)values};
    swe_host_fields *fields = NULL;
    SWE_TRY(swe_host_fields_create(ctx, model, count, &fields));
    copy_panels(swe_host_fields_panels(fields), count, &whole, true);
    const swe_status status = which < SWE_CONSTANTS
                                  ? swe_host_fields_set_constant(ctx, fields, which)
                                  : swe_host_fields_set_state(ctx, fields, 0.0);
    swe_host_fields_destroy(&fields);
    return status;
}

static inline swe_status model_set_state(swe_context *ctx, swe_model *model, const double *values)
{
    return set_whole(ctx, model, model->fields.count, values, SWE_CONSTANTS);
}

static inline swe_status model_set_bottom(swe_context *ctx, swe_model *model, const double *values)
{
    return set_whole(ctx, model, 1, values, SWE_BOTTOM);
}

/* The viscosity of a flow has order 4 where the operators have order 2. */
static inline swe_physics viscous_by_order(swe_physics physics, int order)
{
    if (order == 2 && physics.viscosity > 0.0) {
        physics.viscosity_order = 4;
        physics.viscosity *= 1e-3;
    }
    return physics;
}

/* Set the fields of forcing that the model's physics has; of records in time the odd ones are those
 * of the other kind. */
static inline swe_status model_set_forcing(swe_context *ctx, swe_model *model, const double *target,
                                           const double *source)
{
    if (model->physics.relaxation != 0.0)
        SWE_TRY(set_whole(ctx, model, 1, target, SWE_TARGET));
    if (model->physics.relaxation != 0.0 && model->physics.records > 0.0)
        SWE_TRY(set_whole(ctx, model, 1, source, SWE_ODD_TARGET));
    if (model->physics.has_source && model->physics.records > 0.0)
        SWE_TRY(set_whole(ctx, model, SWE_FLOW_FIELDS, target, SWE_ODD_SOURCE));
    if (model->physics.drag_of_field != 0.0)
        SWE_TRY(set_whole(ctx, model, 1, target, SWE_DRAG));
    if (model->physics.has_stirring)
        SWE_TRY(set_whole(ctx, model, SWE_FLOW_FIELDS, source, SWE_STIRRING));
    for (int k = 0; k < 2 * model->physics.wind.terms; k++)
        SWE_TRY(set_whole(ctx, model, SWE_FLOW_FIELDS, source, (swe_constant)(SWE_WIND + k)));
    return model->physics.has_source ? set_whole(ctx, model, SWE_FLOW_FIELDS, source, SWE_SOURCE)
                                     : SWE_OK;
}

static inline swe_status model_get_state(swe_context *ctx, swe_model *model, double *values)
{
    const whole_fields whole = {model->grid->layout, values};
    swe_host_fields *fields = NULL;
    SWE_TRY(swe_host_fields_create(ctx, model, model->fields.count, &fields));
    const swe_status status = swe_host_fields_get_state(ctx, fields, NULL);
    copy_panels(swe_host_fields_panels(fields), status == SWE_OK ? model->fields.count : 0, &whole,
                false);
    swe_host_fields_destroy(&fields);
    return status;
}

#endif
