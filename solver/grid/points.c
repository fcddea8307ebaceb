#include "grid/points.h"

#include "base/physics.h"

const swe_points swe_points_equispaced = {.vertices = 1};

/* Shift of the coordinates of all points behind the moved points. */
static double shift(const swe_points *points)
{
    return points->vertex[points->vertices - 1] - (points->vertices - 1);
}

double swe_points_length(const swe_points *points, int n)
{
    return n + 2.0 * shift(points);
}

double swe_points_vertex(const swe_points *points, int v)
{
    return v < points->vertices ? points->vertex[v] : v + shift(points);
}

double swe_points_cell(const swe_points *points, int c)
{
    return c < points->cells ? points->cell[c] : c + 0.5 + shift(points);
}

double swe_points_spacing(const swe_points *points, int n)
{
    return 0.5 * SWE_PI / swe_points_length(points, n);
}
