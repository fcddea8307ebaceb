#include "model/start.h"

#include "fields/fields.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "model/field_groups.h"

static bool has_bottom_file(const swe_config *config)
{
    return config->bottom.path[0] != '\0';
}

static swe_status read_bottom(swe_context *ctx, const swe_config *config, const swe_model *model,
                              double *host)
{
    return swe_input_scalar(ctx, config->bottom.path, &swe_quantity_bottom, config->bottom.variable,
                            model->grid, model->execution.threads, host);
}

swe_status swe_start_bottom(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                            swe_model *model, double *host)
{
    if (has_bottom_file(config))
        SWE_TRY(read_bottom(ctx, config, model, host));
    else if (test_case != NULL && swe_case_has_bottom(test_case))
        swe_case_bottom(test_case, model->grid, model->execution.threads, host);
    else
        return SWE_OK;
    return swe_model_set_bottom(ctx, model, host);
}

/* A vertex, and h there [m]. */
typedef struct vertex {
    int panel, j, i;
    double h;
} vertex;

static vertex find_lowest(const swe_layout *layout, const double *h)
{
    vertex lowest = {0, 0, 0, h[swe_at(layout, 0, 0, 0)]};
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++)
                if (h[swe_at(layout, panel, j, i)] < lowest.h)
                    lowest = (vertex){panel, j, i, h[swe_at(layout, panel, j, i)]};
    return lowest;
}

/* Keys of a case that increase its depth. */
static const char *deepening_keys(const char *kind)
{
    return swe_initial_reads(kind, "amplitude")
               ? "physics.depth or an initial.amplitude closer to 0"
           : swe_initial_reads(kind, "period") ? "physics.depth or a longer initial.period"
                                               : "physics.depth";
}

/* Check that the depth of a nonlinear flow is positive. The message names the lowest point, and the
 * file or the key to change. */
static swe_status check_depth(swe_context *ctx, const swe_config *config, const swe_grid *grid,
                              const double *h)
{
    const vertex at = find_lowest(&grid->layout, h);
    const bool is_file = config->initial.kind == SWE_INITIAL_FILE;
    const bool is_over_file = !is_file && has_bottom_file(config);
    double r[3], lon = 0.0, lat = 0.0;
    if (at.h > 0.0)
        return SWE_OK;
    char what[192];
    geometry_position(at.panel, grid->tan_vertex[at.i], grid->tan_vertex[at.j], r);
    geographic_of(r, &lon, &lat);
    snprintf(
        what, sizeof what,
        "the depth %sis %g m at longitude %.2f, latitude %.2f (panel %d, j %d, i %d) before the "
        "first step",
        is_over_file ? "over this bottom " : "", at.h, lon, lat, at.panel, at.j, at.i);
    if (is_file || is_over_file)
        return swe_fail(ctx, SWE_DATA, "%.500s: %s; nonlinear flow needs h > 0 everywhere",
                        is_file ? config->initial.path : config->bottom.path, what);
    return swe_fail(ctx, SWE_CONFIG, "%.400s: physics.depth: %s; it needs a larger %s",
                    config->case_file[0] != '\0' ? config->case_file : "--set", what,
                    deepening_keys(swe_initial_name((swe_initial_kind)config->initial.kind)));
}

/* State of a case. With the bottom of a file, the case's h is the surface: subtract the bottom. */
static swe_status state_of_case(swe_context *ctx, const swe_config *config,
                                const swe_case *test_case, const swe_model *model, double *host)
{
    const swe_layout *layout = &model->grid->layout;
    const swe_fields state = swe_fields_at(layout, host);
    const int threads = model->execution.threads;
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
    swe_input_note unused;
    return swe_input_state(ctx, &file, model->grid, model->execution.threads, host,
                           note != NULL ? note : &unused);
}

/* ---- the group of the flow's fields ---------------------------------------------------------- */

static int flow_count(const swe_config *config)
{
    (void)config;
    return swe_flow_fields.count;
}

static swe_field flow_field(const swe_config *config, int k)
{
    (void)config;
    return swe_flow_fields.field[k];
}

static swe_status flow_start(swe_context *ctx, const swe_start *start, int first, double *state)
{
    const swe_model *model = start->model;
    const swe_layout *layout = &model->grid->layout;
    double *host = state + first * layout->field;
    SWE_TRY(start->test_case != NULL
                ? state_of_case(ctx, start->config, start->test_case, model, host)
                : state_of_file(ctx, start->config, model, host, start->note));
    if (model->physics.equations == SWE_LINEAR)
        return SWE_OK;
    return check_depth(ctx, start->config, model->grid, swe_fields_at(layout, host).h);
}

const swe_field_group swe_group_flow = {flow_count, flow_field, swe_config_check_initial,
                                        flow_start};

swe_status swe_start_state(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           const swe_model *model, double *host, swe_input_note *note)
{
    const swe_start start = {config, test_case, model, note};
    return swe_field_groups_start(ctx, &start, host);
}

swe_status swe_start_model(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           swe_model *model, double *host)
{
    SWE_TRY(swe_start_bottom(ctx, config, test_case, model, host));
    SWE_TRY(swe_start_state(ctx, config, test_case, model, host, NULL));
    return swe_model_set_state(ctx, model, host);
}
