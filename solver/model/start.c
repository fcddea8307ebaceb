#include "model/start.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fields/fields.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "model/field_groups.h"

static bool has_bottom_file(const swe_config *config)
{
    return config->bottom.path[0] != '\0';
}

static swe_status read_bottom(swe_context *ctx, const swe_config *config, const swe_model *model,
                              const swe_panels *bottom)
{
    return swe_input_scalar(ctx, config->bottom.path, &swe_quantity_bottom, config->bottom.variable,
                            model->grid, model->execution.threads, bottom, 0);
}

static swe_status bottom_of_case(swe_context *ctx, const swe_case *test_case,
                                 const swe_model *model, const swe_panels *bottom)
{
    double *room = NULL;
    SWE_TRY(swe_memory_doubles(ctx, (size_t)model->grid->layout.panel, &room));
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        swe_case_bottom(test_case, model->grid, model->execution.threads, panel, room);
        swe_panels_set(bottom, 0, panel, room);
    }
    free(room);
    return SWE_OK;
}

swe_status swe_start_bottom(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                            swe_model *model, swe_host_fields **bottom)
{
    *bottom = NULL;
    if (!has_bottom_file(config) && (test_case == NULL || !swe_case_has_bottom(test_case)))
        return SWE_OK;
    SWE_TRY(swe_host_fields_create(ctx, model, 1, bottom));
    const swe_panels *panels = swe_host_fields_panels(*bottom);
    swe_status status = has_bottom_file(config) ? read_bottom(ctx, config, model, panels)
                                                : bottom_of_case(ctx, test_case, model, panels);
    if (status == SWE_OK)
        status = swe_host_fields_set_bottom(ctx, *bottom);
    if (status != SWE_OK)
        swe_host_fields_destroy(bottom);
    return status;
}

/* A vertex, and h there [m]. */
typedef struct vertex {
    int panel, j, i;
    double h;
} vertex;

static vertex find_lowest(const swe_layout *layout, const swe_panels *state, double *room)
{
    vertex lowest = {0, 0, 0, HUGE_VAL};
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const double *h = swe_panels_get(state, SWE_FIELD_H, panel, room);
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++)
                if (h[swe_at(layout, 0, j, i)] < lowest.h)
                    lowest = (vertex){panel, j, i, h[swe_at(layout, 0, j, i)]};
    }
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
static swe_status check_depth(swe_context *ctx, const swe_start *start, const swe_panels *state)
{
    const swe_config *config = start->config;
    const swe_grid *grid = start->model->grid;
    const vertex at = find_lowest(&grid->layout, state, start->room);
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
static void panel_of_case(const swe_start *start, int panel, const swe_panels *state)
{
    const swe_grid *grid = start->model->grid;
    const int threads = start->model->execution.threads;
    double *a = start->room, *b = a + grid->layout.panel;
    swe_case_height(start->test_case, grid, threads, 0.0, panel, a);
    if (start->bottom != NULL && has_bottom_file(start->config)) {
        const double *bottom = swe_panels_get(start->bottom, 0, panel, b);
        for (ptrdiff_t k = 0; k < grid->layout.panel; k++)
            a[k] -= bottom[k];
    }
    swe_panels_set(state, SWE_FIELD_H, panel, a);
    swe_case_velocity(start->test_case, grid, threads, 0.0, panel, a, b);
    swe_panels_set(state, SWE_FIELD_V1, panel, a);
    swe_panels_set(state, SWE_FIELD_V2, panel, b);
}

static swe_status state_of_file(swe_context *ctx, const swe_start *start, const swe_panels *state)
{
    const swe_config *config = start->config;
    const swe_input_file file = {config->initial.path, config->initial.variable_h,
                                 config->initial.variable_u, config->initial.variable_v};
    swe_input_note unused;
    return swe_input_state(ctx, &file, start->model->grid, start->model->execution.threads, state,
                           start->note != NULL ? start->note : &unused);
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

/* They are the first of a state. */
static swe_status flow_start(swe_context *ctx, const swe_start *start, int first,
                             const swe_panels *state)
{
    (void)first;
    if (start->test_case == NULL)
        SWE_TRY(state_of_file(ctx, start, state));
    else
        for (int panel = 0; panel < SWE_PANELS; panel++)
            panel_of_case(start, panel, state);
    return start->model->physics.equations == SWE_LINEAR ? SWE_OK : check_depth(ctx, start, state);
}

const swe_field_group swe_group_flow = {flow_count, flow_field, swe_config_check_initial,
                                        flow_start};

swe_status swe_start_state(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           const swe_model *model, swe_host_fields *bottom, swe_host_fields *state,
                           swe_input_note *note)
{
    swe_start start = {config, test_case, model, swe_host_fields_panels(bottom), note, NULL};
    SWE_TRY(
        swe_memory_doubles(ctx, SWE_START_PANELS * (size_t)model->grid->layout.panel, &start.room));
    const swe_status status = swe_field_groups_start(ctx, &start, swe_host_fields_panels(state));
    free(start.room);
    return status;
}

swe_status swe_start_model(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           swe_model *model)
{
    swe_host_fields *bottom = NULL, *state = NULL;
    swe_status status = swe_start_bottom(ctx, config, test_case, model, &bottom);
    if (status == SWE_OK)
        status = swe_host_fields_create(ctx, model, model->fields.count, &state);
    if (status == SWE_OK)
        status = swe_start_state(ctx, config, test_case, model, bottom, state, NULL);
    if (status == SWE_OK)
        status = swe_host_fields_set_state(ctx, state);
    swe_host_fields_destroy(&state);
    swe_host_fields_destroy(&bottom);
    return status;
}
