/* Topology of the cubed sphere: which points of different panels are the same point of the sphere.
 * 12 edges join two sides each, 8 corners (cube vertices) join three panels each. A vertex on a
 * panel edge is a shared point: each adjacent panel stores a copy of its values.
 *
 * Every exchange between panels uses these functions. Only they and geometry_frame know the
 * orientation of panels. */
#ifndef SWE_GRID_TOPOLOGY_H
#define SWE_GRID_TOPOLOGY_H

#include "base/point.h"
#include "grid/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SWE_EDGES = 12, SWE_CORNERS = 8, SWE_SIDES = 4 };

/* Sides of a panel. A side has n cells. The index k = 0..n along a west or east side is j, along a
 * south or north side i. */
enum { SWE_WEST, SWE_EAST, SWE_SOUTH, SWE_NORTH }; /* i = 0, i = n, j = 0, j = n */

/* An edge. Point k = 0..n of the edge is point k of side_a. It is also point k of side_b, or point
 * n - k if `reversed`. */
typedef struct swe_edge {
    signed char panel_a, side_a;
    signed char panel_b, side_b;
    signed char reversed; /* 1: point k of side_a is point n - k of side_b */
} swe_edge;

/* The three copies of a corner: on panel[m], at i = n * high_i[m] and j = n * high_j[m]. */
typedef struct swe_corner {
    signed char panel[3], high_i[3], high_j[3];
} swe_corner;

/* The edge that a side of a panel belongs to. */
typedef struct swe_side {
    signed char edge;     /* 0..11 */
    signed char is_b;     /* 1: the panel is the edge's panel_b */
    signed char reversed; /* 1: point k of the side is point n - k of the edge */
} swe_side;

/* Plain data: a kernel receives a copy of it (stages/params.h). */
typedef struct swe_topology {
    swe_edge edges[SWE_EDGES];
    swe_corner corners[SWE_CORNERS];
    swe_side sides[SWE_PANELS][SWE_SIDES];
} swe_topology;

/* Derive edges, corners and sides from the frames of the panels (geometry_frame), in integer
 * arithmetic. */
void swe_topology_create(swe_topology *out);

/* Offset [values] from the first vertex of a panel to vertex k of a side. */
SWE_POINT ptrdiff_t topology_side_at(const swe_layout *layout, int side, int k)
{
    switch (side) {
    case SWE_WEST:
        return k * layout->pitch;
    case SWE_EAST:
        return k * layout->pitch + layout->n;
    case SWE_SOUTH:
        return k;
    default:
        return layout->n * layout->pitch + k;
    }
}

enum { TOPOLOGY_COPIES = 3 };

/* The copies of a shared point: two, or three at a cube vertex. side[m] is the side of copy m,
 * place[m] the index along that side. A cube vertex counts as a point of a south or north side.
 * at[m] is the offset [values] of copy m in a field. */
typedef struct topology_copies {
    int count, panel[TOPOLOGY_COPIES], j[TOPOLOGY_COPIES], i[TOPOLOGY_COPIES];
    int side[TOPOLOGY_COPIES], place[TOPOLOGY_COPIES];
    ptrdiff_t at[TOPOLOGY_COPIES];
} topology_copies;

/* Run statements for each copy m = 0..count - 1, with m as a constant; count is 2 or 3. Unrolled by
 * hand, so that a loop over the points of an edge has no inner loop and vectorises. */
#define TOPOLOGY_COPY(place, ...)                                                                  \
    {                                                                                              \
        enum { m = place };                                                                        \
        __VA_ARGS__;                                                                               \
    }
#define TOPOLOGY_FOR_COPIES(count, ...)                                                            \
    {                                                                                              \
        TOPOLOGY_COPY(0, __VA_ARGS__)                                                              \
        TOPOLOGY_COPY(1, __VA_ARGS__)                                                              \
        if ((count) == TOPOLOGY_COPIES)                                                            \
            TOPOLOGY_COPY(2, __VA_ARGS__)                                                          \
    }

/* Return `count` copies, all zero. */
SWE_POINT topology_copies topology_copies_of(int count)
{
    const topology_copies copies = {count,     {0, 0, 0}, {0, 0, 0}, {0, 0, 0},
                                    {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    return copies;
}

/* Set copy m to point k of a side. Branch-free, j and i linear in k, so that a loop over k
 * vectorises.
 */
SWE_POINT void topology_put_copy(topology_copies *copies, int m, const swe_layout *layout,
                                 int panel, int side, int k)
{
    const int n = layout->n;
    const int along_i = (side == SWE_SOUTH) | (side == SWE_NORTH), along_j = 1 - along_i;
    const int end = n * ((side == SWE_EAST) | (side == SWE_NORTH));
    copies->panel[m] = panel;
    copies->j[m] = along_i * end + along_j * k;
    copies->i[m] = along_j * end + along_i * k;
    copies->side[m] = side;
    copies->place[m] = k;
    copies->at[m] = swe_at(layout, panel, copies->j[m], copies->i[m]);
}

/* Index along side_b of point k of an edge; branch-free, linear in k. */
SWE_POINT int topology_place_of_b(int n, swe_edge e, int k)
{
    return e.reversed * n + (1 - 2 * e.reversed) * k;
}

/* Copies of point k = 1..n-1 of an edge. */
SWE_POINT topology_copies topology_of_edge(const swe_layout *layout, swe_edge e, int k)
{
    topology_copies copies = topology_copies_of(2);
    topology_put_copy(&copies, 0, layout, e.panel_a, e.side_a, k);
    topology_put_copy(&copies, 1, layout, e.panel_b, e.side_b,
                      topology_place_of_b(layout->n, e, k));
    return copies;
}

/* Copies of a cube vertex. */
SWE_POINT topology_copies topology_of_corner(const swe_topology *topology, const swe_layout *layout,
                                             int corner)
{
    const swe_corner c = topology->corners[corner];
    topology_copies copies = topology_copies_of(3);
    for (int m = 0; m < TOPOLOGY_COPIES; m++)
        topology_put_copy(&copies, m, layout, c.panel[m], c.high_j[m] ? SWE_NORTH : SWE_SOUTH,
                          c.high_i[m] * layout->n);
    return copies;
}

/* Number of shared points. The inner points of all edges come first, then the corners. */
SWE_POINT int topology_shared_points(int n)
{
    return SWE_EDGES * (n - 1) + SWE_CORNERS;
}

/* Copies of shared point 0..topology_shared_points(layout->n) - 1; n > 1. */
SWE_POINT topology_copies topology_shared_point(const swe_topology *topology,
                                                const swe_layout *layout, int point)
{
    const int n = layout->n, edge = point / (n - 1), place = point % (n - 1);
    return edge < SWE_EDGES ? topology_of_edge(layout, topology->edges[edge], place + 1)
                            : topology_of_corner(topology, layout, point - SWE_EDGES * (n - 1));
}

/* Whether vertex (j, i) lies on a panel edge. */
SWE_POINT int topology_is_shared(int n, int j, int i)
{
    return j == 0 || j == n || i == 0 || i == n;
}

#ifdef __cplusplus
}
#endif
#endif
