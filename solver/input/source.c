#include "input/source.h"

#include <stdlib.h>

#include "base/memory.h"
#include "conversion/field_reader.h"
#include "conversion/interpolation.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "output/hdf5_reader.h"

enum { MIN_N = 4, MAX_N = 16384 };

int swe_source_cubed_n(const swe_variable *variable)
{
    const hsize_t *last = variable->lengths + (variable->rank == 4);
    if (variable->rank < 3 || (variable->rank == 4 && variable->lengths[0] != 1) ||
        last[0] != SWE_PANELS || last[1] != last[2] || last[1] < MIN_N + 1 || last[1] > MAX_N + 1)
        return 0;
    return (int)last[1] - 1;
}

/* Check the coordinates of a cubed sphere; without coordinates the grid is assumed equiangular if
 * `may_lack_them`. */
static swe_status check_vertices(swe_context *ctx, const swe_source *s, bool may_lack_them)
{
    double *lons = NULL, *lats = NULL;
    const swe_field_reader set = {.path = s->path, .file = s->file, .n = s->grid->layout.n};
    if (may_lack_them && H5Lexists(s->file, "lons", H5P_DEFAULT) <= 0 &&
        H5Lexists(s->file, "lats", H5P_DEFAULT) <= 0)
        return SWE_OK;
    const size_t field = (size_t)s->grid->layout.field;
    swe_status status = swe_memory_doubles(ctx, field, &lons);
    if (status == SWE_OK)
        status = swe_memory_doubles(ctx, field, &lats);
    if (status == SWE_OK)
        status = swe_field_reader_coordinates(ctx, &set, s->grid, lons, lats);
    free(lons);
    free(lats);
    return status;
}

swe_status swe_source_find(swe_context *ctx, const char *path, hid_t file,
                           const swe_variable *variable, int n, swe_source *out)
{
    *out = (swe_source){.path = path, .file = file};
    const int own = swe_source_cubed_n(variable);
    if (own == 0)
        return swe_regular_find(ctx, file, variable, &out->points.regular);
    out->points.n = own;
    SWE_TRY(swe_grid_create_lines(ctx, own, 1.0, &out->grid));
    return check_vertices(ctx, out, own == n);
}

void swe_source_release(swe_source *source)
{
    swe_grid_destroy(&source->grid);
    swe_regular_release(&source->points.regular);
}

/* All points, `count` fields in `values`. */
static swe_status make_room(swe_context *ctx, const swe_source *s, int count, double **values,
                            swe_gridded *out)
{
    *out = (swe_gridded){s->points, {0, swe_gridded_rows(&s->points)}, count, {NULL}};
    const size_t size = swe_gridded_size(out);
    SWE_TRY(swe_memory_doubles(ctx, (size_t)count * size, values));
    for (int m = 0; m < count; m++)
        out->values[m] = *values + (size_t)m * size;
    return SWE_OK;
}

static swe_status read_vertices(swe_context *ctx, const swe_source *s, const swe_variable *v,
                                double *values)
{
    const swe_layout *layout = &s->grid->layout;
    if (swe_source_cubed_n(v) != layout->n) {
        char shape[128];
        swe_variable_shape(v, shape, sizeof shape);
        return swe_fail(ctx, SWE_DATA, "%s: dataset '%s' has shape %s and needs (6, %d, %d)",
                        v->path, v->name, shape, layout->n + 1, layout->n + 1);
    }
    const int side = layout->n + 1;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        SWE_TRY(swe_variable_read_panel(ctx, v, layout, side, side, panel,
                                        values + panel * layout->panel));
    return SWE_OK;
}

static swe_status read_values(swe_context *ctx, const swe_source *s, const swe_variable *v,
                              double *values)
{
    return s->grid != NULL ? read_vertices(ctx, s, v, values)
                           : swe_regular_read(ctx, s->file, &s->points.regular, v, values);
}

swe_status swe_source_scalar(swe_context *ctx, const swe_source *source,
                             const swe_variable *variable, double **values, swe_gridded *out)
{
    SWE_TRY(make_room(ctx, source, 1, values, out));
    SWE_TRY(read_values(ctx, source, variable, *values));
    if (source->grid != NULL)
        swe_shared_average(source->grid, *values);
    return SWE_OK;
}

static void cubed_to_cartesian(const swe_grid *grid, double *const field[3])
{
    const swe_layout *layout = &grid->layout;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                double r[3], lon, lat;
                geometry_position(p, grid->tan_vertex[i], grid->tan_vertex[j], r);
                geographic_of(r, &lon, &lat);
                swe_vector_to_cartesian(lon, lat, field, swe_at(layout, p, j, i));
            }
    for (int m = 0; m < 3; m++)
        swe_shared_average(grid, field[m]);
}

static void regular_to_cartesian(const swe_regular *g, double *const field[3])
{
    for (int j = 0; j < g->nlat; j++)
        for (int i = 0; i < g->nlon; i++)
            swe_vector_to_cartesian(swe_regular_longitude(g, i), g->lat[j], field,
                                    (ptrdiff_t)j * g->nlon + i);
}

swe_status swe_source_vector(swe_context *ctx, const swe_source *source, const swe_variable *zonal,
                             const swe_variable *meridional, double **values, swe_gridded *out)
{
    SWE_TRY(make_room(ctx, source, 3, values, out));
    const size_t size = swe_gridded_size(out);
    double *const field[3] = {*values, *values + size, *values + 2 * size};
    SWE_TRY(read_values(ctx, source, zonal, field[0]));
    SWE_TRY(read_values(ctx, source, meridional, field[1]));
    if (source->grid != NULL)
        cubed_to_cartesian(source->grid, field);
    else
        regular_to_cartesian(&source->points.regular, field);
    return SWE_OK;
}
