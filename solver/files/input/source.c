#include "files/input/source.h"

#include <stdlib.h>

#include "base/memory.h"
#include "files/conversion/field_reader.h"
#include "files/conversion/interpolation.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"

static const double at_pole = 1e-3;    /* spacings between a pole and its row */
static const double one_vector = 1e-2; /* relative difference that rounding or packing leaves */

/* Read and check the coordinates of a cubed sphere; they are assumed if `may_lack_them`. */
static swe_status find_vertices(swe_context *ctx, swe_source *s, bool may_lack_them)
{
    const swe_layout *layout = &s->grid->layout;
    const swe_field_reader set = {.path = s->path, .file = s->file, .n = layout->n};
    SWE_TRY(swe_memory_doubles(ctx, (size_t)layout->field, &s->lons));
    SWE_TRY(swe_memory_doubles(ctx, (size_t)layout->field, &s->lats));
    if (!may_lack_them || H5Lexists(s->file, "lons", H5P_DEFAULT) > 0 ||
        H5Lexists(s->file, "lats", H5P_DEFAULT) > 0)
        return swe_field_reader_coordinates(ctx, &set, s->grid, s->lons, s->lats);
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                double r[3];
                const ptrdiff_t at = swe_at(layout, p, j, i);
                geometry_position(p, s->grid->tan_vertex[i], s->grid->tan_vertex[j], r);
                geographic_of(r, &s->lons[at], &s->lats[at]);
            }
    return SWE_OK;
}

swe_status swe_source_find(swe_context *ctx, const swe_variable_file *file,
                           const swe_variable *variable, int n, swe_source *out)
{
    *out = (swe_source){.path = file->path, .file = file->file};
    const int own = swe_cubed_n(variable->lengths, variable->rank);
    if (own == 0)
        return swe_regular_find(ctx, file->file, variable, &out->points.regular);
    out->points.n = own;
    SWE_TRY(swe_field_reader_lines(ctx, file->path, file->file, own, &out->grid));
    out->points.place = out->grid->place;
    return find_vertices(ctx, out, own == n);
}

void swe_source_release(swe_source *source)
{
    free(source->lons);
    free(source->lats);
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
    if (swe_cubed_n(v->lengths, v->rank) != layout->n)
        return swe_fail(ctx, SWE_DATA, "%s: dataset '%s' has shape %s and needs (6, %d, %d)",
                        v->path, v->name, swe_variable_shape(v).text, layout->n + 1, layout->n + 1);
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

/* Whether the row at a pole is not a single vector, relative to the wind speeds of this row and the
 * next row. */
static bool is_torn(const swe_regular *g, int row, int next, double *const field[3])
{
    double off = 0.0, most = 0.0;
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < g->nlon; i++) {
            const double *pole = field[m] + (ptrdiff_t)row * g->nlon;
            off = fmax(off, fabs(pole[i] - pole[0]));
            most = fmax(most, fmax(fabs(pole[i]), fabs(field[m][(ptrdiff_t)next * g->nlon + i])));
        }
    return off > one_vector * most;
}

/* The mean over a row is an even function of its distance from the pole: interpolate it to the pole
 * from the next three rows. */
static void replace_pole(const swe_regular *g, int row, int step, double *const field[3])
{
    for (int m = 0; m < 3; m++) {
        double value = 0.0;
        for (int k = 1; k <= 3; k++) {
            double weight = 1.0 / g->nlon;
            const double here = 90.0 - fabs(g->lat[row + k * step]);
            for (int other = 1; other <= 3; other++) {
                const double there = 90.0 - fabs(g->lat[row + other * step]);
                weight *= other == k ? 1.0 : there * there / (there * there - here * here);
            }
            for (int i = 0; i < g->nlon; i++)
                value += weight * field[m][(ptrdiff_t)(row + k * step) * g->nlon + i];
        }
        for (int i = 0; i < g->nlon; i++)
            field[m][(ptrdiff_t)row * g->nlon + i] = value;
    }
}

/* Replace the rows at poles that are not single vectors. Returns the names of these poles. */
static const char *mend_poles(const swe_regular *g, double *const field[3])
{
    static const char *const names[] = {NULL, "the south pole", "the north pole", "both poles"};
    int mended = 0;
    for (int north = 0; north < 2; north++) {
        const int row = north ? g->nlat - 1 : 0, step = north ? -1 : 1;
        const double spacing = fabs(g->lat[row + step] - g->lat[row]);
        if (90.0 - fabs(g->lat[row]) > at_pole * spacing || !is_torn(g, row, row + step, field))
            continue;
        replace_pole(g, row, step, field);
        mended += 1 + north;
    }
    return names[mended];
}

swe_status swe_source_vector(swe_context *ctx, swe_source *source, const swe_variable *zonal,
                             const swe_variable *meridional, double **values, swe_gridded *out)
{
    SWE_TRY(make_room(ctx, source, 3, values, out));
    const size_t size = swe_gridded_size(out);
    double *const field[3] = {*values, *values + size, *values + 2 * size};
    SWE_TRY(read_values(ctx, source, zonal, field[0]));
    SWE_TRY(read_values(ctx, source, meridional, field[1]));
    if (source->grid == NULL) {
        const swe_regular *g = &source->points.regular;
        for (int j = 0; j < g->nlat; j++)
            for (int i = 0; i < g->nlon; i++)
                swe_vector_to_cartesian(swe_regular_longitude(g, i), g->lat[j], field,
                                        (ptrdiff_t)j * g->nlon + i);
        source->replaced_poles = mend_poles(g, field);
        return SWE_OK;
    }
    swe_vertices_to_cartesian(&source->grid->layout, source->lons, source->lats, field);
    for (int m = 0; m < 3; m++)
        swe_shared_average(source->grid, field[m]);
    return SWE_OK;
}
