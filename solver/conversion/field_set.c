#include "conversion/field_set.h"

#include <math.h>
#include <string.h>

#include "conversion/attributes.h"
#include "conversion/shared.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "output/hdf5_reader.h"

enum { LEAST_N = 4, MOST_N = 16384 };      /* of the grids that there are */
static const double grid_tolerance = 1e-5; /* coordinates may have been single [rad] */

static bool is_single(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset);
    const size_t size = H5Tget_size(type);
    H5Tclose(type);
    return size <= sizeof(float);
}

/* Whether lengths are (6, m, m), or (1, 6, m, m) of a field that has a time. */
static bool is_of_vertices(const hsize_t *lengths, int rank, hsize_t m)
{
    const hsize_t *last = lengths + (rank - 3);
    return (rank == 3 || (rank == 4 && lengths[0] == 1)) && last[0] == SWE_PANELS && last[1] == m &&
           last[2] == m;
}

/* n, by the shape of the longitudes. */
static swe_status find_size(swe_context *ctx, swe_field_set *set)
{
    hsize_t lengths[4] = {0};
    const hid_t dataset = hdf5_open_dataset(set->file, "lons");
    const int rank = dataset >= 0 ? hdf5_real_shape(dataset, lengths) : 0;
    H5Dclose(dataset);
    if (rank != 3 || !is_of_vertices(lengths, rank, lengths[2]) || lengths[2] < LEAST_N + 1 ||
        lengths[2] > MOST_N + 1)
        return swe_fail(ctx, SWE_DATA,
                        "%s: has no longitudes 'lons' of shape (6, n + 1, n + 1): not a field file",
                        set->path);
    set->n = (int)lengths[2] - 1;
    return SWE_OK;
}

static swe_status find_time(swe_context *ctx, swe_field_set *set)
{
    hsize_t lengths[4] = {0};
    const hid_t dataset = hdf5_open_dataset(set->file, "time");
    const hsize_t one = 1;
    const hid_t memory = H5Screate_simple(1, &one, NULL);
    const bool found =
        dataset >= 0 && hdf5_real_shape(dataset, lengths) == 1 && lengths[0] == 1 &&
        hdf5_read(dataset, memory, &set->time) && isfinite(set->time) &&
        swe_attribute_text(dataset, "units", set->time_units, sizeof set->time_units);
    H5Sclose(memory);
    H5Dclose(dataset);
    return found ? SWE_OK
                 : swe_fail(ctx, SWE_DATA, "%s: has no dataset 'time' of one time with its units",
                            set->path);
}

/* The radius of the sphere; none that is not a length. */
static void find_radius(swe_field_set *set)
{
    double radius = 0.0;
    if (swe_attribute_real(set->file, "radius", &radius) && isfinite(radius) && radius > 0.0)
        set->radius = radius;
}

/* Take a dataset into the set if it is a field at vertices, or their areas. */
static void consider(swe_field_set *set, const char *name)
{
    hsize_t lengths[4] = {0};
    const hid_t dataset = hdf5_open_dataset(set->file, name);
    if (dataset < 0)
        return;
    const int rank = hdf5_real_shape(dataset, lengths);
    if (rank >= 3 && is_of_vertices(lengths, rank, (hsize_t)set->n + 1)) {
        swe_vertex_field field = {.has_time = rank == 4, .is_single = is_single(dataset)};
        memcpy(field.name, name, strlen(name) + 1);
        swe_attribute_text(dataset, "standard_name", field.standard_name,
                           sizeof field.standard_name);
        if (strcmp(field.standard_name, "cell_area") == 0)
            memcpy(set->area, name, strlen(name) + 1);
        else
            set->fields[set->count++] = field;
    }
    H5Dclose(dataset);
}

/* All fields, in the order in which they were written if the file knows it. */
static swe_status find_fields(swe_context *ctx, swe_field_set *set)
{
    char name[FIELD_SET_NAME_SIZE];
    for (hsize_t k = 0; set->count < FIELD_SET_MOST; k++) {
        const ssize_t length = hdf5_name_at(set->file, k, name, sizeof name);
        if (length < 0)
            break;
        if (length < (ssize_t)sizeof name && strcmp(name, "lons") != 0 && strcmp(name, "lats") != 0)
            consider(set, name);
    }
    return set->count > 0 ? SWE_OK
                          : swe_fail(ctx, SWE_DATA, "%s: has no field at vertices", set->path);
}

swe_status swe_field_set_open(swe_context *ctx, const char *path, swe_field_set *set)
{
    *set = (swe_field_set){.path = path, .file = H5I_INVALID_HID};
    SWE_TRY(hdf5_open(ctx, path, &set->file));
    swe_status status = find_size(ctx, set);
    if (status == SWE_OK)
        status = find_time(ctx, set);
    if (status == SWE_OK)
        status = find_fields(ctx, set);
    if (status == SWE_OK)
        find_radius(set);
    if (status != SWE_OK)
        swe_field_set_close(set);
    return status;
}

void swe_field_set_close(swe_field_set *set)
{
    if (set->file >= 0)
        H5Fclose(set->file);
    set->file = H5I_INVALID_HID;
}

int swe_field_set_find(const swe_field_set *set, const char *name)
{
    for (int k = 0; k < set->count; k++)
        if (strcmp(set->fields[k].name, name) == 0)
            return k;
    return -1;
}

/* Read a dataset of (1,) 6, n + 1, n + 1 into the layout. */
static swe_status read_vertices(swe_context *ctx, const swe_field_set *set, const char *name,
                                const swe_layout *layout, double *values)
{
    hsize_t lengths[4] = {0};
    const hsize_t m = (hsize_t)layout->n + 1;
    const hsize_t whole[3] = {SWE_PANELS, m, (hsize_t)layout->pitch};
    const hsize_t start[3] = {0, 0, 0}, count[3] = {SWE_PANELS, m, m};
    const hid_t dataset = hdf5_open_dataset(set->file, name);
    const int rank = dataset >= 0 ? hdf5_real_shape(dataset, lengths) : 0;
    bool done = false;
    if (rank >= 3 && is_of_vertices(lengths, rank, m)) {
        const hid_t memory = H5Screate_simple(3, whole, NULL);
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, start, NULL, count, NULL);
        done = hdf5_read(dataset, memory, values);
        H5Sclose(memory);
    }
    H5Dclose(dataset);
    return done ? SWE_OK
                : swe_fail(ctx, SWE_DATA,
                           "%s: dataset '%s' cannot be read as numbers of shape (6, %d, %d)",
                           set->path, name, layout->n + 1, layout->n + 1);
}

swe_status swe_field_set_coordinates(swe_context *ctx, const swe_field_set *set,
                                     const swe_grid *grid, double *lons, double *lats)
{
    const swe_layout *layout = &grid->layout;
    SWE_TRY(read_vertices(ctx, set, "lons", layout, lons));
    SWE_TRY(read_vertices(ctx, set, "lats", layout, lats));
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                double r[3], up[3], east[3], north[3];
                const ptrdiff_t at = swe_at(layout, p, j, i);
                geometry_position(p, grid->tan_vertex[i], grid->tan_vertex[j], r);
                geographic_frame(lons[at], lats[at], up, east, north);
                const double off = hypot(hypot(up[0] - r[0], up[1] - r[1]), up[2] - r[2]);
                if (!(off < grid_tolerance))
                    return swe_fail(ctx, SWE_DATA,
                                    "%s: longitude and latitude at panel %d, j %d, i %d are not "
                                    "those of the equiangular cubed sphere",
                                    set->path, p, j, i);
            }
    return SWE_OK;
}

swe_status swe_field_set_read(swe_context *ctx, const swe_field_set *set, const char *name,
                              const swe_grid *grid, double *values)
{
    SWE_TRY(read_vertices(ctx, set, name, &grid->layout, values));
    swe_shared_average(grid, values);
    return SWE_OK;
}

swe_status swe_field_set_areas(swe_context *ctx, const swe_field_set *set, const swe_grid *grid,
                               double *values)
{
    return read_vertices(ctx, set, set->area, &grid->layout, values);
}
