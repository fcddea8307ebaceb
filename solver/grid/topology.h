/* How the six panels join: 12 edges of two sides, 8 corners of three panels.
 *
 * The only place that knows which points of different panels are the same point of the sphere. */
#ifndef SWE_GRID_TOPOLOGY_H
#define SWE_GRID_TOPOLOGY_H

#include "base/point.h"
#include "grid/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SWE_EDGES = 12, SWE_CORNERS = 8, SWE_SIDES = 4 };

/* Sides of a panel. Places along a side count with the coordinate that varies on it. */
enum { SWE_WEST, SWE_EAST, SWE_SOUTH, SWE_NORTH }; /* i = 0, i = n, j = 0, j = n */

/* A place k = 0..n along an edge is place k of side_a, and k or n - k of side_b. */
typedef struct swe_edge {
    signed char panel_a, side_a;
    signed char panel_b, side_b;
    signed char reversed; /* 1: place k of a is place n - k of b */
} swe_edge;

/* Copies of a cube vertex; at i = n where `high_i`, at j = n where `high_j`. */
typedef struct swe_corner {
    signed char panel[3], high_i[3], high_j[3];
} swe_corner;

/* The side of a panel, seen from its edge. */
typedef struct swe_side {
    signed char edge;     /* 0..11 */
    signed char is_b;     /* 1: the panel is the edge's panel_b */
    signed char reversed; /* 1: place k of the side is place n - k of the edge */
} swe_side;

typedef struct swe_topology {
    swe_edge edges[SWE_EDGES];
    swe_corner corners[SWE_CORNERS];
    swe_side sides[SWE_PANELS][SWE_SIDES];
} swe_topology;

/* Join the panels by comparing the corners of their frames, in exact integer arithmetic. */
void swe_topology_create(swe_topology *out);

/* Offset of place k along a side within a panel, and from one place to the next. */
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

#ifdef __cplusplus
}
#endif
#endif
