#include "input/variable.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conversion/field_reader.h"

enum { TEXT_SIZE = 256 };

static const double netcdf_fill = 9.969209968386869e36; /* default fill value of netCDF */

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

static swe_status try_name(swe_context *ctx, hid_t file, const char *name, swe_variable *out)
{
    snprintf(out->name, sizeof out->name, "%s", name);
    return hdf5_find_dataset(ctx, out->path, file, name, &out->dataset);
}

/* The only dataset in the file with one of the standard names. */
static swe_status try_standard_names(swe_context *ctx, hid_t file, const swe_quantity *quantity,
                                     swe_variable *out)
{
    char text[TEXT_SIZE];
    swe_variable next = {.path = out->path, .name = "/"};
    for (hsize_t k = 0; quantity->standard_names[0] != NULL && next.name[0] != '\0'; k++) {
        SWE_TRY(hdf5_find_entry(ctx, out->path, file, k, next.name, &next.dataset));
        if (next.dataset < 0)
            continue;
        swe_attribute_text(next.dataset, "standard_name", text, sizeof text);
        if (!is_one_of(text, quantity->standard_names)) {
            swe_variable_close(&next);
        } else if (out->dataset < 0) {
            *out = next;
        } else {
            swe_variable_close(&next);
            return swe_fail(ctx, SWE_DATA, "%s: '%s' and '%s' both have the standard_name '%.64s'",
                            out->path, out->name, next.name, text);
        }
    }
    return SWE_OK;
}

/* ---- missing values -------------------------------------------------------------------------- */

/* A fill value as it appears in data of single precision. */
static double as_single(double value)
{
    return fabs(value) <= (double)FLT_MAX ? (double)(float)value : value;
}

/* Append the numbers of an attribute; false: not numbers, or too many. */
static bool read_fill_values(hid_t attribute, swe_variable *v)
{
    double *next = v->fill_values + v->fill_count;
    const int free_slots = VARIABLE_MAX_FILLS - v->fill_count;
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const H5T_class_t class = H5Tget_class(type);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const bool is_read = (class == H5T_FLOAT || class == H5T_INTEGER) && count >= 1 &&
                         count <= free_slots && H5Aread(attribute, H5T_NATIVE_DOUBLE, next) >= 0;
    v->fill_count += is_read ? (int)count : 0;
    H5Sclose(space);
    H5Tclose(type);
    return is_read;
}

static swe_status find_fill_values(swe_context *ctx, swe_variable *v)
{
    static const char *const names[] = {"_FillValue", "missing_value"};
    v->fill_values[0] = netcdf_fill;
    v->fill_count = 1;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (H5Aexists(v->dataset, names[k]) <= 0)
            continue;
        const hid_t attribute = H5Aopen(v->dataset, names[k], H5P_DEFAULT);
        const bool is_read = attribute >= 0 && read_fill_values(attribute, v);
        H5Aclose(attribute);
        if (!is_read)
            return swe_fail(ctx, SWE_DATA,
                            "%s: attribute %s of dataset '%s' must be 1 to %d numbers", v->path,
                            names[k], v->name, VARIABLE_MAX_FILLS / 2);
    }
    const hid_t type = H5Dget_type(v->dataset);
    for (int k = 0; H5Tget_size(type) <= sizeof(float) && k < v->fill_count; k++)
        v->fill_values[k] = as_single(v->fill_values[k]);
    H5Tclose(type);
    return SWE_OK;
}

/* ---- finding --------------------------------------------------------------------------------- */

static swe_status check(swe_context *ctx, const swe_quantity *quantity, swe_variable *v)
{
    char units[TEXT_SIZE];
    v->rank = hdf5_real_shape(v->dataset, v->lengths);
    if (v->rank <= 0)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' is not an array of floating-point numbers that this file "
                        "stores, plain or with deflate",
                        v->path, v->name);
    if (H5Aexists(v->dataset, "scale_factor") > 0 || H5Aexists(v->dataset, "add_offset") > 0)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' is packed (scale_factor, add_offset): store its values",
                        v->path, v->name);
    SWE_TRY(find_fill_values(ctx, v));
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
    const bool is_named = name[0] != '\0';
    *out = (swe_variable){.path = path, .dataset = H5I_INVALID_HID};
    swe_status status = is_named ? try_name(ctx, file, name, out) : SWE_OK;
    for (int k = 0; !is_named && status == SWE_OK && out->dataset < 0 && quantity->names[k] != NULL;
         k++)
        status = try_name(ctx, file, quantity->names[k], out);
    if (!is_named && status == SWE_OK && out->dataset < 0)
        status = try_standard_names(ctx, file, quantity, out);
    if (status == SWE_OK && out->dataset >= 0)
        status = check(ctx, quantity, out);
    if (status != SWE_OK)
        swe_variable_close(out);
    return status;
}

swe_status swe_variable_require(swe_context *ctx, const char *path, hid_t file,
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

/* Read DIMENSION_LIST: a list of references per dimension; false: another type or shape. */
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

void swe_variable_dimension_scale(const swe_variable *variable, int dimension,
                                  char name[HDF5_NAME_SIZE])
{
    char path[HDF5_NAME_SIZE + 1];
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

/* ---- values ---------------------------------------------------------------------------------- */

static swe_status fail_reading(swe_context *ctx, const swe_variable *variable)
{
    return swe_fail(ctx, SWE_DATA, "%s: dataset '%s' cannot be read", variable->path,
                    variable->name);
}

swe_status swe_variable_read(swe_context *ctx, const swe_variable *variable, hid_t memory,
                             double *values)
{
    return hdf5_read(variable->dataset, memory, values) ? SWE_OK : fail_reading(ctx, variable);
}

bool swe_variable_is_missing(const swe_variable *variable, double value)
{
    bool is_missing = false;
    for (int k = 0; k < variable->fill_count; k++)
        is_missing |= value == variable->fill_values[k];
    return is_missing;
}

static swe_status check_values(swe_context *ctx, const swe_variable *variable,
                               const swe_layout *layout, int rows, int columns, int panel,
                               const double *values)
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            const double value = values[swe_at(layout, 0, j, i)];
            const bool is_missing = swe_variable_is_missing(variable, value);
            if (!isfinite(value) || is_missing)
                return swe_fail(ctx, SWE_DATA, "%s: dataset '%s' is %s at panel %d, j %d, i %d",
                                variable->path, variable->name,
                                is_missing ? "missing" : "not finite", panel, j, i);
        }
    return SWE_OK;
}

swe_status swe_variable_read_panel(swe_context *ctx, const swe_variable *variable,
                                   const swe_layout *layout, int rows, int columns, int panel,
                                   double *values)
{
    const bool is_whole = panel > 0 || hdf5_storage_is_whole(variable->dataset);
    return is_whole && hdf5_read_panel(variable->dataset, layout, panel, values)
               ? check_values(ctx, variable, layout, rows, columns, panel, values)
               : fail_reading(ctx, variable);
}
