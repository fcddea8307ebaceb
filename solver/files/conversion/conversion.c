#include "files/conversion/conversion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "files/conversion/internal.h"

/* Check that every requested field exists. */
static swe_status check_names(swe_context *ctx, const swe_field_reader *reader, const char *list)
{
    for (;;) {
        char name[HDF5_NAME_SIZE];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 list);
        if (swe_field_reader_find(reader, name) < 0)
            return swe_fail(ctx, SWE_DATA, "%s: has no field '%s' at vertices (the first is '%s')",
                            reader->path, name, reader->fields[0].name);
        if (list[length] == '\0')
            return SWE_OK;
        list += length + 1;
    }
}

static swe_status check_file(swe_context *ctx, converter *c, int k, int n)
{
    const swe_field_reader *reader = &c->reader;
    if (reader->n != n)
        return swe_fail(ctx, SWE_DATA, "%s: n is %d, but %d in the previous file", reader->path,
                        reader->n, n);
    if (k > 0 && (strcmp(reader->time_units, c->time_units) != 0 || reader->radius != c->radius))
        return swe_fail(ctx, SWE_DATA,
                        "%s: its radius or the units of its time are not of the previous file",
                        reader->path);
    if (k > 0 && !(reader->time > c->times[k - 1]))
        return swe_fail(ctx, SWE_DATA, "%s: its time is not later than that of the previous file",
                        reader->path);
    for (int f = 0; f < c->field_count; f++) {
        const int found = swe_field_reader_find(reader, c->fields[f].name);
        if (found < 0 || reader->fields[found].has_time != c->fields[f].has_time ||
            strcmp(reader->fields[found].units, c->fields[f].units) != 0)
            return swe_fail(ctx, SWE_DATA,
                            "%s: has no field '%s' in the units [%s] that the first file has",
                            reader->path, c->fields[f].name, c->fields[f].units);
    }
    c->times[k] = reader->time;
    c->radius = reader->radius;
    memcpy(c->time_units, reader->time_units, sizeof c->time_units);
    return SWE_OK;
}

/* Check the grid of an open file: all files must have the grid of the first file. */
static swe_status check_grid(swe_context *ctx, converter *c)
{
    const swe_field_reader *reader = &c->reader;
    swe_grid *grid = NULL;
    SWE_TRY(swe_field_reader_lines(ctx, reader->path, reader->file, reader->n, &grid));
    const bool is_same = c->grid == NULL || swe_field_reader_is_same(c->grid, grid);
    if (c->grid == NULL)
        c->grid = grid;
    else
        swe_grid_destroy(&grid);
    return is_same ? SWE_OK
                   : swe_fail(ctx, SWE_DATA, "%s: its vertices are not of the previous file",
                              reader->path);
}

/* Check all files before anything is written: every file must have the fields of the first. */
static swe_status check_files(swe_context *ctx, converter *c, int *n)
{
    SWE_TRY(swe_memory_doubles(ctx, (size_t)c->count, &c->times));
    for (int k = 0; k < c->count; k++) {
        SWE_TRY(swe_field_reader_open(ctx, c->paths[k], &c->reader));
        swe_status status = SWE_OK;
        if (k == 0) {
            *n = c->reader.n;
            status = swe_memory_zero(ctx, (size_t)c->reader.count, sizeof *c->fields, &c->fields);
            if (status == SWE_OK && c->request->fields != NULL)
                status = check_names(ctx, &c->reader, c->request->fields);
            for (int f = 0; status == SWE_OK && f < c->reader.count; f++)
                if (c->request->fields == NULL ||
                    swe_is_listed(c->request->fields, ",", c->reader.fields[f].name))
                    c->fields[c->field_count++] = c->reader.fields[f];
        }
        if (status == SWE_OK)
            status = check_file(ctx, c, k, *n);
        if (status == SWE_OK)
            status = check_grid(ctx, c);
        swe_field_reader_close(&c->reader);
        SWE_TRY(status);
    }
    return SWE_OK;
}

/* Create the target grid and allocate arrays. */
static swe_status prepare(swe_context *ctx, converter *c)
{
    const size_t field = (size_t)c->grid->layout.field;
    SWE_TRY(swe_memory_doubles(ctx, field, &c->lons));
    SWE_TRY(swe_memory_doubles(ctx, field, &c->lats));
    for (int m = 0; m < 3; m++)
        SWE_TRY(swe_memory_doubles(ctx, field, &c->field[m]));
    SWE_TRY(swe_field_reader_open(ctx, c->paths[0], &c->reader));
    SWE_TRY(swe_field_reader_coordinates(ctx, &c->reader, c->grid, c->lons, c->lats));
    if (c->request->to == SWE_TO_LATLON) {
        const int nlon = c->request->nlon > 0   ? c->request->nlon
                         : c->request->nlat > 0 ? 2 * c->request->nlat
                                                : 4 * c->grid->layout.n;
        const int nlat = c->request->nlat > 0 ? c->request->nlat : (nlon + 1) / 2;
        c->points = (size_t)nlon * (size_t)nlat;
        SWE_TRY(swe_latlon_create(ctx, c->grid, nlon, nlat, &c->latlon));
    } else {
        SWE_TRY(swe_mesh_create(ctx, c->grid, c->lons, c->lats, &c->mesh));
        c->points = (size_t)c->mesh->node_count;
    }
    SWE_TRY(swe_memory_doubles(ctx, MESH_FACE_NODES * c->points + 2, &c->out[0]));
    return swe_memory_doubles(ctx, c->points, &c->out[1]);
}

static swe_status convert(swe_context *ctx, converter *c, const char *output)
{
    int n = 0;
    swe_output_file out;
    SWE_TRY(check_files(ctx, c, &n));
    SWE_TRY(prepare(ctx, c));
    SWE_TRY(swe_durable_begin(ctx, output, &out));
    return swe_durable_end_if(ctx,
                              c->request->to == SWE_TO_VTU ? converter_write_vtu(ctx, c, &out)
                                                           : converter_write_netcdf(ctx, c, &out),
                              &out);
}

swe_status swe_convert(swe_context *ctx, const swe_conversion *conversion, const char *const *paths,
                       int count, const char *output)
{
    converter *c = NULL;
    SWE_TRY(swe_memory_zero(ctx, 1, sizeof *c, &c));
    c->request = conversion;
    c->paths = paths;
    c->count = count;
    c->reader.file = H5I_INVALID_HID;
    const swe_status status = convert(ctx, c, output);
    swe_field_reader_close(&c->reader);
    swe_latlon_destroy(&c->latlon);
    swe_mesh_destroy(&c->mesh);
    swe_grid_destroy(&c->grid);
    for (int m = 0; m < 3; m++)
        free(c->field[m]);
    free(c->fields);
    free(c->lons);
    free(c->lats);
    free(c->times);
    free(c->out[0]);
    free(c->out[1]);
    free(c);
    return status;
}
