#include "files/input/regular.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "files/conversion/field_reader.h"
#include "grid/geographic.h"

enum { MAX_LENGTH = 1 << 17, MIN_LENGTH = 6, TEXT_SIZE = 64 };

static const double max_points = 1 << 28; /* of a field */
/* Tolerances, in units of the grid spacing. */
static const double pole_distance = 0.25; /* a nearer latitude is the pole */
static const double tolerance = 1e-2;     /* for coordinates in single precision, also at poles */

/* Whether a dataset is an axis: by units other than bare angles, by `axis` ("X", "Y") or by its
 * name. A dataset with another standard_name, such as grid_latitude, is not the axis. */
static bool is_axis(hid_t dataset, const char *name, const swe_quantity *axis)
{
    char text[TEXT_SIZE];
    if (swe_attribute_text(dataset, "standard_name", text, sizeof text))
        return strcmp(text, axis->standard_names) == 0;
    swe_attribute_text(dataset, "units", text, sizeof text);
    if (swe_is_listed(axis->units->names, "|", text))
        return true;
    if (swe_attribute_text(dataset, "axis", text, sizeof text) &&
        strcmp(text, axis == &swe_quantity_latitude ? "Y" : "X") == 0)
        return true;
    for (int k = 0; axis->names[k] != NULL; k++)
        if (strcasecmp(name, axis->names[k]) == 0)
            return true;
    return false;
}

/* Find the axis of a dimension: the coordinate variable attached to it, or the only axis of its
 * length; `name` remains empty if none is found. */
static swe_status find_axis(swe_context *ctx, hid_t file, const swe_variable *v, int dimension,
                            const swe_quantity *axis, char name[HDF5_NAME_SIZE])
{
    const hsize_t length = v->lengths[dimension];
    char entry[HDF5_NAME_SIZE] = "/", scale[HDF5_NAME_SIZE], second[HDF5_NAME_SIZE] = "";
    swe_variable_dimension_scale(v, dimension, scale);
    for (hsize_t k = 0; entry[0] != '\0'; k++) {
        hsize_t lengths[4] = {0};
        hid_t dataset;
        SWE_TRY(hdf5_find_entry(ctx, v->path, file, k, entry, &dataset));
        if (dataset < 0)
            continue;
        const bool found = hdf5_shape(dataset, true, lengths) == 1 && lengths[0] == length &&
                           is_axis(dataset, entry, axis);
        H5Dclose(dataset);
        if (!found)
            continue;
        memcpy(name[0] != '\0' ? second : name, entry, sizeof entry);
        if (strcmp(entry, scale) == 0) {
            memcpy(name, entry, sizeof entry);
            return SWE_OK;
        }
    }
    if (second[0] != '\0')
        return swe_fail(ctx, SWE_DATA, "%s: '%s' and '%s' are both a %s of length %llu", v->path,
                        name, second, axis->meaning, (unsigned long long)length);
    return SWE_OK;
}

static swe_status read_axis(swe_context *ctx, hid_t file, const char *path, const char *name,
                            const swe_quantity *axis, hsize_t length, double **out)
{
    hid_t dataset;
    SWE_TRY(swe_memory_doubles(ctx, (size_t)length, out));
    SWE_TRY(hdf5_find_dataset(ctx, path, file, name, &dataset));
    const swe_status status = swe_meaning_read(ctx, path, name, dataset, axis, length, *out);
    H5Dclose(dataset);
    return status;
}

/* Check that latitudes are monotonic and end at most one spacing before the poles; sort them. */
static swe_status check_latitudes(swe_context *ctx, const char *path, swe_regular *g)
{
    const int last = g->nlat - 1;
    g->descending_lat = g->lat[0] > g->lat[last];
    for (int a = 0, b = last; g->descending_lat && a < b; a++, b--) {
        const double swapped = g->lat[a];
        g->lat[a] = g->lat[b];
        g->lat[b] = swapped;
    }
    for (int k = 0; k < last; k++)
        if (!(g->lat[k] < g->lat[k + 1]))
            return swe_fail(ctx, SWE_DATA, "%s: latitudes '%s' are not monotonic", path,
                            g->lat_name);
    const double south = (90.0 + g->lat[0]) / (g->lat[1] - g->lat[0]);
    const double north = (90.0 - g->lat[last]) / (g->lat[last] - g->lat[last - 1]);
    if (fmin(south, north) < -tolerance || fmax(south, north) > 1.0 + tolerance)
        return swe_fail(ctx, SWE_DATA,
                        "%s: latitudes '%s' go from %g to %g degrees and must reach both poles",
                        path, g->lat_name, g->lat[0], g->lat[last]);
    g->lat[0] = fmax(g->lat[0], -90.0);
    g->lat[last] = fmin(g->lat[last], 90.0);
    g->has_south_pole = south < pole_distance;
    g->has_north_pole = north < pole_distance;
    return SWE_OK;
}

/* Check that longitudes are equally spaced and cover the circle once, in either direction from any
 * start; the last may repeat the first. */
static swe_status check_longitudes(swe_context *ctx, const char *path, const double *lon,
                                   swe_regular *g)
{
    const int count = g->file_nlon;
    double total = 0.0;
    for (int i = 0; i + 1 < count; i++)
        total += remainder(lon[i + 1] - lon[i], 360.0);
    const double step = total / (count - 1), off = tolerance * fabs(step);
    const bool is_closed = fabs(fabs(total) - 360.0) < off;
    bool is_regular = is_closed || fabs(fabs(total + step) - 360.0) < off;
    g->nlon = is_closed ? count - 1 : count;
    const double spacing = copysign(360.0 / g->nlon, total);
    for (int i = 0; i < count; i++)
        is_regular &= fabs(remainder(lon[i] - lon[0] - i * spacing, 360.0)) < off;
    if (!is_regular)
        return swe_fail(ctx, SWE_DATA,
                        "%s: longitudes '%s' must be equally spaced and go once around the sphere",
                        path, g->lon_name);
    g->descending_lon = total < 0.0;
    g->lon = g->descending_lon ? lon[0] - (360.0 - 360.0 / g->nlon) : lon[0];
    return SWE_OK;
}

static swe_status read_axes(swe_context *ctx, hid_t file, const char *path, swe_regular *g)
{
    double *lon = NULL;
    SWE_TRY(
        read_axis(ctx, file, path, g->lat_name, &swe_quantity_latitude, (hsize_t)g->nlat, &g->lat));
    swe_status status = read_axis(ctx, file, path, g->lon_name, &swe_quantity_longitude,
                                  (hsize_t)g->file_nlon, &lon);
    if (status == SWE_OK)
        status = check_latitudes(ctx, path, g);
    if (status == SWE_OK)
        status = check_longitudes(ctx, path, lon, g);
    free(lon);
    return status;
}

/* Lengths of latitude and longitude. */
static const hsize_t *last_two(const swe_variable *v)
{
    return v->lengths + (v->rank > 2 ? v->rank - 2 : 0);
}

swe_status swe_regular_find(swe_context *ctx, hid_t file, const swe_variable *variable,
                            swe_regular *out)
{
    char scale[HDF5_NAME_SIZE];
    *out = (swe_regular){.lat = NULL};
    const hsize_t *last = last_two(variable);
    if (variable->rank >= 2) {
        const int row = variable->rank - 2;
        SWE_TRY(find_axis(ctx, file, variable, row, &swe_quantity_latitude, out->lat_name));
        SWE_TRY(find_axis(ctx, file, variable, row + 1, &swe_quantity_longitude, out->lon_name));
        swe_variable_dimension_scale(variable, row, scale);
        bool is_transposed = scale[0] != '\0' && strcmp(scale, out->lon_name) == 0;
        if (out->lat_name[0] == '\0' && out->lon_name[0] == '\0') {
            SWE_TRY(find_axis(ctx, file, variable, row + 1, &swe_quantity_latitude, out->lat_name));
            SWE_TRY(find_axis(ctx, file, variable, row, &swe_quantity_longitude, out->lon_name));
            is_transposed = out->lat_name[0] != '\0' && out->lon_name[0] != '\0';
        }
        if (is_transposed)
            return swe_fail(ctx, SWE_DATA,
                            "%s: dataset '%s' is ordered (longitude, latitude): `ncpdq -a %s,%s "
                            "in.nc out.nc` (NCO) transposes it",
                            variable->path, variable->name, out->lat_name, out->lon_name);
    }
    bool is_of_one_time = true; /* dimensions before latitude and longitude have length 1 */
    for (int k = 0; k < variable->rank - 2; k++)
        is_of_one_time = is_of_one_time && variable->lengths[k] == 1;
    if (out->lat_name[0] == '\0' || out->lon_name[0] == '\0' || !is_of_one_time)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' of shape %s is neither (6, n + 1, n + 1), of a cubed "
                        "sphere, nor (latitude, longitude), with coordinates of these lengths",
                        variable->path, variable->name, swe_variable_shape(variable).text);
    if (last[0] < MIN_LENGTH || last[1] < MIN_LENGTH + 1 || last[0] > MAX_LENGTH ||
        last[1] > MAX_LENGTH || (double)last[0] * (double)last[1] > max_points)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' of shape %s: a regular grid has at least %d latitudes "
                        "and %d longitudes, and at most %g points",
                        variable->path, variable->name, swe_variable_shape(variable).text,
                        MIN_LENGTH, MIN_LENGTH + 1, max_points);
    out->nlat = (int)last[0];
    out->file_nlon = (int)last[1];
    return read_axes(ctx, file, variable->path, out);
}

void swe_regular_release(swe_regular *regular)
{
    free(regular->lat);
    regular->lat = NULL;
}

double swe_regular_longitude(const swe_regular *regular, int i)
{
    return regular->lon + 360.0 * i / regular->nlon;
}

static swe_status check_values(swe_context *ctx, const swe_regular *g, const swe_variable *v,
                               double *values)
{
    for (int j = 0; j < g->nlat; j++)
        for (int i = 0; i < g->nlon; i++) {
            const char *fault = swe_variable_fault(v, &values[(ptrdiff_t)j * g->nlon + i]);
            if (fault != NULL)
                return swe_fail(ctx, SWE_DATA,
                                "%s: dataset '%s' is %s at latitude %g, longitude %g", v->path,
                                v->name, fault, g->lat[j], swe_regular_longitude(g, i));
        }
    return SWE_OK;
}

/* Whether two grids have the same points, in the same order in the file. */
static bool is_same_grid(const swe_regular *a, const swe_regular *b)
{
    bool is_same = a->nlat == b->nlat && a->file_nlon == b->file_nlon && a->nlon == b->nlon &&
                   a->descending_lat == b->descending_lat &&
                   a->descending_lon == b->descending_lon &&
                   fabs(remainder(a->lon - b->lon, 360.0)) < tolerance * 360.0 / a->nlon;
    for (int j = 0; is_same && j < a->nlat; j++) {
        const int next = j > 0 ? j - 1 : j + 1;
        is_same = fabs(a->lat[j] - b->lat[j]) < tolerance * fabs(a->lat[j] - a->lat[next]);
    }
    return is_same;
}

/* Check that a variable is at the points of the grid; components of a C-grid are not. */
static swe_status check_same_grid(swe_context *ctx, hid_t file, const swe_regular *g,
                                  const swe_variable *v)
{
    swe_regular own = {.lat = NULL};
    const hsize_t *last = last_two(v);
    if (v->rank < 2 || (int)last[0] != g->nlat || (int)last[1] != g->file_nlon)
        return swe_fail(ctx, SWE_DATA, "%s: dataset '%s' has shape %s and needs (%d, %d)", v->path,
                        v->name, swe_variable_shape(v).text, g->nlat, g->file_nlon);
    swe_status status = swe_regular_find(ctx, file, v, &own);
    if (status == SWE_OK && !is_same_grid(g, &own))
        status =
            swe_fail(ctx, SWE_DATA,
                     "%s: dataset '%s' is on '%s' and '%s', not at the points of '%s' and '%s'",
                     v->path, v->name, own.lat_name, own.lon_name, g->lat_name, g->lon_name);
    swe_regular_release(&own);
    return status;
}

swe_status swe_regular_read(swe_context *ctx, hid_t file, const swe_regular *regular,
                            const swe_variable *variable, double *values)
{
    const hsize_t count = (hsize_t)regular->nlat * (hsize_t)regular->file_nlon;
    double *raw = NULL;
    SWE_TRY(check_same_grid(ctx, file, regular, variable));
    SWE_TRY(swe_memory_doubles(ctx, (size_t)count, &raw));
    const hid_t memory = H5Screate_simple(1, &count, NULL);
    swe_status status = swe_variable_read(ctx, variable, memory, raw);
    H5Sclose(memory);
    for (int j = 0; j < regular->nlat; j++) { /* rows and columns in ascending order */
        const int from = regular->descending_lat ? regular->nlat - 1 - j : j;
        const double *row = raw + (ptrdiff_t)from * regular->file_nlon;
        for (int i = 0; i < regular->nlon; i++)
            values[(ptrdiff_t)j * regular->nlon + i] =
                row[regular->descending_lon ? regular->nlon - 1 - i : i];
    }
    free(raw);
    return status == SWE_OK ? check_values(ctx, regular, variable, values) : status;
}

/* Weights of Lagrange polynomials through the nodes at x. */
static void lagrange(const double nodes[REGULAR_POINTS], double x, double weights[REGULAR_POINTS])
{
    for (int m = 0; m < REGULAR_POINTS; m++) {
        weights[m] = 1.0;
        for (int k = 0; k < REGULAR_POINTS; k++)
            if (k != m)
                weights[m] *= (x - nodes[k]) / (nodes[m] - nodes[k]);
    }
}

/* First column and weights of the stencil around a longitude [degree]. */
static void columns_around(const swe_regular *g, double lon, int *column,
                           double weights[REGULAR_POINTS])
{
    static const double nodes[REGULAR_POINTS] = {-2, -1, 0, 1, 2, 3};
    double x = fmod(lon - g->lon, 360.0) * g->nlon / 360.0;
    x += x < 0.0 ? g->nlon : 0.0;
    const int west = (int)x;
    lagrange(nodes, x - west, weights);
    *column = (west + g->nlon - 2) % g->nlon;
}

/* Latitude [degree] of row m on a meridian continued beyond the poles; `row` gets the row of the
 * grid, beyond a pole on the opposite meridian. */
static double latitude_of_row(const swe_regular *g, int m, int *row)
{
    if (m < 0) {
        *row = -m - (g->has_south_pole ? 0 : 1);
        return -180.0 - g->lat[*row];
    }
    if (m >= g->nlat) {
        *row = 2 * g->nlat - 1 - m - (g->has_north_pole ? 1 : 0);
        return 180.0 - g->lat[*row];
    }
    *row = m;
    return g->lat[m];
}

/* Last row that is not north of a latitude; -1: all rows are. */
static int row_below(const swe_regular *g, double lat)
{
    int low = -1, high = g->nlat;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (g->lat[middle] <= lat)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void swe_regular_stencil_at(const swe_regular *regular, const double r[3], swe_regular_stencil *out)
{
    double lon, lat, nodes[REGULAR_POINTS];
    geographic_of(r, &lon, &lat);
    const int first = row_below(regular, lat) - (REGULAR_POINTS / 2 - 1);
    for (int m = 0; m < REGULAR_POINTS; m++) {
        nodes[m] = latitude_of_row(regular, first + m, &out->row[m]);
        out->is_beyond_pole[m] = first + m < 0 || first + m >= regular->nlat;
    }
    lagrange(nodes, lat, out->up);
    columns_around(regular, lon, &out->column[0], out->along[0]);
    columns_around(regular, lon + 180.0, &out->column[1], out->along[1]);
}

int swe_regular_stencil_first(const swe_regular *regular, const swe_regular_stencil *stencil)
{
    int first = regular->nlat - REGULAR_POINTS;
    for (int m = 0; m < REGULAR_POINTS; m++)
        first = stencil->row[m] < first ? stencil->row[m] : first;
    return first;
}

double swe_regular_stencil_value(const swe_regular *regular, const swe_regular_stencil *stencil,
                                 const double *values)
{
    const int nlon = regular->nlon;
    /* differences from one value: constants are reproduced exactly */
    const double base = values[(ptrdiff_t)stencil->row[2] * nlon + stencil->column[0]];
    double sum = 0.0;
    for (int m = 0; m < REGULAR_POINTS; m++) {
        const double *row = values + (ptrdiff_t)stencil->row[m] * nlon;
        const double *along = stencil->along[stencil->is_beyond_pole[m]];
        int column = stencil->column[stencil->is_beyond_pole[m]];
        double row_sum = 0.0;
        for (int i = 0; i < REGULAR_POINTS; i++) {
            row_sum += along[i] * (row[column] - base);
            column = column + 1 < nlon ? column + 1 : 0;
        }
        sum += stencil->up[m] * row_sum;
    }
    return base + sum;
}
