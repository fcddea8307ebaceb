#include "model/start.h"

#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "stages/rhs.h"

static bool has_bottom_file(const swe_config *config)
{
    return config->bottom.path[0] != '\0';
}

static swe_status read_bottom(swe_context *ctx, const swe_config *config, const swe_model *model,
                              double *host)
{
    return swe_input_bottom(ctx, config->bottom.path, config->bottom.variable, model->grid,
                            model->workers.threads, host);
}

swe_status swe_start_bottom(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                            swe_model *model, double *host)
{
    if (has_bottom_file(config))
        SWE_TRY(read_bottom(ctx, config, model, host));
    else if (test_case != NULL && swe_case_has_bottom(test_case))
        swe_case_bottom(test_case, model->grid, model->workers.threads, host);
    else
        return SWE_OK;
    return swe_model_set_bottom(ctx, model, host);
}

/* A depth that is not positive comes from a file: of h, or of the bottom. */
static swe_status check_depth(swe_context *ctx, const swe_config *config, const swe_grid *grid,
                              const double *h)
{
    const swe_layout *layout = &grid->layout;
    const bool over_file = has_bottom_file(config) && config->initial.kind != SWE_INITIAL_FILE;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                const double depth = h[swe_at(layout, p, j, i)];
                double r[3], lon, lat;
                if (depth > 0.0)
                    continue;
                geometry_position(p, grid->tan_vertex[i], grid->tan_vertex[j], r);
                geographic_of(r, &lon, &lat);
                return swe_fail(ctx, SWE_DATA,
                                "%.280s: the depth %s%g m at panel %d, j %d, i %d (longitude %.4g, "
                                "latitude %.4g) and must be positive",
                                over_file ? config->bottom.path : config->initial.path,
                                over_file ? "over this bottom is " : "h is ", depth, p, j, i, lon,
                                lat);
            }
    return SWE_OK;
}

/* h of a case is the depth over a flat bottom: over one of a file it becomes the surface. */
static swe_status state_of_case(swe_context *ctx, const swe_config *config,
                                const swe_case *test_case, const swe_model *model, double *host)
{
    const swe_layout *layout = &model->grid->layout;
    const swe_fields state = swe_fields_at(layout, host);
    const int threads = model->workers.threads;
    swe_case_height(test_case, model->grid, threads, 0.0, state.h);
    if (has_bottom_file(config)) {
        double *bottom = state.v1; /* free until the velocity is set */
        SWE_TRY(read_bottom(ctx, config, model, bottom));
        for (ptrdiff_t k = 0; k < layout->field; k++)
            state.h[k] -= bottom[k];
    }
    swe_case_velocity(test_case, model->grid, threads, 0.0, state.v1, state.v2);
    return SWE_OK;
}

static swe_status state_of_file(swe_context *ctx, const swe_config *config, const swe_model *model,
                                double *host, swe_input_note *note)
{
    const swe_input_file file = {config->initial.path, config->initial.variable_h,
                                 config->initial.variable_u, config->initial.variable_v};
    swe_input_note unseen;
    return swe_input_state(ctx, &file, model->grid, model->workers.threads, host,
                           note != NULL ? note : &unseen);
}

swe_status swe_start_state(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           const swe_model *model, double *host, swe_input_note *note)
{
    SWE_TRY(test_case != NULL ? state_of_case(ctx, config, test_case, model, host)
                              : state_of_file(ctx, config, model, host, note));
    if (model->physics.equations == SWE_LINEAR || (test_case != NULL && !has_bottom_file(config)))
        return SWE_OK;
    return check_depth(ctx, config, model->grid, swe_fields_at(&model->grid->layout, host).h);
}

swe_status swe_start_model(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           swe_model *model, double *host)
{
    SWE_TRY(swe_start_bottom(ctx, config, test_case, model, host));
    SWE_TRY(swe_start_state(ctx, config, test_case, model, host, NULL));
    return swe_model_set_state(ctx, model, host);
}
