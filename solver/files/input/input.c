#include "files/input/input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/keys.h"
#include "files/conversion/field_reader.h"
#include "files/input/source.h"
#include "files/output/hdf5_reader.h"

/* An open file and its variables. */
typedef struct reader {
    const swe_input_file *request;
    swe_variable_file file;
    swe_variable h, v1, v2, u, v;
    swe_source source;
    bool has_own_points; /* the file has the vertices of the run; */
    bool has_no_points;  /* they are unknown, and not equispaced in the run */
    char physics[512];   /* keys with other values in the file's run; "": none */
} reader;

enum { CONFIGURATION_SIZE = 1 << 16 };

static bool is_found(const swe_variable *variable)
{
    return variable->dataset >= 0;
}

/* ---- values of a source on the grid of the run ----------------------------------------------- */

static bool is_same_grid(const swe_source *source, const swe_grid *grid)
{
    return source->grid != NULL && swe_field_reader_is_same(source->grid, grid);
}

static swe_status copy_scalar(swe_context *ctx, const swe_gridded *gridded, const char *name,
                              const swe_layout *layout, const swe_panels *out, int k)
{
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const double *values = gridded->values[0] + panel * layout->panel;
        for (int j = 0; j <= layout->n; j++)
            SWE_TRY(swe_gridded_check_row(ctx, name, panel, j, layout->n + 1,
                                          values + swe_at(layout, 0, j, 0)));
        swe_panels_set(out, k, panel, values);
    }
    return SWE_OK;
}

static swe_status set_scalar(swe_context *ctx, const swe_source *source,
                             const swe_variable *variable, const swe_grid *grid,
                             const swe_input_fields *out, int k)
{
    char name[SWE_GRIDDED_NAME_SIZE];
    double *values = NULL;
    swe_gridded gridded;
    swe_status status = swe_source_scalar(ctx, source, variable, &values, &gridded);
    snprintf(name, sizeof name, "%.400s: dataset '%.200s' is", variable->path, variable->name);
    if (status == SWE_OK)
        status = is_same_grid(source, grid)
                     ? copy_scalar(ctx, &gridded, name, &grid->layout, out->panels, k)
                     : out->interpolate(ctx, out->to, &gridded, name, k);
    free(values);
    return status;
}

/* `what`: "wind" or "stress". */
static swe_status set_vector(swe_context *ctx, reader *r, const char *what,
                             const swe_input_fields *state)
{
    char name[SWE_GRIDDED_NAME_SIZE];
    double *values = NULL;
    swe_gridded gridded;
    swe_status status = swe_source_vector(ctx, &r->source, &r->u, &r->v, &values, &gridded);
    snprintf(name, sizeof name, "%.400s: the %s of datasets '%.90s' and '%.90s' is", r->u.path,
             what, r->u.name, r->v.name);
    if (status == SWE_OK)
        status = state->interpolate(ctx, state->to, &gridded, name, SWE_FIELD_V1);
    free(values);
    return status;
}

/* ---- the native layout ----------------------------------------------------------------------- */

/* Copy a field of shape (6, rows, columns) through `room`, of one panel. */
static swe_status read_native(swe_context *ctx, const swe_variable *v, const swe_layout *layout,
                              int k, double *room, const swe_panels *state)
{
    const swe_field *field = &swe_flow_fields.field[k];
    const int rows = swe_field_rows(field, layout->n),
              columns = swe_field_columns(field, layout->n);
    const hsize_t *last = v->lengths + (v->rank == 4);
    if (v->rank < 3 || (v->rank == 4 && v->lengths[0] != 1) || last[0] != SWE_PANELS ||
        last[1] != (hsize_t)rows || last[2] != (hsize_t)columns)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' has shape %s and needs (6, %d, %d) for grid.n = %d",
                        v->path, v->name, swe_variable_shape(v).text, rows, columns, layout->n);
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        SWE_TRY(swe_variable_read_panel(ctx, v, layout, rows, columns, panel, room));
        swe_panels_set(state, k, panel, room);
    }
    return SWE_OK;
}

/* Covariant components grow with the radius. */
static swe_status check_radius(swe_context *ctx, const reader *r, double own)
{
    double radius = own;
    swe_attribute_numbers(r->file.file, "radius", 1, 1, &radius);
    if (fabs(radius - own) <= 1e-9 * own)
        return SWE_OK;
    return swe_fail(
        ctx, SWE_DATA,
        "%s: its 'v1' and 'v2' are of a sphere of radius %.10g m, and physics.radius is "
        "%.10g: set initial.variable_u and variable_v to its zonal and meridional wind",
        r->file.path, radius, own);
}

static swe_status read_native_state(swe_context *ctx, reader *r, const swe_grid *grid,
                                    const swe_panels *state)
{
    const swe_layout *layout = &grid->layout;
    double *room = NULL;
    SWE_TRY(check_radius(ctx, r, grid->radius));
    SWE_TRY(swe_memory_doubles(ctx, (size_t)layout->panel, &room));
    const swe_variable *const fields[] = {&r->h, &r->v1, &r->v2};
    swe_status status = SWE_OK;
    for (int k = SWE_FIELD_H; k < SWE_FLOW_FIELDS && status == SWE_OK; k++)
        status = read_native(ctx, fields[k], layout, k, room, state);
    free(room);
    return status;
}

/* ---- the initial state ----------------------------------------------------------------------- */

/* Find both components of a velocity, or neither. */
static swe_status find_components(swe_context *ctx, const reader *r, const swe_quantity *first,
                                  const char *first_name, const swe_quantity *second,
                                  const char *second_name, swe_variable *a, swe_variable *b)
{
    SWE_TRY(swe_variable_find(ctx, &r->file, first, first_name, a));
    SWE_TRY(swe_variable_find(ctx, &r->file, second, second_name, b));
    if (!is_found(b) && (is_found(a) || second_name[0] != '\0'))
        return swe_variable_require(ctx, &r->file, second, second_name, b);
    if (!is_found(a) && (is_found(b) || first_name[0] != '\0'))
        return swe_variable_require(ctx, &r->file, first, first_name, a);
    return SWE_OK;
}

/* Find whether a file of n cells a panel side has the points of the run. If the file has no
 * coordinates, v1 and v2 are taken to be at the points of the run. */
static swe_status compare_points(swe_context *ctx, reader *r, int n, const swe_grid *grid)
{
    const hid_t file = r->file.file;
    swe_grid *own = NULL;
    if (n != grid->layout.n)
        return SWE_OK;
    SWE_TRY(swe_field_reader_lines(ctx, r->file.path, file, n, &own));
    r->has_own_points = swe_field_reader_is_same(own, grid);
    r->has_no_points =
        !r->has_own_points && is_found(&r->v1) && H5Lexists(file, "Xdim", H5P_DEFAULT) <= 0 &&
        H5Lexists(file, "Ydim", H5P_DEFAULT) <= 0 && H5Lexists(file, "lons", H5P_DEFAULT) <= 0;
    swe_grid_destroy(&own);
    return SWE_OK;
}

/* Staggered v1 and v2 are used on their own grid only; another grid requires the wind. */
static swe_status find_variables(swe_context *ctx, reader *r, const swe_grid *grid)
{
    const swe_input_file *request = r->request;
    SWE_TRY(swe_variable_require(ctx, &r->file,
                                 request->is_depth ? &swe_quantity_depth : &swe_quantity_height,
                                 request->h, &r->h));
    if (request->u[0] == '\0' && request->v[0] == '\0')
        SWE_TRY(
            find_components(ctx, r, &swe_quantity_v1, "", &swe_quantity_v2, "", &r->v1, &r->v2));
    SWE_TRY(compare_points(ctx, r, swe_cubed_n(r->h.lengths, r->h.rank), grid));
    if (is_found(&r->v1) && (r->has_own_points || r->has_no_points))
        return SWE_OK;
    SWE_TRY(find_components(ctx, r, &swe_quantity_zonal, request->u, &swe_quantity_meridional,
                            request->v, &r->u, &r->v));
    if (is_found(&r->v1) && !is_found(&r->u) &&
        swe_cubed_n(r->h.lengths, r->h.rank) == grid->layout.n)
        return swe_fail(ctx, SWE_DATA,
                        "%.280s: v1 and v2 are at the points of another grid.closure: set it, or "
                        "give the zonal and meridional wind",
                        r->request->path);
    return SWE_OK;
}

/* List the keys of section physics that differ from the keys of a file's run. */
static swe_status compare_physics(swe_context *ctx, reader *r, const swe_config *theirs)
{
    const swe_config *own = r->request->config;
    for (const swe_key *key = swe_keys; key->path != NULL; key++) {
        const size_t used = strlen(r->physics);
        if (strncmp(key->path, "physics.", 8) != 0 || swe_config_agrees(theirs, own, key->path) ||
            (r->request->is_depth && strcmp(key->path, "physics.depth") == 0))
            continue;
        if (strcmp(key->path, "physics.model") == 0)
            return swe_fail(ctx, SWE_DATA,
                            "%s: was written by a run of another physics.model: h of the linear "
                            "equations is a height above the mean depth, of the nonlinear ones "
                            "the depth",
                            r->file.path);
        snprintf(r->physics + used, sizeof r->physics - used, "%s%s",
                 used > 0 ? ", " : "its run had another ", key->path);
    }
    return SWE_OK;
}

/* Compare the configuration in a file of this program with the run's. */
static swe_status compare_configuration(swe_context *ctx, reader *r)
{
    char text[CONFIGURATION_SIZE];
    swe_context why = {""};
    swe_config *theirs = NULL;
    swe_attribute_text(r->file.file, "source", text, sizeof text);
    if (r->request->config == NULL || strncmp(text, "cubeswe ", 8) != 0 ||
        !swe_attribute_text(r->file.file, "configuration", text, sizeof text))
        return SWE_OK;
    swe_status status = swe_config_load_of_run(&why, "its configuration", text, &theirs);
    if (status == SWE_OK)
        status = compare_physics(ctx, r, theirs);
    else if (status != SWE_NO_MEMORY) { /* a later program has other keys */
        snprintf(r->physics, sizeof r->physics, "its physics is not compared: %.400s", why.message);
        status = SWE_OK;
    }
    swe_config_destroy(&theirs);
    return status;
}

static void write_note(const reader *r, const swe_grid *grid, swe_input_note *note)
{
    char where[128] = "";
    const char *poles = r->source.replaced_poles;
    const bool has_wind = is_found(&r->u), is_native = is_found(&r->v1) && !has_wind;
    const bool same = is_native || is_same_grid(&r->source, grid);
    if (!same)
        swe_gridded_describe(&r->source.points, where, sizeof where);
    note->is_warning =
        r->physics[0] != '\0' || !(has_wind || is_native) || poles != NULL || r->has_no_points;
    if (is_native && !note->is_warning)
        return;
    snprintf(note->text, sizeof note->text, "%.280s: %s%s%s%s%s%s%s%s%s", r->request->path,
             r->physics, r->physics[0] != '\0' && (!is_native || r->has_no_points) ? "; " : "",
             same ? "" : "interpolated in order 6 from ", where, has_wind || same ? "" : "; ",
             r->has_no_points
                 ? "it has no Xdim and Ydim: v1 and v2 are taken at the points of the run"
             : is_native ? ""
             : !has_wind ? "it has no wind: the run starts from rest"
             : same      ? "the wind at vertices is interpolated in order 6 to v1 and v2"
                         : "",
             poles != NULL ? "; u and v at " : "", poles != NULL ? poles : "",
             poles != NULL ? " are no single vector: the wind there is interpolated from other "
                             "latitudes"
                           : "");
}

static swe_status read_state(swe_context *ctx, reader *r, const swe_grid *grid,
                             const swe_input_fields *state, swe_input_note *note)
{
    SWE_TRY(compare_configuration(ctx, r));
    SWE_TRY(find_variables(ctx, r, grid));
    if (is_found(&r->v1) && !is_found(&r->u)) {
        SWE_TRY(read_native_state(ctx, r, grid, state->panels));
    } else {
        SWE_TRY(swe_source_find(ctx, &r->file, &r->h, grid->layout.n, &r->source));
        SWE_TRY(set_scalar(ctx, &r->source, &r->h, grid, state, SWE_FIELD_H));
        SWE_TRY(is_found(&r->u) ? set_vector(ctx, r, "wind", state) : SWE_OK);
    }
    write_note(r, grid, note);
    return SWE_OK;
}

/* Open a file with fields at points. */
static swe_status open_file(swe_context *ctx, const swe_input_file *request, swe_variable_file *out)
{
    *out = (swe_variable_file){request->path, H5I_INVALID_HID, request->time, request->key,
                               request->records};
    SWE_TRY(hdf5_open(ctx, request->path, &out->file));
    const swe_status status = swe_meaning_check_file(ctx, out->path, out->file);
    if (status != SWE_OK)
        H5Fclose(out->file);
    return status;
}

swe_status swe_input_state(swe_context *ctx, const swe_input_file *file, const swe_grid *grid,
                           const swe_input_fields *state, swe_input_note *note)
{
    const swe_variable none = {.dataset = H5I_INVALID_HID};
    reader r = {.request = file, .h = none, .v1 = none, .v2 = none, .u = none, .v = none};
    *note = (swe_input_note){.text = ""};
    SWE_TRY(open_file(ctx, file, &r.file));
    const swe_status status = read_state(ctx, &r, grid, state, note);
    swe_variable *const all[] = {&r.h, &r.v1, &r.v2, &r.u, &r.v};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        swe_variable_close(all[k]);
    swe_source_release(&r.source);
    H5Fclose(r.file.file);
    return status;
}

/* ---- the bottom, and other scalars ----------------------------------------------------------- */

swe_status swe_input_scalar(swe_context *ctx, const swe_input_file *file,
                            const swe_quantity *quantity, const swe_grid *grid,
                            const swe_input_fields *out, int k)
{
    swe_variable_file opened;
    swe_variable b;
    swe_source source = {.grid = NULL};
    SWE_TRY(open_file(ctx, file, &opened));
    swe_status status = swe_variable_require(ctx, &opened, quantity, file->h, &b);
    if (status == SWE_OK)
        status = swe_source_find(ctx, &opened, &b, grid->layout.n, &source);
    if (status == SWE_OK)
        status = set_scalar(ctx, &source, &b, grid, out, k);
    swe_variable_close(&b);
    swe_source_release(&source);
    H5Fclose(opened.file);
    return status;
}

swe_status swe_input_vector(swe_context *ctx, const swe_input_file *file,
                            const swe_quantity *quantity, const swe_grid *grid,
                            const swe_input_fields *out)
{
    const swe_variable none = {.dataset = H5I_INVALID_HID};
    reader r = {.request = file, .u = none, .v = none};
    SWE_TRY(open_file(ctx, file, &r.file));
    swe_status status = swe_variable_require(ctx, &r.file, quantity, file->u, &r.u);
    if (status == SWE_OK)
        status = swe_variable_require(ctx, &r.file, quantity, file->v, &r.v);
    if (status == SWE_OK)
        status = swe_source_find(ctx, &r.file, &r.u, grid->layout.n, &r.source);
    if (status == SWE_OK)
        status = set_vector(ctx, &r, "stress", out);
    swe_variable_close(&r.u);
    swe_variable_close(&r.v);
    swe_source_release(&r.source);
    H5Fclose(r.file.file);
    return status;
}
