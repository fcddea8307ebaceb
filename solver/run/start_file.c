#include "run/start_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fields/fields.h"
#include "run/tasks.h"
#include "ranks/ranks.h"
#include "state/slabs.h"

enum { VALUES_OF_PIECE = 1 << 20 }; /* of one field that the root passes on */

/* The pointers to values and latitudes are valid on the root only. */
typedef struct interpolate_given {
    swe_gridded gridded;
    int fields, k; /* a scalar: field number k; a wind: v1 and v2 */
    char name[SWE_GRIDDED_NAME_SIZE];
} interpolate_given;

/* ---- a piece after the other ----------------------------------------------------------------- */

/* A field that is interpolated, and this rank's rows of it. */
typedef struct target {
    int k; /* the number of the field */
    const swe_field *field;
    swe_range (*row)(const swe_gridded *piece, const swe_grid *grid, int panel, int j, double *out);
    swe_slab slab;
    swe_range *stencils; /* of each own row: the rows of the file in which its stencils begin */
} target;

typedef struct visit {
    swe_context *ctx;
    const swe_model *model;
    const interpolate_given *given;
    int count;
    target to[2];
    double *room; /* of a piece; NULL: the root, which has all values */
} visit;

/* A row without points of the piece is passed by. */
static void interpolate(const visit *v, const target *to, const swe_gridded *piece)
{
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const swe_range rows = swe_slab_own_rows(&to->slab, to->field, panel);
#pragma omp parallel for schedule(static) num_threads(v->model->execution.threads)
        for (int j = rows.first; j < rows.last; j++) {
            swe_range *stencils = &to->stencils[panel * (to->slab.n + 1) + j - to->slab.own.first];
            if (stencils->first < piece->rows.last && stencils->last > piece->rows.first)
                *stencils =
                    to->row(piece, v->model->grid, panel, j, swe_slab_row(&to->slab, panel, j));
        }
    }
}

/* The root broadcasts a piece of its values. */
static swe_gridded share_piece(const visit *v, swe_range rows)
{
    swe_gridded piece = swe_gridded_piece(&v->given->gridded, rows);
    const size_t size = swe_gridded_size(&piece);
    for (int m = 0; m < piece.count; m++) {
        double *values = v->room != NULL ? v->room + (size_t)m * size : (double *)piece.values[m];
        swe_ranks_broadcast(values, size * sizeof *values);
        piece.values[m] = values;
    }
    return piece;
}

static int rows_of_piece(const visit *v)
{
    const swe_gridded_points *points = &v->given->gridded.points;
    const int fitting = VALUES_OF_PIECE / (int)swe_gridded_pitch(points);
    return swe_ranks_count() == 1 ? swe_gridded_rows(points) : fitting > 1 ? fitting : 1;
}

static void interpolate_all(const visit *v)
{
    const int all = swe_gridded_rows(&v->given->gridded.points), most = rows_of_piece(v);
    for (int first = 0; first < all; first += most) {
        const swe_gridded piece =
            share_piece(v, (swe_range){first, first + most < all ? first + most : all});
        for (int t = 0; t < v->count; t++)
            interpolate(v, &v->to[t], &piece);
    }
}

/* ---- the task -------------------------------------------------------------------------------- */

/* The coordinates of the file's points, and their number. */
static double **coordinates_of(swe_gridded_points *points, size_t *count)
{
    *count = (size_t)(points->n > 0 ? points->n + 1 : points->regular.nlat);
    return points->n > 0 ? &points->place : &points->regular.lat;
}

/* Room for a piece and the coordinates. The root has both. */
static swe_status make_room(visit *v, swe_gridded *gridded)
{
    size_t count;
    double **coordinates = coordinates_of(&gridded->points, &count);
    if (swe_ranks_is_root())
        return SWE_OK;
    *coordinates = NULL;
    for (int m = 0; m < gridded->count; m++)
        gridded->values[m] = NULL;
    SWE_TRY(swe_memory_doubles(v->ctx, count, coordinates));
    const swe_gridded piece = swe_gridded_piece(gridded, (swe_range){0, rows_of_piece(v)});
    return swe_memory_doubles(v->ctx, (size_t)gridded->count * swe_gridded_size(&piece), &v->room);
}

/* Initially the stencils of a row may begin in any row of the file. */
static swe_status create_stencils(swe_context *ctx, target *to)
{
    const int rows = to->slab.own.last - to->slab.own.first;
    SWE_TRY(swe_memory_zero(ctx, (size_t)rows + 1, sizeof *to->stencils, &to->stencils));
    for (int row = 0; row < rows; row++)
        to->stencils[row] = (swe_range){0, INT_MAX};
    return SWE_OK;
}

static swe_status create_targets(visit *v, const swe_host_fields *fields)
{
    for (int t = 0; t < v->count; t++) {
        target *to = &v->to[t];
        to->field = &v->model->fields.field[to->k];
        SWE_TRY(swe_slab_create(v->ctx, fields, (swe_margin){0, 0}, &to->slab));
        SWE_TRY(swe_ranks_agree(v->ctx, create_stencils(v->ctx, to)));
        swe_slab_turn(fields, to->k, &to->slab);
    }
    return SWE_OK;
}

static swe_status check(const visit *v)
{
    for (const target *to = v->to; to < v->to + v->count; to++)
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            const swe_range rows = swe_slab_own_rows(&to->slab, to->field, panel);
            const int columns = swe_field_columns(to->field, to->slab.n);
            for (int j = rows.first; j < rows.last; j++)
                SWE_TRY(swe_gridded_check_row(v->ctx, v->given->name, panel, j, columns,
                                              swe_slab_row(&to->slab, panel, j)));
        }
    return SWE_OK;
}

static swe_status set_fields(visit *v, const swe_host_fields *fields, swe_gridded_points *points)
{
    size_t count;
    double *coordinates = *coordinates_of(points, &count);
    swe_ranks_broadcast(coordinates, count * sizeof *coordinates);
    SWE_TRY(create_targets(v, fields));
    interpolate_all(v);
    SWE_TRY(swe_ranks_agree(v->ctx, check(v)));
    for (int t = 0; t < v->count; t++)
        swe_slab_set(fields, v->to[t].k, &v->to[t].slab);
    return SWE_OK;
}

static swe_status run_interpolate(swe_context *ctx, swe_model *model, void *given)
{
    size_t count;
    interpolate_given *g = given;
    visit v = {.ctx = ctx, .model = model, .given = g, .count = g->gridded.count == 1 ? 1 : 2};
    if (v.count == 1) {
        v.to[0] = (target){.k = g->k, .row = swe_gridded_scalar_row};
    } else {
        v.to[0] = (target){.k = SWE_FIELD_V1, .row = swe_gridded_v1_row};
        v.to[1] = (target){.k = SWE_FIELD_V2, .row = swe_gridded_v2_row};
    }
    swe_status status = swe_ranks_agree(ctx, make_room(&v, &g->gridded));
    if (status == SWE_OK)
        status = set_fields(&v, model->host[g->fields], &g->gridded.points);
    for (int t = 0; t < v.count; t++) {
        swe_slab_release(&v.to[t].slab);
        free(v.to[t].stencils);
    }
    free(v.room);
    if (!swe_ranks_is_root())
        free(*coordinates_of(&g->gridded.points, &count));
    return status;
}

SWE_TASK_DEFINE(interpolate, interpolate_given);

/* ---- the root -------------------------------------------------------------------------------- */

typedef struct run_fields {
    swe_model *model;
    const swe_host_fields *fields;
} run_fields;

static swe_status interpolate_gridded(swe_context *ctx, const void *to, const swe_gridded *values,
                                      const char *name, int k)
{
    const run_fields *run = to;
    interpolate_given given = {
        .gridded = *values, .fields = swe_host_fields_number(run->fields), .k = k};
    snprintf(given.name, sizeof given.name, "%s", name);
    return swe_task_run(ctx, run->model, SWE_TASK_INTERPOLATE, &given);
}

static swe_input_fields input_fields(const run_fields *run)
{
    return (swe_input_fields){swe_host_fields_panels(run->fields), interpolate_gridded, run};
}

swe_status swe_start_state_of_file(swe_context *ctx, const swe_input_file *file, swe_model *model,
                                   const swe_host_fields *state, swe_input_note *note)
{
    const run_fields run = {model, state};
    const swe_input_fields to = input_fields(&run);
    return swe_input_state(ctx, file, model->grid, &to, note);
}

swe_status swe_start_scalar_of_file(swe_context *ctx, const swe_input_file *file,
                                    const swe_quantity *quantity, swe_model *model,
                                    const swe_host_fields *fields, int k)
{
    const run_fields run = {model, fields};
    const swe_input_fields to = input_fields(&run);
    return swe_input_scalar(ctx, file, quantity, model->grid, &to, k);
}

swe_status swe_start_vector_of_file(swe_context *ctx, const swe_input_file *file,
                                    const swe_quantity *quantity, swe_model *model,
                                    const swe_host_fields *fields)
{
    const run_fields run = {model, fields};
    const swe_input_fields to = input_fields(&run);
    return swe_input_vector(ctx, file, quantity, model->grid, &to);
}
