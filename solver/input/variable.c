#include "input/variable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conversion/attributes.h"
#include "output/hdf5_open.h"

enum { MOST_ENTRIES = 1024, TEXT_SIZE = 256 };

static const double netcdf_fill = 9.969209968386869e36; /* of what was never written */

static const char *const metres[] = {"m", "metre", "metres", "meter", "meters", NULL};
static const char *const metres_per_second[] = {"m s-1",   "m/s",       "m.s-1",          "m s^-1",
                                                "m s**-1", "metre s-1", "meter second-1", NULL};
static const char *const square_metres_per_second[] = {"m2 s-1", "m2/s", "m^2 s^-1", NULL};

const swe_quantity swe_quantity_h = {"h", {"h"}, {NULL}, metres};
const swe_quantity swe_quantity_zonal = {
    "zonal wind", {"u"}, {"eastward_wind", "eastward_sea_water_velocity"}, metres_per_second};
const swe_quantity swe_quantity_meridional = {"meridional wind",
                                              {"v"},
                                              {"northward_wind", "northward_sea_water_velocity"},
                                              metres_per_second};
const swe_quantity swe_quantity_v1 = {
    "covariant velocity along xi1", {"v1"}, {NULL}, square_metres_per_second};
const swe_quantity swe_quantity_v2 = {
    "covariant velocity along xi2", {"v2"}, {NULL}, square_metres_per_second};
const swe_quantity swe_quantity_bottom = {"bottom",
                                          {"bottom", "b", "topography", "orography"},
                                          {"surface_altitude", "bedrock_altitude"},
                                          metres};

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* Open a dataset as `out`; false if there is none. */
static bool try_name(hid_t file, const char *name, swe_variable *out)
{
    out->dataset = hdf5_open_dataset(file, name);
    snprintf(out->name, sizeof out->name, "%s", name);
    return out->dataset >= 0;
}

/* The first dataset in the file with one of the standard names. */
static void try_standard_names(hid_t file, const swe_quantity *quantity, swe_variable *out)
{
    char name[VARIABLE_NAME_SIZE], text[TEXT_SIZE];
    if (quantity->standard_names[0] == NULL)
        return;
    for (hsize_t k = 0; k < MOST_ENTRIES; k++) {
        const ssize_t length = hdf5_name_at(file, k, name, sizeof name);
        if (length < 0)
            return;
        if (length >= (ssize_t)sizeof name || !try_name(file, name, out))
            continue;
        swe_attribute_text(out->dataset, "standard_name", text, sizeof text);
        if (is_one_of(text, quantity->standard_names))
            return;
        swe_variable_close(out);
    }
}

static swe_status check(swe_context *ctx, const swe_quantity *quantity, swe_variable *v)
{
    char units[TEXT_SIZE];
    v->rank = hdf5_shape(v->dataset, v->lengths);
    if (v->rank == 0)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' is not an array of floating-point numbers in this file",
                        v->path, v->name);
    if (H5Aexists(v->dataset, "scale_factor") > 0 || H5Aexists(v->dataset, "add_offset") > 0)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' is packed (scale_factor, add_offset): store its values",
                        v->path, v->name);
    if (H5Aexists(v->dataset, "units") <= 0)
        return SWE_OK;
    swe_attribute_text(v->dataset, "units", units, sizeof units);
    if (!is_one_of(units, quantity->units))
        return swe_fail(ctx, SWE_DATA, "%s: dataset '%s' has units '%.64s' and needs '%s'", v->path,
                        v->name, units, quantity->units[0]);
    return SWE_OK;
}

swe_status swe_variable_find(swe_context *ctx, const char *path, hid_t file,
                             const swe_quantity *quantity, const char *name, swe_variable *out)
{
    *out = (swe_variable){.path = path, .dataset = H5I_INVALID_HID};
    if (name[0] != '\0')
        try_name(file, name, out);
    for (int k = 0; name[0] == '\0' && out->dataset < 0 && quantity->names[k] != NULL; k++)
        try_name(file, quantity->names[k], out);
    if (name[0] == '\0' && out->dataset < 0)
        try_standard_names(file, quantity, out);
    if (out->dataset < 0)
        return SWE_OK;
    const swe_status status = check(ctx, quantity, out);
    if (status != SWE_OK)
        swe_variable_close(out);
    return status;
}

swe_status swe_variable_need(swe_context *ctx, const char *path, hid_t file,
                             const swe_quantity *quantity, const char *name, swe_variable *out)
{
    SWE_TRY(swe_variable_find(ctx, path, file, quantity, name, out));
    if (out->dataset >= 0)
        return SWE_OK;
    return swe_fail(ctx, SWE_DATA, "%s: has no dataset '%s' (%s, in %s)", path,
                    name[0] != '\0' ? name : quantity->names[0], quantity->meaning,
                    quantity->units[0]);
}

void swe_variable_close(swe_variable *variable)
{
    if (variable->dataset >= 0)
        H5Dclose(variable->dataset);
    variable->dataset = H5I_INVALID_HID;
}

void swe_variable_shape(const swe_variable *variable, char *out, size_t size)
{
    size_t used = 0;
    for (int k = 0; k < variable->rank && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%llu", k > 0 ? ", " : "(",
                                 (unsigned long long)variable->lengths[k]);
    if (used < size)
        snprintf(out + used, size - used, ")");
}

swe_status swe_variable_read(swe_context *ctx, const swe_variable *variable, hid_t memory,
                             double *values)
{
    if (hdf5_read(variable->dataset, memory, values))
        return SWE_OK;
    return swe_fail(ctx, SWE_DATA, "%s: dataset '%s' cannot be read", variable->path,
                    variable->name);
}

/* Read the lists of references, one a dimension; false if the attribute is none of that kind. */
static bool read_references(hid_t attribute, const swe_variable *v, hid_t memory, hvl_t lists[4])
{
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hid_t element =
        H5Tget_class(type) == H5T_VLEN ? H5Tget_super(type) : (hid_t)H5I_INVALID_HID;
    const bool is_list = element >= 0 && H5Tequal(element, H5T_STD_REF_OBJ) > 0 &&
                         H5Sget_simple_extent_npoints(space) == v->rank;
    const bool is_read = is_list && H5Aread(attribute, memory, lists) >= 0;
    if (element >= 0)
        H5Tclose(element);
    H5Sclose(space);
    H5Tclose(type);
    return is_read;
}

void swe_variable_scale(const swe_variable *variable, int dimension, char name[VARIABLE_NAME_SIZE])
{
    char path[VARIABLE_NAME_SIZE + 1];
    hvl_t lists[4] = {{0, NULL}};
    name[0] = '\0';
    const hid_t attribute = H5Aopen(variable->dataset, "DIMENSION_LIST", H5P_DEFAULT);
    if (attribute < 0)
        return;
    const hid_t memory = H5Tvlen_create(H5T_STD_REF_OBJ), space = H5Aget_space(attribute);
    if (read_references(attribute, variable, memory, lists)) {
        const hid_t scale =
            lists[dimension].len > 0
                ? H5Rdereference2(variable->dataset, H5P_DEFAULT, H5R_OBJECT, lists[dimension].p)
                : (hid_t)H5I_INVALID_HID;
        if (scale >= 0) {
            const ssize_t length = H5Iget_name(scale, path, sizeof path);
            if (length > 1 && length < (ssize_t)sizeof path)
                memcpy(name, path + 1, (size_t)length);
            H5Oclose(scale);
        }
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, lists);
    }
    H5Sclose(space);
    H5Tclose(memory);
    H5Aclose(attribute);
}

/* A single number; NaN if the attribute is none. */
static double number_of(hid_t dataset, const char *name)
{
    double value = NAN;
    const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT);
    if (attribute < 0)
        return value;
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    if (H5Tget_class(type) != H5T_FLOAT || H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0)
        value = NAN;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return value;
}

double swe_variable_missing(const swe_variable *variable)
{
    const double fill = number_of(variable->dataset, "_FillValue");
    const double missing = isnan(fill) ? number_of(variable->dataset, "missing_value") : fill;
    return isnan(missing) ? netcdf_fill : missing;
}
