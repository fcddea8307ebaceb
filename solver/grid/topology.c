#include "grid/topology.h"

#include <stdbool.h>
#include <string.h>

#include "grid/geometry_point.h"

/* Number 0..7 of the cube vertex at a corner of a panel: one bit per coordinate, which is +-1. */
static int corner_of(int panel, bool high_i, bool high_j)
{
    int bits = 0;
    for (int k = 0; k < 3; k++) {
        const int coordinate = geometry_frame(panel, 0, k) +
                               (high_i ? 1 : -1) * geometry_frame(panel, 1, k) +
                               (high_j ? 1 : -1) * geometry_frame(panel, 2, k);
        bits |= (coordinate > 0) << k;
    }
    return bits;
}

/* Cube vertex at the start (k = 0) or the end (k = n) of a side. */
static int side_end(int panel, int side, bool end)
{
    switch (side) {
    case SWE_WEST:
        return corner_of(panel, false, end);
    case SWE_EAST:
        return corner_of(panel, true, end);
    case SWE_SOUTH:
        return corner_of(panel, end, false);
    default:
        return corner_of(panel, end, true);
    }
}

/* Find the side of a later panel that has the same two ends as (panel_a, side_a). */
static bool find_edge(int panel_a, int side_a, swe_edge *edge)
{
    const int start = side_end(panel_a, side_a, false), end = side_end(panel_a, side_a, true);
    for (int panel_b = panel_a + 1; panel_b < SWE_PANELS; panel_b++)
        for (int side_b = 0; side_b < SWE_SIDES; side_b++) {
            const int start_b = side_end(panel_b, side_b, false);
            const int end_b = side_end(panel_b, side_b, true);
            const bool same = start == start_b && end == end_b;
            const bool reversed = start == end_b && end == start_b;
            if (same || reversed) {
                *edge = (swe_edge){(signed char)panel_a, (signed char)side_a, (signed char)panel_b,
                                   (signed char)side_b, reversed};
                return true;
            }
        }
    return false;
}

static void create_edges(swe_topology *topology)
{
    int count = 0;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int side = 0; side < SWE_SIDES; side++) {
            swe_edge edge;
            if (!find_edge(panel, side, &edge))
                continue; /* already found from the other panel */
            topology->sides[edge.panel_a][edge.side_a] = (swe_side){(signed char)count, 0, 0};
            topology->sides[edge.panel_b][edge.side_b] =
                (swe_side){(signed char)count, 1, edge.reversed};
            topology->edges[count++] = edge;
        }
}

static void create_corners(swe_topology *topology)
{
    int copies[SWE_CORNERS] = {0};
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int place = 0; place < 4; place++) {
            const bool high_i = place & 1, high_j = place & 2;
            const int vertex = corner_of(panel, high_i, high_j);
            swe_corner *corner = &topology->corners[vertex];
            corner->panel[copies[vertex]] = (signed char)panel;
            corner->high_i[copies[vertex]] = high_i;
            corner->high_j[copies[vertex]] = high_j;
            copies[vertex]++;
        }
}

void swe_topology_create(swe_topology *out)
{
    memset(out, 0, sizeof *out);
    create_edges(out);
    create_corners(out);
}
