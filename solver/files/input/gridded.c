#include "files/input/gridded.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "cases/frame.h"
#include "files/conversion/interpolation.h"
#include "grid/geometry_point.h"

int swe_gridded_rows(const swe_gridded_points *points)
{
    return points->n > 0 ? SWE_PANELS * (points->n + 1) : points->regular.nlat;
}

ptrdiff_t swe_gridded_pitch(const swe_gridded_points *points)
{
    return points->n > 0 ? swe_layout_of(points->n).pitch : points->regular.nlon;
}

void swe_gridded_describe(const swe_gridded_points *points, char *out, size_t size)
{
    if (points->n > 0)
        snprintf(out, size, "a cubed sphere of n = %d", points->n);
    else
        snprintf(out, size, "%d latitudes and %d longitudes", points->regular.nlat,
                 points->regular.nlon);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

swe_gridded swe_gridded_piece(const swe_gridded *gridded, swe_range rows)
{
    const ptrdiff_t before =
        (rows.first - gridded->rows.first) * swe_gridded_pitch(&gridded->points);
    swe_gridded piece = *gridded;
    piece.rows = rows;
    for (int m = 0; m < piece.count; m++)
        piece.values[m] = gridded->values[m] != NULL ? gridded->values[m] + before : NULL;
    return piece;
}

size_t swe_gridded_size(const swe_gridded *piece)
{
    const int all = swe_gridded_rows(&piece->points), end = piece->rows.last + SWE_GRIDDED_MARGIN;
    const int rows = (end < all ? end : all) - piece->rows.first;
    return (size_t)rows * (size_t)swe_gridded_pitch(&piece->points);
}

/* ---- a point --------------------------------------------------------------------------------- */

/* Whether a stencil that begins in a row belongs to the piece. Adds this row to `seen`. */
static bool has_row(const swe_gridded *piece, int row, swe_range *seen)
{
    seen->first = row < seen->first ? row : seen->first;
    seen->last = row >= seen->last ? row + 1 : seen->last;
    return row >= piece->rows.first && row < piece->rows.last;
}

static bool interpolate_cubed(const swe_gridded *piece, const double r[3], double *out,
                              swe_range *seen)
{
    const swe_vertices vertices = {swe_layout_of(piece->points.n), piece->points.place};
    const ptrdiff_t pitch = vertices.layout.pitch;
    swe_stencil stencil = swe_stencil_at(&vertices, r);
    if (!has_row(piece, (int)(stencil.at / pitch), seen))
        return false;
    stencil.at -= piece->rows.first * pitch;
    for (int m = 0; m < piece->count; m++)
        out[m] = swe_stencil_value(&vertices, &stencil, piece->values[m]);
    return true;
}

static bool interpolate_regular(const swe_gridded *piece, const double r[3], double *out,
                                swe_range *seen)
{
    const swe_regular *regular = &piece->points.regular;
    swe_regular_stencil stencil;
    swe_regular_stencil_at(regular, r, &stencil);
    if (!has_row(piece, swe_regular_stencil_first(regular, &stencil), seen))
        return false;
    for (int m = 0; m < REGULAR_POINTS; m++)
        stencil.row[m] -= piece->rows.first;
    for (int m = 0; m < piece->count; m++)
        out[m] = swe_regular_stencil_value(regular, &stencil, piece->values[m]);
    return true;
}

/* Interpolate the fields of a piece to a Cartesian unit vector. False: the piece does not have the
 * stencil of this point. */
static bool interpolate(const swe_gridded *piece, const double r[3], double *out, swe_range *seen)
{
    return piece->points.n > 0 ? interpolate_cubed(piece, r, out, seen)
                               : interpolate_regular(piece, r, out, seen);
}

/* ---- rows of the grid of the run ------------------------------------------------------------- */

static const swe_range none_seen = {INT_MAX, 0};

swe_range swe_gridded_scalar_row(const swe_gridded *piece, const swe_grid *grid, int panel, int j,
                                 double *out)
{
    swe_range seen = none_seen;
    for (int i = 0; i <= grid->layout.n; i++) {
        double r[3], value = 0.0;
        geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
        if (interpolate(piece, r, &value, &seen))
            out[i] = value;
    }
    return seen;
}

/* A covariant component of the wind at points (x, y) of a panel. */
typedef double component(double radius, int panel, double x, double y, const double u[3]);

static swe_range wind_row(const swe_gridded *piece, double radius, int panel, int count,
                          const double *x, double y, component *covariant, double *out)
{
    swe_range seen = none_seen;
    for (int i = 0; i < count; i++) {
        double r[3], u[3];
        geometry_position(panel, x[i], y, r);
        if (!interpolate(piece, r, u, &seen))
            continue;
        const double outward = swe_dot(u, r); /* interpolation leaves a small one */
        for (int k = 0; k < 3; k++)
            u[k] -= outward * r[k];
        out[i] = covariant(radius, panel, x[i], y, u);
    }
    return seen;
}

swe_range swe_gridded_v1_row(const swe_gridded *piece, const swe_grid *grid, int panel, int j,
                             double *v1)
{
    return wind_row(piece, grid->radius, panel, grid->layout.n, grid->tan_cell, grid->tan_vertex[j],
                    geometry_covariant1, v1);
}

swe_range swe_gridded_v2_row(const swe_gridded *piece, const swe_grid *grid, int panel, int j,
                             double *v2)
{
    return wind_row(piece, grid->radius, panel, grid->layout.n + 1, grid->tan_vertex,
                    grid->tan_cell[j], geometry_covariant2, v2);
}

swe_status swe_gridded_check_row(swe_context *ctx, const char *name, int panel, int j, int count,
                                 const double *values)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return swe_fail(ctx, SWE_DATA, "%s not finite at panel %d, j %d, i %d", name, panel, j,
                            i);
    return SWE_OK;
}
