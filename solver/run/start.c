#include "run/start.h"

#include <math.h>
#include <stdlib.h>

#include "fields/fields.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "run/forcing.h"
#include "run/start_file.h"
#include "run/tasks.h"
#include "state/slabs.h"

static bool has_bottom_file(const swe_config *config)
{
    return config->bottom.path[0] != '\0';
}

/* ---- fields of a case, by the rows of each rank ---------------------------------------------- */

/* Row j of a panel of a field of a case. */
typedef void case_row(const swe_case *test_case, const swe_grid *grid, double t, int panel, int j,
                      double *out);

static void bottom_row(const swe_case *test_case, const swe_grid *grid, double t, int panel, int j,
                       double *out)
{
    (void)t;
    swe_case_bottom_row(test_case, grid, panel, j, out);
}

/* Set field number k to the rows of a case at t = 0, minus the rows of `under` (NULL: 0). All ranks
 * call this function. */
static void set_field(const swe_model *model, const swe_case *test_case,
                      const swe_host_fields *fields, int k, case_row *row, const swe_slab *under,
                      swe_slab *slab)
{
    swe_slab_turn(fields, k, slab);
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const swe_range rows = swe_slab_own_rows(slab, &swe_flow_fields.field[k], panel);
#pragma omp parallel for schedule(static) num_threads(model->execution.threads)
        for (int j = rows.first; j < rows.last; j++) {
            double *out = swe_slab_row(slab, panel, j);
            row(test_case, model->grid, 0.0, panel, j, out);
            for (int i = 0; under != NULL && i <= slab->n; i++)
                out[i] -= swe_slab_row(under, panel, j)[i];
        }
    }
    swe_slab_set(fields, k, slab);
}

/* A case with a bottom, and the number of the host fields whose first field receives the bottom. */
typedef struct bottom_given {
    swe_initial initial;
    int bottom;
} bottom_given;

static swe_status run_start_bottom(swe_context *ctx, swe_model *model, void *given)
{
    const bottom_given *g = given;
    const swe_host_fields *bottom = model->host[g->bottom];
    swe_case *test_case = NULL;
    swe_slab slab = {.room = NULL};
    swe_status status =
        swe_ranks_agree(ctx, swe_case_create(ctx, &g->initial, &model->physics, &test_case));
    if (status == SWE_OK)
        status = swe_slab_create(ctx, bottom, (swe_margin){0, 0}, &slab);
    if (status == SWE_OK)
        set_field(model, test_case, bottom, SWE_FIELD_H, bottom_row, NULL,
                  &slab); /* at vertices, as h is */
    swe_slab_release(&slab);
    swe_case_destroy(&test_case);
    return status;
}

SWE_TASK_DEFINE(start_bottom, bottom_given);

swe_status swe_start_bottom(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                            swe_model *model, swe_host_fields **bottom)
{
    *bottom = NULL;
    if (!has_bottom_file(config) && (test_case == NULL || !swe_case_has_bottom(test_case)))
        return SWE_OK;
    const swe_input_file file = {.path = config->bottom.path,
                                 .h = config->bottom.variable,
                                 .time = config->bottom.time,
                                 .key = "bottom.time"};
    SWE_TRY(swe_host_fields_create(ctx, model, 1, bottom));
    bottom_given given = {swe_config_initial(config), swe_host_fields_number(*bottom)};
    swe_status status = has_bottom_file(config)
                            ? swe_start_scalar_of_file(ctx, &file, &swe_quantity_bottom, model,
                                                       *bottom, SWE_FIELD_H)
                            : swe_task_run(ctx, model, SWE_TASK_START_BOTTOM, &given);
    if (status == SWE_OK)
        status = swe_host_fields_set_constant(ctx, *bottom, SWE_BOTTOM);
    if (status != SWE_OK)
        swe_host_fields_destroy(bottom);
    return status;
}

/* ---- depth of the flow ----------------------------------------------------------------------- */

/* A vertex, and h there [m]. */
typedef struct vertex {
    int panel, j, i;
    double h;
} vertex;

typedef struct lowest_given {
    int state;
    vertex lowest; /* result: the lowest of all ranks; among equals the first */
} lowest_given;

static vertex find_lowest(const swe_slab *h)
{
    vertex lowest = {0, 0, 0, HUGE_VAL};
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const swe_range rows = swe_slab_own_rows(h, &swe_flow_fields.field[SWE_FIELD_H], panel);
        for (int j = rows.first; j < rows.last; j++) {
            const double *row = swe_slab_row(h, panel, j);
            for (int i = 0; i <= h->n; i++)
                if (row[i] < lowest.h)
                    lowest = (vertex){panel, j, i, row[i]};
        }
    }
    return lowest;
}

/* The lowest vertex of all ranks. All ranks call it; the root has the result. */
static swe_status lowest_of_ranks(swe_context *ctx, vertex own, vertex *out)
{
    const int ranks = swe_ranks_count();
    vertex *all = calloc((size_t)ranks, sizeof *all);
    swe_status status = SWE_OK;
    if (all == NULL)
        status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %d vertices", ranks);
    status = swe_ranks_agree(ctx, status);
    *out = own;
    if (status == SWE_OK && all != NULL) {
        swe_ranks_gather(&own, sizeof own, all);
        for (int rank = 0; rank < ranks && swe_ranks_is_root(); rank++)
            if (all[rank].h < out->h)
                *out = all[rank];
    }
    free(all);
    return status;
}

static swe_status run_find_lowest(swe_context *ctx, swe_model *model, void *given)
{
    lowest_given *g = given;
    swe_slab h;
    SWE_TRY(swe_slab_create(ctx, model->host[g->state], (swe_margin){0, 0}, &h));
    swe_slab_get(model->host[g->state], SWE_FIELD_H, &h);
    const vertex own = find_lowest(&h);
    swe_slab_release(&h);
    return lowest_of_ranks(ctx, own, &g->lowest);
}

SWE_TASK_DEFINE(find_lowest, lowest_given);

/* Check that the depth of a nonlinear flow is positive. The message names the lowest point, and the
 * file or the key to change. */
static swe_status check_depth(swe_context *ctx, const swe_start *start,
                              const swe_host_fields *state)
{
    const swe_config *config = start->config;
    const swe_grid *grid = start->model->grid;
    lowest_given given = {.state = swe_host_fields_number(state)};
    SWE_TRY(swe_task_run(ctx, start->model, SWE_TASK_FIND_LOWEST, &given));
    const vertex at = given.lowest;
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
    const char *kind = swe_initial_name((swe_initial_kind)config->initial.kind);
    return swe_fail(ctx, SWE_CONFIG, "%.400s: physics.depth: %s; it needs a larger %s",
                    config->case_file[0] != '\0' ? config->case_file : "--set", what,
                    swe_initial_reads(kind, "amplitude")
                        ? "physics.depth or an initial.amplitude closer to 0"
                    : swe_initial_reads(kind, "period") ? "physics.depth or a longer initial.period"
                                                        : "physics.depth");
}

/* ---- the group of the flow's fields ---------------------------------------------------------- */

typedef struct flow_given {
    swe_initial initial;
    int state, under; /* under: the bottom of a file; -1: none */
} flow_given;

/* `under`: NULL or the bottom of a file. */
static swe_status set_flow(swe_context *ctx, const swe_model *model, const swe_case *test_case,
                           const swe_host_fields *state, const swe_host_fields *under)
{
    swe_slab slab, of_bottom = {.room = NULL};
    SWE_TRY(swe_slab_create(ctx, state, (swe_margin){0, 0}, &slab));
    const swe_status status =
        under != NULL ? swe_slab_create(ctx, under, (swe_margin){0, 0}, &of_bottom) : SWE_OK;
    if (status == SWE_OK && under != NULL)
        swe_slab_get(under, 0, &of_bottom);
    if (status == SWE_OK) {
        /* over the bottom of a file the case's h is the surface */
        set_field(model, test_case, state, SWE_FIELD_H, swe_case_height_row,
                  under != NULL ? &of_bottom : NULL, &slab);
        set_field(model, test_case, state, SWE_FIELD_V1, swe_case_v1_row, NULL, &slab);
        set_field(model, test_case, state, SWE_FIELD_V2, swe_case_v2_row, NULL, &slab);
    }
    swe_slab_release(&of_bottom);
    swe_slab_release(&slab);
    return status;
}

static swe_status run_start_flow(swe_context *ctx, swe_model *model, void *given)
{
    const flow_given *g = given;
    swe_case *test_case = NULL;
    swe_status status =
        swe_ranks_agree(ctx, swe_case_create(ctx, &g->initial, &model->physics, &test_case));
    if (status == SWE_OK)
        status = set_flow(ctx, model, test_case, model->host[g->state],
                          g->under >= 0 ? model->host[g->under] : NULL);
    swe_case_destroy(&test_case);
    return status;
}

SWE_TASK_DEFINE(start_flow, flow_given);

static swe_status state_of_file(swe_context *ctx, const swe_start *start,
                                const swe_host_fields *state)
{
    const swe_config *config = start->config;
    const struct swe_config_initial *from = &config->initial;
    const bool is_depth = start->model->physics.equations == SWE_NONLINEAR;
    swe_input_note unused;
    const swe_input_file file = {.path = from->path,
                                 .h = from->variable_h,
                                 .u = from->variable_u,
                                 .v = from->variable_v,
                                 .time = from->time,
                                 .key = "initial.time",
                                 .config = config,
                                 .is_depth = is_depth};
    return swe_start_state_of_file(ctx, &file, start->model, state,
                                   start->note != NULL ? start->note : &unused);
}

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

/* The flow's fields are the first fields of a state. */
static swe_status flow_start(swe_context *ctx, const swe_start *start, int first,
                             const swe_host_fields *state)
{
    (void)first;
    const bool is_over_file = start->bottom != NULL && has_bottom_file(start->config);
    flow_given given = {swe_config_initial(start->config), swe_host_fields_number(state),
                        is_over_file ? swe_host_fields_number(start->bottom) : -1};
    SWE_TRY(start->test_case == NULL
                ? state_of_file(ctx, start, state)
                : swe_task_run(ctx, start->model, SWE_TASK_START_FLOW, &given));
    return start->model->physics.equations == SWE_LINEAR ? SWE_OK : check_depth(ctx, start, state);
}

const swe_field_group swe_group_flow = {flow_count, flow_field, swe_config_check_initial,
                                        flow_start};

swe_status swe_start_state(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           swe_model *model, const swe_host_fields *bottom,
                           const swe_host_fields *state, swe_input_note *note)
{
    const swe_start start = {config, test_case, model, bottom, note};
    return swe_field_groups_start(ctx, config, &start, state);
}

swe_status swe_start_model(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           swe_model *model)
{
    swe_host_fields *bottom = NULL, *state = NULL;
    swe_status status = swe_start_bottom(ctx, config, test_case, model, &bottom);
    if (status == SWE_OK)
        status = swe_forcing_start(ctx, &(swe_start){config, test_case, model, bottom, NULL}, 0);
    if (status == SWE_OK)
        status = swe_host_fields_create(ctx, model, model->fields.count, &state);
    if (status == SWE_OK)
        status = swe_start_state(ctx, config, test_case, model, bottom, state, NULL);
    if (status == SWE_OK)
        status = swe_host_fields_set_state(ctx, state, 0.0);
    swe_host_fields_destroy(&state);
    swe_host_fields_destroy(&bottom);
    return status;
}
