/* Fields of the open input file on the target grid. */
#include <string.h>

#include "files/conversion/internal.h"

static const char east[] = "eastward_", north[] = "northward_";

const char *converter_vector(const swe_vertex_field *field, bool *is_eastward)
{
    const char *name = field->standard_name;
    *is_eastward = strncmp(name, east, strlen(east)) == 0;
    if (*is_eastward)
        return name + strlen(east);
    return strncmp(name, north, strlen(north)) == 0 ? name + strlen(north) : NULL;
}

int converter_other_component(const swe_vertex_field *fields, int count, int field)
{
    bool is_eastward = false;
    const char *vector = converter_vector(&fields[field], &is_eastward);
    const char *other = is_eastward ? north : east;
    for (int k = 0; vector != NULL && k < count; k++) {
        const char *candidate = fields[k].standard_name;
        if (strncmp(candidate, other, strlen(other)) == 0 &&
            strcmp(candidate + strlen(other), vector) == 0 &&
            strcmp(fields[k].units, fields[field].units) == 0)
            return k;
    }
    return -1;
}

/* Regrid a component of a horizontal vector, which depends on both components. */
static swe_status regrid_component(swe_context *ctx, converter *c, int index, int partner,
                                   bool is_eastward, double **values)
{
    const char *one = c->reader.fields[index].name, *other = c->reader.fields[partner].name;
    SWE_TRY(
        swe_field_reader_read(ctx, &c->reader, is_eastward ? one : other, c->grid, c->field[0]));
    SWE_TRY(
        swe_field_reader_read(ctx, &c->reader, is_eastward ? other : one, c->grid, c->field[1]));
    swe_latlon_vector(c->latlon, c->lons, c->lats, c->field, c->out[0], c->out[1]);
    *values = c->out[is_eastward ? 0 : 1];
    return SWE_OK;
}

swe_status converter_regrid(swe_context *ctx, converter *c, const char *name, double **values)
{
    bool is_eastward = false;
    const int index = swe_field_reader_find(&c->reader, name);
    if (index < 0) /* another program has changed the file */
        return swe_fail(ctx, SWE_DATA, "%s: field '%s' disappeared during the conversion",
                        c->reader.path, name);
    const int other = converter_other_component(c->reader.fields, c->reader.count, index);
    if (converter_vector(&c->reader.fields[index], &is_eastward) != NULL && other < 0 &&
        c->latlon != NULL)
        return swe_fail(ctx, SWE_DATA,
                        "%s: '%s' is one component of a vector, and the other component, in the "
                        "same units, is missing",
                        c->reader.path, name);
    if (c->latlon != NULL && other >= 0)
        return regrid_component(ctx, c, index, other, is_eastward, values);
    SWE_TRY(swe_field_reader_read(ctx, &c->reader, name, c->grid, c->field[0]));
    if (c->latlon != NULL)
        swe_latlon_values(c->latlon, c->field[0], c->out[0]);
    else
        swe_mesh_values(c->mesh, c->field[0], c->out[0]);
    *values = c->out[0];
    return SWE_OK;
}
