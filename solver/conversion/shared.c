#include "conversion/shared.h"

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
    const int n = layout->n, place = vertex - SWE_CORNERS, k = 1 + place % (n - 1);
    const swe_edge *edge = &grid->topology.edges[place / (n - 1)];
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
        double sum = 0.0; /* of differences from the first, none where all are the same */
        for (int c = 1; c < copies; c++)
            sum += values[at[c]] - values[at[0]];
        const double mean = values[at[0]] + sum / copies;
        for (int c = 0; c < copies; c++)
            values[at[c]] = mean;
    }
}
