#include "files/conversion/field_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "files/conversion/interpolation.h"
#include "files/conversion/meaning.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"

/* ---- attributes ------------------------------------------------------------------------------ */

enum { MAX_TEXT = 1 << 16 };

/* Attributes that the converted file defines itself, or that are not true for the converted
 * file. */
static const char excluded[] =
    "CLASS|NAME|DIMENSION_LIST|REFERENCE_LIST|_Netcdf4Dimid|_NCProperties|_Netcdf4Coordinates|"
    "_FillValue|coordinates|grid_mapping|_nc3_strict|Conventions|model_time|step|DIMENSION_LABELS|"
    "history|cell_measures";

/* A text of variable length; the caller frees. */
static char *read_variable_text(hid_t attribute, hid_t type)
{
    char *found = NULL, *text = NULL;
    const hid_t memory = H5Tcopy(H5T_C_S1), space = H5Aget_space(attribute);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    if (H5Aread(attribute, memory, (void *)&found) >= 0 && found != NULL) {
        if (strlen(found) < MAX_TEXT)
            text = strdup(found);
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, (void *)&found);
    }
    H5Sclose(space);
    H5Tclose(memory);
    return text;
}

static char *read_fixed_text(hid_t attribute, hid_t type)
{
    const size_t size = H5Tget_size(type);
    char *text = size < MAX_TEXT ? calloc(size + 1, 1) : NULL;
    if (text != NULL && H5Aread(attribute, type, text) < 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* A single text shorter than MAX_TEXT, which the caller frees; otherwise NULL. */
static char *read_text(hid_t attribute)
{
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    char *text = NULL;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1)
        text = H5Tis_variable_str(type) > 0 ? read_variable_text(attribute, type)
                                            : read_fixed_text(attribute, type);
    H5Sclose(space);
    H5Tclose(type);
    return text;
}

bool swe_attribute_text(hid_t object, const char *name, char *text, size_t size)
{
    text[0] = '\0';
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    char *found = read_text(attribute);
    H5Aclose(attribute);
    const bool fits = found != NULL && found[0] != '\0' && strlen(found) < size;
    if (fits)
        memcpy(text, found, strlen(found) + 1);
    free(found);
    return fits;
}

int swe_attribute_numbers(hid_t object, const char *name, int least, int most, double *numbers)
{
    if (H5Aexists(object, name) <= 0)
        return 0;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const H5T_class_t class = H5Tget_class(type);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const bool is_read = (class == H5T_FLOAT || class == H5T_INTEGER) && count >= least &&
                         count <= most && H5Aread(attribute, H5T_NATIVE_DOUBLE, numbers) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return is_read ? (int)count : -1;
}

static void copy_number(hid_t attribute, const char *name, hdf5_writer *writer, hid_t to)
{
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const H5T_class_t class = H5Tget_class(type);
    double number = 0.0;
    long whole = 0;
    if (H5Sget_simple_extent_npoints(space) != 1)
        ; /* not a single number */
    else if (class == H5T_FLOAT && H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) >= 0)
        hdf5_attribute_real(writer, to, name, number);
    else if (class == H5T_INTEGER && H5Aread(attribute, H5T_NATIVE_LONG, &whole) >= 0)
        hdf5_attribute_integer(writer, to, name, whole);
    H5Sclose(space);
    H5Tclose(type);
}

static void copy_attribute(hid_t attribute, hdf5_writer *writer, hid_t to)
{
    char name[256];
    const ssize_t length = H5Aget_name(attribute, sizeof name, name);
    if (length <= 0 || length >= (ssize_t)sizeof name || swe_is_listed(excluded, "|", name))
        return;
    char *text = read_text(attribute);
    if (text != NULL)
        hdf5_attribute_text(writer, to, name, text);
    else
        copy_number(attribute, name, writer, to);
    free(text);
}

void swe_attributes_copy(hid_t from, hdf5_writer *writer, hid_t to)
{
    for (hsize_t k = 0;; k++) {
        const hid_t attribute =
            H5Aopen_by_idx(from, ".", H5_INDEX_NAME, H5_ITER_INC, k, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute < 0)
            return;
        copy_attribute(attribute, writer, to);
        H5Aclose(attribute);
    }
}

/* ---- fields ---------------------------------------------------------------------------------- */

enum { MIN_N = 4, MAX_N = 16384 };
static const char not_vertices[] = "the vertices of a cubed sphere (cell centres, as "
                                   "GEOS has them, are not read: interpolate them first)";
static const double grid_tolerance = 1e-5; /* [rad], for coordinates in single precision */

static bool is_single(hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset);
    const bool is = H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) <= sizeof(float);
    H5Tclose(type);
    return is;
}

int swe_cubed_n(const hsize_t *lengths, int rank)
{
    const hsize_t *last = lengths + (rank == 4);
    if (rank < 3 || (rank == 4 && lengths[0] != 1) || last[0] != SWE_PANELS || last[1] != last[2] ||
        last[1] < MIN_N + 1 || last[1] > MAX_N + 1)
        return 0;
    return (int)last[1] - 1;
}

/* Find n from the shape of the longitudes. */
static swe_status find_size(swe_context *ctx, swe_field_reader *reader)
{
    hsize_t lengths[4] = {0};
    hid_t dataset;
    SWE_TRY(hdf5_find_dataset(ctx, reader->path, reader->file, "lons", &dataset));
    const int rank = dataset >= 0 ? hdf5_shape(dataset, false, lengths) : 0;
    H5Dclose(dataset);
    reader->n = rank == 3 ? swe_cubed_n(lengths, rank) : 0;
    if (reader->n == 0)
        return swe_fail(
            ctx, SWE_DATA,
            "%s: has no longitudes 'lons' of shape (6, n + 1, n + 1): not a field file, "
            "or converted before",
            reader->path);
    return SWE_OK;
}

/* Converted files have the standard calendar. */
static swe_status read_time(swe_context *ctx, swe_field_reader *reader, hid_t time)
{
    char calendar[FIELD_TEXT_SIZE];
    if (swe_attribute_text(time, "calendar", calendar, sizeof calendar) &&
        !swe_is_listed("standard|gregorian|proleptic_gregorian", "|", calendar))
        return swe_fail(ctx, SWE_DATA, "%s: its time has the calendar '%.64s', which is not read",
                        reader->path, calendar);
    return swe_meaning_read(ctx, reader->path, "time", time, &swe_quantity_any, 1, &reader->time);
}

static swe_status find_time(swe_context *ctx, swe_field_reader *reader)
{
    hsize_t lengths[4] = {0};
    hid_t dataset;
    SWE_TRY(hdf5_find_dataset(ctx, reader->path, reader->file, "time", &dataset));
    const bool found =
        dataset >= 0 && hdf5_shape(dataset, false, lengths) == 1 && lengths[0] == 1 &&
        swe_attribute_text(dataset, "units", reader->time_units, sizeof reader->time_units);
    const swe_status status =
        found ? read_time(ctx, reader, dataset)
              : swe_fail(ctx, SWE_DATA, "%s: has no dataset 'time' of one time with its units",
                         reader->path);
    H5Dclose(dataset);
    return status;
}

/* Add a dataset to the reader if it is a field at vertices, or their areas. */
static swe_status add_dataset(swe_context *ctx, swe_field_reader *reader,
                              const char name[HDF5_NAME_SIZE], hid_t dataset)
{
    hsize_t lengths[4] = {0};
    const int rank = hdf5_shape(dataset, true, lengths);
    const bool is_virtual = rank < 0 && lengths[0] == 0;
    if (!is_virtual && swe_cubed_n(lengths, abs(rank)) != reader->n)
        return SWE_OK;
    if (rank < 0)
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' is not stored in this file, plain or with deflate",
                        reader->path, name);
    swe_vertex_field field = {.has_time = rank == 4, .is_single = is_single(dataset)};
    memcpy(field.name, name, sizeof field.name);
    swe_attribute_text(dataset, "standard_name", field.standard_name, sizeof field.standard_name);
    swe_attribute_text(dataset, "units", field.units, sizeof field.units);
    if (strcmp(field.standard_name, "cell_area") == 0 && reader->area[0] == '\0') {
        memcpy(reader->area, field.name, sizeof field.name);
        return SWE_OK;
    }
    const size_t count = (size_t)reader->count + 1;
    swe_vertex_field *fields = realloc(reader->fields, count * sizeof field);
    if (fields == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "%s: out of memory for its fields", reader->path);
    fields[reader->count++] = field;
    reader->fields = fields;
    return SWE_OK;
}

/* Find all fields, in the order of creation if the file records it. */
static swe_status find_fields(swe_context *ctx, swe_field_reader *reader)
{
    char name[HDF5_NAME_SIZE] = "/";
    for (hsize_t k = 0; name[0] != '\0'; k++) {
        hid_t dataset;
        swe_status status = hdf5_find_entry(ctx, reader->path, reader->file, k, name, &dataset);
        if (status == SWE_OK && dataset >= 0 && strcmp(name, "lons") != 0 &&
            strcmp(name, "lats") != 0)
            status = add_dataset(ctx, reader, name, dataset);
        H5Dclose(dataset);
        SWE_TRY(status);
    }
    return reader->count > 0
               ? SWE_OK
               : swe_fail(ctx, SWE_DATA, "%s: has no field at vertices", reader->path);
}

swe_status swe_field_reader_open(swe_context *ctx, const char *path, swe_field_reader *reader)
{
    double radius = 0.0;
    *reader = (swe_field_reader){.path = path, .file = H5I_INVALID_HID};
    SWE_TRY(hdf5_open(ctx, path, &reader->file));
    swe_status status = swe_meaning_check_file(ctx, path, reader->file);
    if (status == SWE_OK)
        status = find_size(ctx, reader);
    if (status == SWE_OK)
        status = find_time(ctx, reader);
    if (status == SWE_OK)
        status = find_fields(ctx, reader);
    if (status == SWE_OK && swe_attribute_numbers(reader->file, "radius", 1, 1, &radius) > 0 &&
        isfinite(radius) && radius > 0.0) /* others are ignored */
        reader->radius = radius;
    if (status != SWE_OK)
        swe_field_reader_close(reader);
    return status;
}

void swe_field_reader_close(swe_field_reader *reader)
{
    if (reader->file >= 0)
        H5Fclose(reader->file);
    reader->file = H5I_INVALID_HID;
    free(reader->fields);
    reader->fields = NULL;
    reader->count = 0;
}

int swe_field_reader_find(const swe_field_reader *reader, const char *name)
{
    for (int k = 0; k < reader->count; k++)
        if (strcmp(reader->fields[k].name, name) == 0)
            return k;
    return -1;
}

/* Read a dataset of shape (6, n + 1, n + 1) or (1, 6, n + 1, n + 1) into the layout. */
static swe_status read_vertices(swe_context *ctx, const swe_field_reader *reader, const char *name,
                                const swe_quantity *quantity, const swe_layout *layout,
                                double *values)
{
    swe_meaning meaning;
    hsize_t lengths[4] = {0};
    hid_t dataset;
    SWE_TRY(hdf5_find_dataset(ctx, reader->path, reader->file, name, &dataset));
    const int rank = dataset >= 0 ? hdf5_shape(dataset, true, lengths) : 0;
    bool done = swe_cubed_n(lengths, rank) == layout->n && hdf5_storage_is_whole(dataset);
    for (int panel = 0; panel < SWE_PANELS && done; panel++)
        done = hdf5_copy_panel(dataset, layout, 0, panel, NULL, values + panel * layout->panel);
    const swe_status status =
        done ? swe_meaning_find(ctx, reader->path, name, dataset, quantity, &meaning)
             : swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' cannot be read as numbers of shape (6, %d, %d)",
                        reader->path, name, layout->n + 1, layout->n + 1);
    H5Dclose(dataset);
    if (status == SWE_OK)
        swe_meaning_apply(&meaning, (size_t)layout->field, values);
    return status;
}

/* Read an axis [rad]; has_values: the file has it. */
static swe_status read_axis(swe_context *ctx, const char *path, hid_t file, const char *name,
                            hsize_t count, double *angles, bool *has_values)
{
    hsize_t lengths[4] = {0};
    hid_t axis;
    SWE_TRY(hdf5_find_dataset(ctx, path, file, name, &axis));
    *has_values = axis >= 0 && hdf5_shape(axis, true, lengths) == 1 && lengths[0] == count &&
                  H5Dget_storage_size(axis) > 0;
    const swe_status status =
        *has_values ? swe_meaning_read(ctx, path, name, axis, &swe_quantity_any, count, angles)
                    : SWE_OK;
    H5Dclose(axis);
    for (hsize_t i = 0; *has_values && i < count; i++)
        angles[i] /= geographic_degrees;
    return status;
}

/* Whether angles ascend from -45 to 45 degree and are odd, so that panels share vertices. */
static bool are_of_a_panel(const double *angles, int n)
{
    bool are = fabs(angles[0] + 0.25 * SWE_PI) < grid_tolerance;
    for (int v = 0; v <= n; v++)
        are = are && fabs(angles[v] + angles[n - v]) < grid_tolerance &&
              (v == 0 || angles[v] > angles[v - 1]);
    return are;
}

static bool are_at(const double *angles, const swe_grid *lines)
{
    bool are = true;
    for (int v = 0; v <= lines->layout.n; v++)
        are = are && fabs(angles[v] - atan(lines->tan_vertex[v])) < grid_tolerance;
    return are;
}

bool swe_field_reader_is_same(const swe_grid *a, const swe_grid *b)
{
    bool is_same = a->layout.n == b->layout.n;
    for (int v = 0; is_same && v <= a->layout.n; v++)
        is_same = fabs(atan(a->tan_vertex[v]) - atan(b->tan_vertex[v])) < grid_tolerance;
    return is_same;
}

/* Move lines to the longitudes of a file along the first row, if these are angles of a panel: panel
 * 0 is centred at longitude 0. */
static swe_status follow_longitudes(swe_context *ctx, const char *path, hid_t file, swe_grid *lines,
                                    double *angles)
{
    const swe_field_reader set = {.path = path, .file = file};
    double *lons = NULL;
    if (H5Lexists(file, "lons", H5P_DEFAULT) <= 0)
        return SWE_OK;
    SWE_TRY(swe_memory_doubles(ctx, (size_t)lines->layout.field, &lons));
    const swe_status status =
        read_vertices(ctx, &set, "lons", &swe_quantity_longitude, &lines->layout, lons);
    for (int v = 0; status == SWE_OK && v <= lines->layout.n; v++)
        angles[v] = remainder(lons[v], 360.0) / geographic_degrees;
    if (status == SWE_OK && are_of_a_panel(angles, lines->layout.n) && !are_at(angles, lines))
        swe_grid_move(lines, angles);
    free(lons);
    return status;
}

/* Move lines to the axes of a file, else to its longitudes; `angles` has room for two. */
static swe_status follow_file(swe_context *ctx, const char *path, hid_t file, swe_grid *lines,
                              double *angles)
{
    static const char *const names[] = {"Xdim", "Ydim"};
    const int n = lines->layout.n;
    bool has[2];
    for (int k = 0; k < 2; k++) {
        double *own = angles + k * (n + 1);
        SWE_TRY(read_axis(ctx, path, file, names[k], (hsize_t)n + 1, own, &has[k]));
        if (has[k] && !are_of_a_panel(own, n))
            return swe_fail(ctx, SWE_DATA, "%s: the %d angles of '%s' [degree] are not of %s", path,
                            n + 1, names[k], not_vertices);
        if (!has[k] || are_at(own, lines))
            continue;
        if (k == 1 && has[0])
            return swe_fail(ctx, SWE_DATA, "%s: 'Xdim' and 'Ydim' have different angles", path);
        swe_grid_move(lines, own);
    }
    return has[0] || has[1] ? SWE_OK : follow_longitudes(ctx, path, file, lines, angles);
}

swe_status swe_field_reader_lines(swe_context *ctx, const char *path, hid_t file, int n,
                                  swe_grid **out)
{
    double *angles = NULL;
    SWE_TRY(swe_grid_create_lines(ctx, n, &swe_points_equispaced, 1.0, out));
    swe_status status = swe_memory_doubles(ctx, 2 * ((size_t)n + 1), &angles);
    if (status == SWE_OK)
        status = follow_file(ctx, path, file, *out, angles);
    free(angles);
    if (status != SWE_OK)
        swe_grid_destroy(out);
    return status;
}

swe_status swe_field_reader_coordinates(swe_context *ctx, const swe_field_reader *reader,
                                        const swe_grid *grid, double *lons, double *lats)
{
    const swe_layout *layout = &grid->layout;
    SWE_TRY(read_vertices(ctx, reader, "lons", &swe_quantity_longitude, layout, lons));
    SWE_TRY(read_vertices(ctx, reader, "lats", &swe_quantity_latitude, layout, lats));
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                double r[3], up[3], east[3], north[3];
                const ptrdiff_t at = swe_at(layout, p, j, i);
                geometry_position(p, grid->tan_vertex[i], grid->tan_vertex[j], r);
                geographic_frame(lons[at], lats[at], up, east, north);
                const double off = hypot(hypot(up[0] - r[0], up[1] - r[1]), up[2] - r[2]);
                if (!(off < grid_tolerance))
                    return swe_fail(
                        ctx, SWE_DATA,
                        "%s: longitude and latitude at panel %d, j %d, i %d are not of %s",
                        reader->path, p, j, i, not_vertices);
            }
    return SWE_OK;
}

swe_status swe_field_reader_read(swe_context *ctx, const swe_field_reader *reader, const char *name,
                                 const swe_grid *grid, double *values)
{
    SWE_TRY(read_vertices(ctx, reader, name, &swe_quantity_any, &grid->layout, values));
    swe_shared_average(grid, values);
    return SWE_OK;
}

swe_status swe_field_reader_areas(swe_context *ctx, const swe_field_reader *reader,
                                  const swe_grid *grid, double *values)
{
    static const swe_unit units[] = {{"m2|m^2|m**2", 1.0}, {"km2|km^2", 1e6}, {NULL, 0.0}};
    static const swe_quantity area = {"area", {"area"}, "cell_area", {NULL}, units, false};
    return read_vertices(ctx, reader, reader->area, &area, &grid->layout, values);
}
