#include "files/conversion/meaning.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "files/conversion/field_reader.h"
#include "grid/geographic.h"
#include "files/output/hdf5_reader.h"

enum { TEXT_SIZE = 256 };

static const double netcdf_fill = 9.969209968386869e36; /* default fill value of netCDF */

static const swe_unit north[] = {
    {"degrees_north|degree_north|degrees_N|degree_N|degreesN|degreeN", 1.0},
    {"degrees|degree", 1.0},
    {"radians|radian|rad", 180.0 / SWE_PI},
    {NULL, 0.0}};
static const swe_unit east[] = {
    {"degrees_east|degree_east|degrees_E|degree_E|degreesE|degreeE", 1.0},
    {"degrees|degree", 1.0},
    {"radians|radian|rad", 180.0 / SWE_PI},
    {NULL, 0.0}};
const swe_quantity swe_quantity_latitude = {
    "latitude", {"lat", "latitude"}, "latitude", {NULL}, north, false};
const swe_quantity swe_quantity_longitude = {
    "longitude", {"lon", "longitude"}, "longitude", {NULL}, east, false};
const swe_quantity swe_quantity_any = {.units = NULL};

/* A dataset, and its place for messages. */
typedef struct subject {
    swe_context *ctx;
    const char *path, *name;
    hid_t dataset;
} subject;

/* ---- numbers --------------------------------------------------------------------------------- */

enum { MAX_NUMBERS = 8 };

/* A number as it appears in data of single precision. */
static double as_single(double value)
{
    return fabs(value) <= (double)FLT_MAX ? (double)(float)value : value;
}

static swe_status find_numbers(const subject *s, swe_meaning *m)
{
    enum { FILL, MISSING, VALID_MIN, VALID_MAX, VALID_RANGE, SCALE, OFFSET, RULES };
    static const char *const names[RULES] = {"_FillValue", "missing_value", "valid_min",
                                             "valid_max",  "valid_range",   "scale_factor",
                                             "add_offset"};
    const hid_t type = H5Dget_type(s->dataset);
    const bool is_single = H5Tget_size(type) <= sizeof(float);
    H5Tclose(type);
    *m = (swe_meaning){1.0, -INFINITY, INFINITY, 1, {netcdf_fill}};
    for (int k = 0; k < RULES; k++) {
        double numbers[MAX_NUMBERS] = {0.0};
        const int least = k == VALID_RANGE ? 2 : 1, most = k <= MISSING ? MAX_NUMBERS : least;
        const int count = swe_attribute_numbers(s->dataset, names[k], least, most, numbers);
        if (count < 0)
            return swe_fail(s->ctx, SWE_DATA,
                            "%s: attribute %s of dataset '%s' must be %d to %d numbers", s->path,
                            names[k], s->name, least, most);
        if (count > 0 && k >= SCALE && numbers[0] != (k == SCALE ? 1.0 : 0.0))
            return swe_fail(s->ctx, SWE_DATA,
                            "%s: dataset '%s' is packed (scale_factor, add_offset): `ncpdq -U "
                            "in.nc out.nc` (NCO) unpacks it",
                            s->path, s->name);
        for (int n = 0; n < count && is_single; n++)
            numbers[n] = as_single(numbers[n]);
        if (count > 0 && (k == VALID_MIN || k == VALID_RANGE))
            m->least = numbers[0];
        if (count > 0 && (k == VALID_MAX || k == VALID_RANGE))
            m->most = numbers[count - 1];
        for (int n = 0; n < count && k <= MISSING; n++)
            m->fill_values[m->fill_count++] = numbers[n];
    }
    m->fill_values[0] = is_single ? as_single(netcdf_fill) : netcdf_fill;
    return SWE_OK;
}

bool swe_meaning_apply(const swe_meaning *m, size_t count, double *values)
{
    bool is_any_missing = false;
    for (size_t n = 0; n < count; n++) {
        bool is_missing = values[n] < m->least || values[n] > m->most;
        for (int k = 0; k < m->fill_count; k++)
            is_missing |= values[n] == m->fill_values[k];
        values[n] = is_missing ? NAN : m->factor * values[n];
        is_any_missing |= is_missing;
    }
    return is_any_missing;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static swe_status find_direction(const subject *s, const swe_quantity *quantity, swe_meaning *m)
{
    char name[TEXT_SIZE], positive[TEXT_SIZE];
    swe_attribute_text(s->dataset, "standard_name", name, sizeof name);
    swe_attribute_text(s->dataset, "positive", positive, sizeof positive);
    bool is_accepted = name[0] == '\0' || swe_is_listed(quantity->standard_names, "|", name);
    for (const char *const *part = quantity->parts; *part != NULL; part++)
        is_accepted |= strstr(name, *part) != NULL;
    if (!is_accepted)
        return swe_fail(s->ctx, SWE_DATA,
                        "%s: dataset '%s' has the standard_name '%.64s' and is read as %s: select "
                        "another variable, or correct the attribute",
                        s->path, s->name, name, quantity->meaning);
    const bool is_depth = quantity->is_altitude && strstr(name, "depth") != NULL;
    const bool is_down = is_depth || strcmp(positive, "down") == 0;
    if ((is_down && !quantity->is_altitude) ||
        (positive[0] != '\0' && strcmp(positive, is_down ? "down" : "up") != 0))
        return swe_fail(s->ctx, SWE_DATA,
                        "%s: dataset '%s' has positive '%.64s', which contradicts its use as %s or "
                        "its standard_name '%.64s': correct the attribute",
                        s->path, s->name, positive, quantity->meaning, name);
    m->factor *= is_down ? -1.0 : 1.0;
    return SWE_OK;
}

static swe_status find_unit(const subject *s, const swe_quantity *quantity, swe_meaning *m)
{
    char units[TEXT_SIZE];
    const swe_unit *unit = quantity->units;
    if (H5Aexists(s->dataset, "units") <= 0)
        return SWE_OK;
    swe_attribute_text(s->dataset, "units", units, sizeof units);
    do {
        if (swe_is_listed(unit->names, "|", units)) {
            m->factor *= unit->factor;
            return SWE_OK;
        }
    } while ((++unit)->names != NULL);
    return swe_fail(s->ctx, SWE_DATA, "%s: dataset '%s' has units '%.64s' and needs '%.*s'",
                    s->path, s->name, units, (int)strcspn(quantity->units->names, "|"),
                    quantity->units->names);
}

/* ---- datasets and files ---------------------------------------------------------------------- */

swe_status swe_meaning_find(swe_context *ctx, const char *path, const char *name, hid_t dataset,
                            const swe_quantity *quantity, swe_meaning *out)
{
    const subject s = {ctx, path, name, dataset};
    SWE_TRY(find_numbers(&s, out));
    if (quantity->units == NULL)
        return SWE_OK;
    SWE_TRY(find_unit(&s, quantity, out));
    return find_direction(&s, quantity, out);
}

swe_status swe_meaning_read(swe_context *ctx, const char *path, const char *name, hid_t dataset,
                            const swe_quantity *quantity, hsize_t length, double *values)
{
    swe_meaning meaning;
    SWE_TRY(swe_meaning_find(ctx, path, name, dataset, quantity, &meaning));
    const hid_t memory = H5Screate_simple(1, &length, NULL);
    bool is_good = hdf5_read(dataset, memory, values);
    H5Sclose(memory);
    swe_meaning_apply(&meaning, (size_t)length, values);
    for (hsize_t k = 0; is_good && k < length; k++)
        is_good = isfinite(values[k]);
    return is_good ? SWE_OK
                   : swe_fail(ctx, SWE_DATA,
                              "%s: coordinate '%s' has values that are missing or not finite", path,
                              name);
}

swe_status swe_meaning_check_file(swe_context *ctx, const char *path, hid_t file)
{
    char text[TEXT_SIZE];
    swe_attribute_text(file, "schema", text, sizeof text);
    if (strcmp(text, "cubeswe-checkpoint") == 0)
        return swe_fail(ctx, SWE_DATA,
                        "%s: is a checkpoint: `--restart` continues from it; field files "
                        "(fields_<step>.nc) are read here",
                        path);
    swe_attribute_text(file, "Conventions", text, sizeof text);
    if (strstr(text, "UGRID") != NULL)
        return swe_fail(ctx, SWE_DATA,
                        "%s: is a mesh (UGRID), which `convert` writes for other programs: use the "
                        "field file that it was converted from",
                        path);
    return SWE_OK;
}
