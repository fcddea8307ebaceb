#include "conversion/conversion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/durable.h"
#include "base/memory.h"
#include "conversion/converter.h"

/* Whether a name is in a list "a,b". */
static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (;; list++) {
        if (strncmp(list, name, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return true;
        if ((list = strchr(list, ',')) == NULL)
            return false;
    }
}

/* Names that were asked for must be there. */
static swe_status check_names(swe_context *ctx, const swe_field_set *set, const char *list)
{
    for (;;) {
        char name[FIELD_SET_NAME_SIZE];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 list);
        if (swe_field_set_find(set, name) < 0)
            return swe_fail(ctx, SWE_DATA, "%s: has no field '%s' at vertices (the first is '%s')",
                            set->path, name, set->fields[0].name);
        if (list[length] == '\0')
            return SWE_OK;
        list += length + 1;
    }
}

static const char east[] = "eastward_", north[] = "northward_";

/* Whether a field is a component of a horizontal vector, by its standard name. */
static bool is_component(const swe_vertex_field *field, bool *is_eastward)
{
    *is_eastward = strncmp(field->standard_name, east, strlen(east)) == 0;
    return *is_eastward || strncmp(field->standard_name, north, strlen(north)) == 0;
}

/* The other component of the vector; -1 if it is not there. */
static int partner_of(const swe_field_set *set, int field, bool is_eastward)
{
    const char *other = is_eastward ? north : east;
    const char *what = set->fields[field].standard_name + strlen(is_eastward ? east : north);
    for (int k = 0; k < set->count; k++) {
        const char *candidate = set->fields[k].standard_name;
        if (strncmp(candidate, other, strlen(other)) == 0 &&
            strcmp(candidate + strlen(other), what) == 0)
            return k;
    }
    return -1;
}

static swe_status check_file(swe_context *ctx, converter *c, int k, int n)
{
    const swe_field_set *set = &c->set;
    if (set->n != n)
        return swe_fail(ctx, SWE_DATA, "%s: has n = %d, and the file before it %d", set->path,
                        set->n, n);
    if (k > 0 && !(set->time > c->times[k - 1]))
        return swe_fail(ctx, SWE_DATA, "%s: its time is not after that of the file before it",
                        set->path);
    for (int f = 0; f < c->field_count; f++) {
        const int found = swe_field_set_find(set, c->fields[f].name);
        if (found < 0 || set->fields[found].has_time != c->fields[f].has_time)
            return swe_fail(ctx, SWE_DATA, "%s: has no field '%s', which the first file has",
                            set->path, c->fields[f].name);
    }
    c->times[k] = set->time;
    return SWE_OK;
}

/* Look at all files before anything is written: what is in the first is expected of all. */
static swe_status survey(swe_context *ctx, converter *c, int *n)
{
    SWE_TRY(swe_memory_doubles(ctx, (size_t)c->count, &c->times));
    for (int k = 0; k < c->count; k++) {
        SWE_TRY(swe_field_set_open(ctx, c->paths[k], &c->set));
        swe_status status = SWE_OK;
        if (k == 0) {
            *n = c->set.n;
            if (c->what->fields != NULL)
                status = check_names(ctx, &c->set, c->what->fields);
            for (int f = 0; f < c->set.count; f++)
                if (c->what->fields == NULL || is_listed(c->what->fields, c->set.fields[f].name))
                    c->fields[c->field_count++] = c->set.fields[f];
        }
        if (status == SWE_OK)
            status = check_file(ctx, c, k, *n);
        swe_field_set_close(&c->set);
        SWE_TRY(status);
    }
    return SWE_OK;
}

static swe_status make_latlon(swe_context *ctx, converter *c)
{
    const int nlon = c->what->nlon > 0   ? c->what->nlon
                     : c->what->nlat > 0 ? 2 * c->what->nlat
                                         : 4 * c->grid->layout.n;
    const int nlat = c->what->nlat > 0 ? c->what->nlat : (nlon + 1) / 2;
    c->points = (size_t)nlon * (size_t)nlat;
    return swe_latlon_create(ctx, &c->grid->layout, nlon, nlat, &c->latlon);
}

static swe_status make_mesh(swe_context *ctx, converter *c)
{
    SWE_TRY(swe_mesh_create(ctx, c->grid, c->lons, c->lats, &c->mesh));
    c->points = (size_t)c->mesh->node_count;
    return SWE_OK;
}

/* The grid to write to, and room. */
static swe_status prepare(swe_context *ctx, converter *c, int n)
{
    SWE_TRY(swe_grid_create(ctx, n, 1.0, &c->grid));
    const size_t field = (size_t)c->grid->layout.field;
    SWE_TRY(swe_memory_doubles(ctx, field, &c->lons));
    SWE_TRY(swe_memory_doubles(ctx, field, &c->lats));
    for (int m = 0; m < 3; m++)
        SWE_TRY(swe_memory_doubles(ctx, field, &c->field[m]));
    SWE_TRY(swe_field_set_open(ctx, c->paths[0], &c->set));
    SWE_TRY(swe_field_set_coordinates(ctx, &c->set, c->grid, c->lons, c->lats));
    SWE_TRY(c->what->to == SWE_TO_LATLON ? make_latlon(ctx, c) : make_mesh(ctx, c));
    SWE_TRY(swe_memory_doubles(ctx, MESH_FACE_NODES * c->points + 2, &c->out[0]));
    return swe_memory_doubles(ctx, c->points, &c->out[1]);
}

/* A component of a horizontal vector needs the other one. */
static swe_status make_component(swe_context *ctx, converter *c, int place, int partner,
                                 bool is_eastward, double **values)
{
    const char *one = c->set.fields[place].name, *other = c->set.fields[partner].name;
    SWE_TRY(swe_field_set_read(ctx, &c->set, is_eastward ? one : other, c->grid, c->field[0]));
    SWE_TRY(swe_field_set_read(ctx, &c->set, is_eastward ? other : one, c->grid, c->field[1]));
    swe_latlon_vector(c->latlon, c->lons, c->lats, c->field, c->out[0], c->out[1]);
    *values = c->out[is_eastward ? 0 : 1];
    return SWE_OK;
}

swe_status converter_values(swe_context *ctx, converter *c, const char *name, double **values)
{
    bool is_eastward = false;
    const int place = swe_field_set_find(&c->set, name);
    int partner = -1;
    if (place < 0) /* another program writes to the file */
        return swe_fail(ctx, SWE_DATA, "%s: '%s' is no longer there", c->set.path, name);
    if (is_component(&c->set.fields[place], &is_eastward) &&
        (partner = partner_of(&c->set, place, is_eastward)) < 0 && c->latlon != NULL)
        return swe_fail(ctx, SWE_DATA,
                        "%s: '%s' is one component of a vector, and the other is not there",
                        c->set.path, name);
    if (c->latlon != NULL && partner >= 0)
        return make_component(ctx, c, place, partner, is_eastward, values);
    SWE_TRY(swe_field_set_read(ctx, &c->set, name, c->grid, c->field[0]));
    if (c->latlon != NULL)
        swe_latlon_values(c->latlon, c->field[0], c->out[0]);
    else
        swe_mesh_values(c->mesh, c->field[0], c->out[0]);
    *values = c->out[0];
    return SWE_OK;
}

static swe_status convert(swe_context *ctx, converter *c, const char *output)
{
    int n = 0;
    prof_output_file out;
    SWE_TRY(survey(ctx, c, &n));
    SWE_TRY(prepare(ctx, c, n));
    SWE_TRY(swe_durable_begin(ctx, output, &out));
    return swe_durable_end_if(ctx,
                              c->what->to == SWE_TO_VTU ? converter_write_vtu(ctx, c, &out)
                                                        : converter_write_netcdf(ctx, c, &out),
                              &out);
}

swe_status swe_convert(swe_context *ctx, const swe_conversion *conversion, const char *const *paths,
                       int count, const char *output)
{
    void *memory = NULL;
    SWE_TRY(swe_memory_zero(ctx, 1, sizeof(converter), &memory));
    converter *c = memory;
    c->what = conversion;
    c->paths = paths;
    c->count = count;
    c->set.file = H5I_INVALID_HID;
    const swe_status status = convert(ctx, c, output);
    swe_field_set_close(&c->set);
    swe_latlon_destroy(&c->latlon);
    swe_mesh_destroy(&c->mesh);
    swe_grid_destroy(&c->grid);
    for (int m = 0; m < 3; m++)
        free(c->field[m]);
    free(c->lons);
    free(c->lats);
    free(c->times);
    free(c->out[0]);
    free(c->out[1]);
    free(c);
    return status;
}
