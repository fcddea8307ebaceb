#include "conversion/vertices.h"

#include <math.h>

#include "base/physics.h"
#include "grid/geometry_point.h"

/* ---- shared vertices ------------------------------------------------------------------------- */

int swe_shared_count(const swe_grid *grid)
{
    return SWE_CORNERS + SWE_EDGES * (grid->layout.n - 1);
}

static int copies_of_corner(const swe_grid *grid, const swe_corner *corner, ptrdiff_t at[3])
{
    const int n = grid->layout.n;
    for (int c = 0; c < 3; c++)
        at[c] = swe_at(&grid->layout, corner->panel[c], corner->high_j[c] ? n : 0,
                       corner->high_i[c] ? n : 0);
    return 3;
}

int swe_shared_copies(const swe_grid *grid, int vertex, ptrdiff_t at[3])
{
    const swe_layout *layout = &grid->layout;
    if (vertex < SWE_CORNERS)
        return copies_of_corner(grid, &grid->topology.corners[vertex], at);
    const int n = layout->n, on_edge = vertex - SWE_CORNERS, k = 1 + on_edge % (n - 1);
    const swe_edge *edge = &grid->topology.edges[on_edge / (n - 1)];
    at[0] = edge->panel_a * layout->panel + topology_side_at(layout, edge->side_a, k);
    at[1] = edge->panel_b * layout->panel +
            topology_side_at(layout, edge->side_b, topology_place_of_b(n, *edge, k));
    return 2;
}

void swe_shared_average(const swe_grid *grid, double *values)
{
    for (int vertex = 0; vertex < swe_shared_count(grid); vertex++) {
        ptrdiff_t at[3];
        const int copies = swe_shared_copies(grid, vertex, at);
        double sum = 0.0; /* of differences: 0 where the copies are equal */
        for (int c = 1; c < copies; c++)
            sum += values[at[c]] - values[at[0]];
        const double mean = values[at[0]] + sum / copies;
        for (int c = 0; c < copies; c++)
            values[at[c]] = mean;
    }
}

/* ---- interpolation --------------------------------------------------------------------------- */

enum { MAX_POINTS = 6 };

/* Points of a stencil along a direction; a panel of four cells has only five vertices. */
static int points_of(const swe_layout *layout)
{
    return layout->n + 1 < MAX_POINTS ? layout->n + 1 : MAX_POINTS;
}

/* Component of a vector along axis m of a panel's frame. */
static double along(int panel, int m, const double r[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += geometry_frame(panel, m, k) * r[k];
    return sum;
}

/* First vertex of the stencil around coordinate s [cells]; s becomes the distance from it. */
static int stencil_of(int n, int points, double *s)
{
    *s = fmin(fmax(*s, 0.0), n); /* rounding may stencil a point beyond the edge */
    const int first = (int)*s - (points / 2 - 1);
    const int inside = first < 0 ? 0 : first > n + 1 - points ? n + 1 - points : first;
    *s -= inside;
    return inside;
}

swe_stencil swe_stencil_at(const swe_layout *layout, const double r[3])
{
    int panel = 0;
    for (int p = 1; p < SWE_PANELS; p++)
        if (along(p, 0, r) > along(panel, 0, r))
            panel = p;
    const double out = along(panel, 0, r), spacing = swe_grid_spacing(layout->n);
    swe_stencil stencil = {0, (atan(along(panel, 1, r) / out) + SWE_PI / 4.0) / spacing,
                           (atan(along(panel, 2, r) / out) + SWE_PI / 4.0) / spacing};
    const int points = points_of(layout);
    const int i = stencil_of(layout->n, points, &stencil.x);
    const int j = stencil_of(layout->n, points, &stencil.y);
    stencil.at = swe_at(layout, panel, j, i);
    return stencil;
}

/* Lagrange weights of the nodes 0, 1, ... at x; exactly 0 and 1 if x is a node. */
static void weights_at(double x, int points, double *weights)
{
    for (int m = 0; m < points; m++) {
        double above = 1.0, below = 1.0;
        for (int k = 0; k < points; k++)
            if (k != m) {
                above *= x - k;
                below *= m - k;
            }
        weights[m] = above / below;
    }
}

double swe_stencil_value(const swe_layout *layout, const swe_stencil *stencil, const double *values)
{
    double across[MAX_POINTS], up[MAX_POINTS];
    const int points = points_of(layout);
    weights_at(stencil->x, points, across);
    weights_at(stencil->y, points, up);
    /* differences from the nearest vertex: constants are reproduced exactly */
    const double *from = values + stencil->at;
    const double base = from[lround(stencil->y) * layout->pitch + lround(stencil->x)];
    double sum = 0.0;
    for (int j = 0; j < points; j++) {
        double row = 0.0;
        for (int i = 0; i < points; i++)
            row += across[i] * (from[j * layout->pitch + i] - base);
        sum += up[j] * row;
    }
    return base + sum;
}
