/* Converted files in netCDF-4, on a longitude-latitude grid or a mesh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/version.h"
#include "files/conversion/field_reader.h"
#include "files/conversion/internal.h"
#include "files/conversion/mesh.h"

typedef struct netcdf_file {
    hdf5_writer writer;
    hid_t *datasets; /* (field_count), of the converted fields */
    bool has_areas;
} netcdf_file;

/* Name without the folder: the output does not depend on the location of the input. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void write_origin(const converter *c, hdf5_writer *w)
{
    char history[1024];
    snprintf(history, sizeof history, "cubeswe %s convert --to %s: %.400s%s%.400s", swe_version,
             c->latlon != NULL ? "latlon" : "ugrid", name_of(c->paths[0]),
             c->count > 1 ? " ... " : "", c->count > 1 ? name_of(c->paths[c->count - 1]) : "");
    hdf5_attribute_text(w, w->file, "Conventions",
                        c->latlon != NULL ? "CF-1.8" : "CF-1.8 UGRID-1.0");
    hdf5_attribute_text(w, w->file, "history", history);
    swe_attributes_copy(c->reader.file, w, w->file);
}

/* Whether areas can be written: on a mesh from the areas of the file, on a regular grid from the
 * radius. */
static bool has_areas(const converter *c)
{
    for (int f = 0; f < c->field_count; f++)
        if (strcmp(c->fields[f].name, "area") == 0)
            return false;
    return c->latlon != NULL ? c->reader.radius > 0.0 : c->reader.area[0] != '\0';
}

static void write_location(hdf5_writer *w, hid_t dataset)
{
    hdf5_attribute_text(w, dataset, "mesh", "mesh");
    hdf5_attribute_text(w, dataset, "location", "node");
    hdf5_attribute_text(w, dataset, "coordinates", "lon lat");
}

static swe_status write_areas(swe_context *ctx, converter *c, hdf5_writer *w)
{
    if (c->latlon != NULL) {
        swe_latlon_areas(c->latlon, c->reader.radius, c->out[0]);
    } else {
        SWE_TRY(swe_field_reader_areas(ctx, &c->reader, c->grid, c->field[0]));
        swe_mesh_sums(c->mesh, c->field[0], c->out[0]);
    }
    const hid_t dataset =
        hdf5_array_create(w, "area", c->latlon != NULL ? "lat lon" : "nNodes", H5T_NATIVE_DOUBLE);
    hdf5_array_write(w, dataset, H5T_NATIVE_DOUBLE, c->out[0]);
    hdf5_attribute_text(w, dataset, "units", "m2");
    hdf5_attribute_text(w, dataset, "long_name", "area that a point stands for");
    hdf5_attribute_text(w, dataset, "standard_name", "cell_area");
    hdf5_attribute_text(w, w->file, "coordinates", "area"); /* to xarray; no axis of CF */
    if (c->latlon == NULL)
        write_location(w, dataset);
    hdf5_close(w, dataset);
    return SWE_OK;
}

/* Create empty variables with the attributes of the first file. */
static swe_status create_variables(swe_context *ctx, const converter *c, netcdf_file *file)
{
    hdf5_writer *w = &file->writer;
    const bool latlon = c->latlon != NULL;
    for (int f = 0; f < c->field_count; f++) {
        const swe_vertex_field *field = &c->fields[f];
        if (w->ok && H5Lexists(w->file, field->name, H5P_DEFAULT) > 0)
            return swe_fail(ctx, SWE_DATA,
                            "%s: field '%s' has the name of a coordinate or dimension of the "
                            "converted file: leave it out with --fields",
                            c->reader.path, field->name);
        const char *dimensions = field->has_time ? (latlon ? "time lat lon" : "time nNodes")
                                                 : (latlon ? "lat lon" : "nNodes");
        const hid_t dataset = hdf5_array_create(
            w, field->name, dimensions, field->is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
        const hid_t source = H5Dopen2(c->reader.file, field->name, H5P_DEFAULT);
        swe_attributes_copy(source, w, dataset);
        H5Dclose(source);
        if (file->has_areas)
            hdf5_attribute_text(w, dataset, "cell_measures", "area: area");
        if (!latlon)
            write_location(w, dataset);
        file->datasets[f] = dataset;
    }
    return SWE_OK;
}

/* Write the fields of the open file at time index k. */
static swe_status write_values(swe_context *ctx, converter *c, netcdf_file *file, int k)
{
    for (int f = 0; f < c->field_count && file->writer.ok; f++) {
        double *values = NULL;
        if (k > 0 && !c->fields[f].has_time)
            continue;
        SWE_TRY(converter_regrid(ctx, c, c->fields[f].name, &values));
        if (c->fields[f].has_time)
            hdf5_array_write_at(&file->writer, file->datasets[f], (hsize_t)k, values);
        else
            hdf5_array_write(&file->writer, file->datasets[f], H5T_NATIVE_DOUBLE, values);
    }
    return SWE_OK;
}

static swe_status write_all(swe_context *ctx, converter *c, netcdf_file *file)
{
    file->has_areas = has_areas(c);
    write_origin(c, &file->writer);
    hdf5_time_write(&file->writer, c->times, (hsize_t)c->count, c->reader.time_units);
    if (c->latlon != NULL)
        swe_latlon_write_grid(c->latlon, &file->writer, c->out[0]);
    else
        swe_mesh_write_grid(c->mesh, &file->writer, c->out[0]);
    if (file->has_areas)
        SWE_TRY(write_areas(ctx, c, &file->writer));
    SWE_TRY(create_variables(ctx, c, file));
    SWE_TRY(write_values(ctx, c, file, 0));
    for (int k = 1; k < c->count; k++) {
        swe_field_reader_close(&c->reader);
        SWE_TRY(swe_field_reader_open(ctx, c->paths[k], &c->reader));
        hdf5_writer_watch(&file->writer);
        SWE_TRY(swe_field_reader_coordinates(ctx, &c->reader, c->grid, c->lons, c->lats));
        SWE_TRY(write_values(ctx, c, file, k));
    }
    return SWE_OK;
}

swe_status converter_write_netcdf(swe_context *ctx, converter *c, swe_output_file *out)
{
    netcdf_file file = {.datasets = NULL};
    SWE_TRY(swe_memory_zero(ctx, (size_t)c->field_count, sizeof *file.datasets, &file.datasets));
    hdf5_writer_open(&file.writer, out->file);
    for (int f = 0; f < c->field_count; f++)
        file.datasets[f] = H5I_INVALID_HID;
    const swe_status status = file.writer.ok ? write_all(ctx, c, &file) : SWE_OK;
    for (int f = 0; f < c->field_count; f++)
        hdf5_close(&file.writer, file.datasets[f]);
    free(file.datasets);
    const bool closed = hdf5_writer_close(&file.writer);
    return status != SWE_OK || closed ? status : hdf5_writer_fail(ctx, &file.writer, out->path);
}
