#include "files/input/variable.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "files/conversion/field_reader.h"

enum { TEXT_SIZE = 256 };

static const swe_unit metres[] = {{"m|metre|metres|meter|meters", 1.0},
                                  {"km|kilometre|kilometres|kilometer|kilometers", 1000.0},
                                  {"cm|centimetre|centimetres|centimeter|centimeters", 0.01},
                                  {NULL, 0.0}};
static const swe_unit metres_per_second[] = {
    {"m s-1|m/s|m.s-1|m s^-1|m s**-1|m s{-1}|m/sec|metre s-1|metres s-1|meter s-1|meters s-1|"
     "meter second-1|metre/second|metres/second|meter/second|meters/second|metre per second|"
     "metres per second|meter per second|meters per second",
     1.0},
    {"cm s-1|cm/s", 0.01},
    {"km h-1|km/h", 1.0 / 3.6},
    {NULL, 0.0}};
static const swe_unit square_metres_per_second[] = {{"m2 s-1|m2/s|m^2 s^-1", 1.0}, {NULL, 0.0}};

const swe_quantity swe_quantity_height = {"height above the mean depth", {"h"},  "",
                                          {"height", "anomaly"},         metres, false};
const swe_quantity swe_quantity_depth = {
    "depth of the fluid", {"h"}, "", {"height", "thickness", "depth"}, metres, false};
const swe_quantity swe_quantity_zonal = {
    "zonal wind",      {"u"}, "eastward_wind|eastward_sea_water_velocity", {"eastward_"},
    metres_per_second, false};
const swe_quantity swe_quantity_meridional = {
    "meridional wind", {"v"}, "northward_wind|northward_sea_water_velocity", {"northward_"},
    metres_per_second, false};
const swe_quantity swe_quantity_v1 = {"covariant velocity along xi1", {"v1"}, "", {NULL},
                                      square_metres_per_second,       false};
const swe_quantity swe_quantity_v2 = {"covariant velocity along xi2", {"v2"}, "", {NULL},
                                      square_metres_per_second,       false};
const swe_quantity swe_quantity_bottom = {"height of the bottom",
                                          {"bottom", "b", "topography", "orography"},
                                          "surface_altitude|bedrock_altitude",
                                          {"altitude", "height", "depth"},
                                          metres,
                                          true};

/* Quantities of forcing have no default names: a case names their variables. */
static const swe_unit newtons[] = {{"N m-2|N/m2|Pa|kg m-1 s-2", 1.0}, {NULL, 0.0}};
const swe_quantity swe_quantity_source = {"source of h",     {NULL}, "", {NULL},
                                          metres_per_second, false};
const swe_quantity swe_quantity_stress = {
    "component of the wind stress", {NULL}, "", {"stress"}, newtons, false};
static const swe_unit parts[] = {{"1||", 1.0}, {"%|percent", 0.01}, {NULL, 0.0}};
const swe_quantity swe_quantity_factor = {"factor of the drag", {NULL}, "", {""}, parts, false};

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
    for (hsize_t k = 0; quantity->standard_names[0] != '\0' && next.name[0] != '\0'; k++) {
        SWE_TRY(hdf5_find_entry(ctx, out->path, file, k, next.name, &next.dataset));
        if (next.dataset < 0)
            continue;
        swe_attribute_text(next.dataset, "standard_name", text, sizeof text);
        if (!swe_is_listed(quantity->standard_names, "|", text)) {
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

/* ---- times ----------------------------------------------------------------------------------- */

/* Seconds of a unit such as "hours since 2000-01-01"; 0: unknown. */
static double seconds_of(const char *units)
{
    static const struct {
        const char *words;
        double seconds;
    } known[] = {{"s|sec|secs|second|seconds", 1.0},
                 {"min|mins|minute|minutes", 60.0},
                 {"h|hr|hrs|hour|hours", 3600.0},
                 {"d|day|days", 86400.0}};
    char word[16] = "";
    for (size_t k = 0; k + 1 < sizeof word && isalpha((unsigned char)units[k]); k++)
        word[k] = (char)tolower((unsigned char)units[k]);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (swe_is_listed(known[k].words, "|", word))
            return known[k].seconds;
    return 0.0;
}

/* Select a record, counted from `first` on. */
static swe_status select_record(swe_context *ctx, const swe_variable_file *file,
                                const double *times, hsize_t count, const char *units,
                                hsize_t first, swe_variable *v)
{
    swe_records *records = file->records;
    const double spacing = count > 1 ? times[1] - times[0] : 0.0,
                 seconds = spacing * seconds_of(units);
    bool is_regular = count > 1 && spacing > 0.0;
    for (hsize_t k = 1; k < count; k++)
        is_regular = is_regular && fabs(times[k] - times[k - 1] - spacing) <= 1e-6 * spacing;
    if (!is_regular)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' has %llu times that are not equally spaced: "
                        "forcing.interval needs two or more that are",
                        file->path, v->name, (unsigned long long)count);
    if (seconds != 0.0 && fabs(seconds - records->interval) > 1e-6 * seconds)
        return swe_fail(ctx, SWE_DATA,
                        "%s: the times of dataset '%s' are %.9g s apart: forcing.interval is %.9g",
                        file->path, v->name, seconds, records->interval);
    if (records->count > 0 && (records->count != (long)count || records->first != times[0]))
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' has %llu times from %.12g on, another field of forcing "
                        "%ld from %.12g on: forcing.interval needs the same times",
                        file->path, v->name, (unsigned long long)count, times[0], records->count,
                        records->first);
    records->count = (long)count;
    records->first = times[0];
    const hsize_t number = first + (hsize_t)records->number;
    v->record = records->is_periodic ? number % count : number < count ? number : count - 1;
    return SWE_OK;
}

/* Select the record of the time that differs from file->time by rounding only, or a record counted
 * from it. */
static swe_status select_time(swe_context *ctx, const swe_variable_file *file, const double *times,
                              const char *units, swe_variable *v)
{
    const double time = strtod(file->time, NULL);
    const hsize_t count = v->lengths[0];
    for (hsize_t k = 0; k < count; k++)
        if (fabs(times[k] - time) < fabs(times[v->record] - time))
            v->record = k;
    const hsize_t k = v->record, next = k + 1 < count ? k + 1 : k - 1;
    const double spacing = count > 1 ? fabs(times[next] - times[k]) : fmax(fabs(time), 1.0);
    v->lengths[0] = 1;
    const bool is_found = file->time[0] != '\0' && fabs(times[k] - time) <= 1e-6 * spacing;
    if (file->records != NULL && (is_found || file->time[0] == '\0'))
        return select_record(ctx, file, times, count, units, is_found ? k : 0, v);
    if (is_found)
        return SWE_OK;
    return swe_fail(ctx, SWE_DATA,
                    "%s: dataset '%s' has %llu times, from %.12g to %.12g [%.64s]: %s must be one "
                    "of them%s%.64s",
                    file->path, v->name, (unsigned long long)count, times[0], times[count - 1],
                    units, file->key, file->time[0] != '\0' ? ", and is " : "", file->time);
}

/* The first dimension is a time if its coordinate is named so or has units such as "hours since".
 * Without attached coordinates the length of `time` decides. */
static swe_status find_time(swe_context *ctx, const swe_variable_file *file, swe_variable *v)
{
    char name[HDF5_NAME_SIZE], units[TEXT_SIZE];
    hsize_t count[4] = {0};
    double *times = NULL;
    hid_t dataset;
    swe_status status = SWE_OK;
    swe_variable_dimension_scale(v, 0, name);
    SWE_TRY(
        hdf5_find_dataset(ctx, file->path, file->file, name[0] != '\0' ? name : "time", &dataset));
    swe_attribute_text(dataset, "units", units, sizeof units);
    const bool is_time =
        v->rank > 2 && dataset >= 0 && hdf5_shape(dataset, true, count) == 1 &&
        count[0] == v->lengths[0] && H5Dget_storage_size(dataset) > 0 &&
        (name[0] == '\0' || strcmp(name, "time") == 0 || strstr(units, " since ") != NULL);
    if (!is_time && !v->is_factor && (file->time[0] != '\0' || file->records != NULL))
        status =
            swe_fail(ctx, SWE_DATA, "%s: dataset '%s' has no time that %s could select", file->path,
                     v->name, file->time[0] != '\0' ? file->key : "forcing.interval");
    if (is_time && (count[0] > 1 || file->time[0] != '\0' || file->records != NULL)) {
        status = swe_memory_doubles(ctx, (size_t)count[0], &times);
        if (status == SWE_OK)
            status = swe_meaning_read(ctx, file->path, "time", dataset, &swe_quantity_any, count[0],
                                      times);
        if (status == SWE_OK)
            status = select_time(ctx, file, times, units, v);
        free(times);
    }
    H5Dclose(dataset);
    return status;
}

/* ---- finding --------------------------------------------------------------------------------- */

static swe_status check(swe_context *ctx, const swe_variable_file *file,
                        const swe_quantity *quantity, swe_variable *v)
{
    SWE_TRY(swe_meaning_find(ctx, v->path, v->name, v->dataset, quantity, &v->meaning));
    v->is_factor = quantity == &swe_quantity_factor;
    v->rank = hdf5_shape(v->dataset, false, v->lengths);
    if (v->rank <= 0)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' is not an array of floating-point numbers that this file "
                        "stores, plain or with deflate",
                        v->path, v->name);
    return find_time(ctx, file, v);
}

swe_status swe_variable_find(swe_context *ctx, const swe_variable_file *file,
                             const swe_quantity *quantity, const char *name, swe_variable *out)
{
    const bool is_named = name[0] != '\0';
    *out = (swe_variable){.path = file->path, .dataset = H5I_INVALID_HID};
    swe_status status = is_named ? try_name(ctx, file->file, name, out) : SWE_OK;
    for (int k = 0; !is_named && status == SWE_OK && out->dataset < 0 && quantity->names[k] != NULL;
         k++)
        status = try_name(ctx, file->file, quantity->names[k], out);
    if (!is_named && status == SWE_OK && out->dataset < 0)
        status = try_standard_names(ctx, file->file, quantity, out);
    if (status == SWE_OK && out->dataset >= 0)
        status = check(ctx, file, quantity, out);
    if (status != SWE_OK)
        swe_variable_close(out);
    return status;
}

swe_status swe_variable_require(swe_context *ctx, const swe_variable_file *file,
                                const swe_quantity *quantity, const char *name, swe_variable *out)
{
    SWE_TRY(swe_variable_find(ctx, file, quantity, name, out));
    if (out->dataset >= 0)
        return SWE_OK;
    return swe_fail(ctx, SWE_DATA, "%s: has no dataset '%s' (%s, in %.*s)", file->path,
                    name[0] != '\0' ? name : quantity->names[0], quantity->meaning,
                    (int)strcspn(quantity->units[0].names, "|"), quantity->units[0].names);
}

void swe_variable_close(swe_variable *variable)
{
    if (variable->dataset >= 0)
        H5Dclose(variable->dataset);
    variable->dataset = H5I_INVALID_HID;
}

swe_shape_text swe_variable_shape(const swe_variable *variable)
{
    swe_shape_text out = {""};
    size_t used = 0; /* at most 4 lengths of at most 20 digits */
    for (int k = 0; k < variable->rank; k++)
        used += (size_t)snprintf(out.text + used, sizeof out.text - used, "%s%llu",
                                 k > 0 ? ", " : "(", (unsigned long long)variable->lengths[k]);
    snprintf(out.text + used, sizeof out.text - used, ")");
    return out;
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
    const hsize_t start[4] = {variable->record};
    const hid_t space = H5Dget_space(variable->dataset);
    const bool is_read =
        hdf5_storage_is_whole(variable->dataset) &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, variable->lengths, NULL) >= 0 &&
        H5Dread(variable->dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    H5Sclose(space);
    return is_read ? SWE_OK : fail_reading(ctx, variable);
}

const char *swe_variable_fault(const swe_variable *variable, double *value)
{
    const bool is_missing = swe_meaning_apply(&variable->meaning, 1, value);
    return is_missing                                              ? "missing"
           : !isfinite(*value)                                     ? "not finite"
           : variable->is_factor && (*value < 0.0 || *value > 1.0) ? "not between 0 and 1"
                                                                   : NULL;
}

static swe_status check_values(swe_context *ctx, const swe_variable *variable,
                               const swe_layout *layout, int rows, int columns, int panel,
                               double *values)
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            const char *fault = swe_variable_fault(variable, &values[swe_at(layout, 0, j, i)]);
            if (fault != NULL)
                return swe_fail(ctx, SWE_DATA, "%s: dataset '%s' is %s at panel %d, j %d, i %d",
                                variable->path, variable->name, fault, panel, j, i);
        }
    return SWE_OK;
}

swe_status swe_variable_read_panel(swe_context *ctx, const swe_variable *variable,
                                   const swe_layout *layout, int rows, int columns, int panel,
                                   double *values)
{
    const bool is_whole = panel > 0 || hdf5_storage_is_whole(variable->dataset);
    return is_whole &&
                   hdf5_copy_panel(variable->dataset, layout, variable->record, panel, NULL, values)
               ? check_values(ctx, variable, layout, rows, columns, panel, values)
               : fail_reading(ctx, variable);
}
