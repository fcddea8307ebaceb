/* Vertices on the sides of panels, for the SAT: where they are, and with blocks the velocities that
 * are exchanged. */
#ifndef SWE_STAGES_SAT_SIDES_H
#define SWE_STAGES_SAT_SIDES_H

#include "stages/sat/sat_point.h"

/* A vertex on one or two sides of its panel, and F* there. South and north sides come first. */
typedef struct side_vertex {
    ptrdiff_t at, vertex; /* of the panel's vertex (0, 0), and of the vertex in a field */
    real inverse_jacobian;
    int panel, count, side[2], place[2];
    real out_of_a[2];
} side_vertex;

/* Vertex (j, i) of a panel, without F*. */
SWE_POINT side_vertex side_vertex_of(const swe_params *params, ptrdiff_t at, ptrdiff_t metric,
                                     int panel, int j, int i)
{
    const int n = params->layout.n;
    const ptrdiff_t in_panel = j * params->layout.pitch + i;
    side_vertex v = {
        at,     at + in_panel, params->inverse_jacobian[metric + in_panel], panel, 0, {0, 0},
        {0, 0}, {0, 0}};
    if (j == 0 || j == n) {
        v.side[v.count] = j == 0 ? SWE_SOUTH : SWE_NORTH;
        v.place[v.count++] = i;
    }
    if (i == 0 || i == n) {
        v.side[v.count] = i == 0 ? SWE_WEST : SWE_EAST;
        v.place[v.count++] = j;
    }
    return v;
}

/* Index along its edge of index k of a side. */
SWE_POINT int side_place_on_edge(const swe_params *params, swe_side side, int k)
{
    return side.reversed ? params->layout.n - k : k;
}

SWE_POINT real side_jump(int order, const swe_params *params, const real *f1, const real *f2,
                         const side_vertex *v, int s)
{
    return sat_jump(order, params, f1 + v->at, f2 + v->at, v->out_of_a[s], v->panel, v->side[s],
                    v->place[s]);
}

/* ---- blocks: the velocities at both sides of an edge are exchanged ----------------------------
 */

/* `edge` has six fields: the Cartesian velocity at west and east sides, and at south and north
 * sides. The first of the three fields of a side: */
SWE_POINT ptrdiff_t side_fields(const swe_params *params, int side)
{
    return side == SWE_WEST || side == SWE_EAST ? 0 : 3 * params->layout.field;
}

/* A shared point that block b owns. */
SWE_POINT side_vertex side_vertex_of_point(const swe_params *params, const swe_block *b,
                                           const swe_shared_point *p)
{
    return side_vertex_of(params, b->at, b->metric, b->panel, p->copies.j[p->own],
                          p->copies.i[p->own]);
}

/* The velocity of the copy of a shared point that a panel has, at one of the panel's sides. */
SWE_POINT void side_velocity(const swe_params *params, const topology_copies *copies, int panel,
                             int side, const real *edge, real velocity[3])
{
    const int copy = copies->panel[0] == panel ? 0 : copies->panel[1] == panel ? 1 : 2;
    const real *from = edge + side_fields(params, side) + copies->at[copy];
    for (int m = 0; m < 3; m++)
        velocity[m] = from[m * params->layout.field];
}

#endif
