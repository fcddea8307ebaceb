#include "stages/exchange.h"
#include "stages/sat/sat_sides.h"
#include "stages/stages.h"
#include "stages/sides_cpu.h"

/* ---- batches of points ------------------------------------------------------------------------
 */

SWE_CLONES
static void compute_velocities(const swe_params *params, const real *v1, const real *v2, int count,
                               const side_point *points, real velocity[][3])
{
    SWE_WITH_ORDER(params->sbp.order,
                   for (int c = 0; c < count; c++) sat_velocity_point(
                       ORDER, params, v1 + points[c].at, v2 + points[c].at, points[c].panel,
                       points[c].side, points[c].k, velocity[c]));
}

/* F* out of side a at index k[c] of edges; h: the depth in nonlinear equations. */
SWE_CLONES
static void compute_consensus(const swe_params *params, int count, const int *edges, const int *k,
                              real a[][3], real b[][3], const real *h, real *out)
{
    SWE_WITH_EQUATIONS(params->physics.equations,
                       for (int c = 0; c < count; c++) out[c] =
                           sat_consensus(EQUATIONS, params, params->topology.edges[edges[c]], k[c],
                                         a[c], b[c], h[c]));
}

SWE_POINT void add_tendencies_of(int order, const swe_params *params, const real *f1,
                                 const real *f2, int count, const side_vertex *vertices, real *dh)
{
    for (int c = 0; c < count; c++) {
        const side_vertex *v = &vertices[c];
        real jump = side_jump(order, params, f1, f2, v, 0);
        if (v->count == 2)
            jump += side_jump(order, params, f1, f2, v, 1);
        dh[v->vertex] += sat_tendency(params, v->inverse_jacobian, jump);
    }
}

SWE_CLONES
static void add_tendencies(const swe_params *params, const real *f1, const real *f2, int count,
                           const side_vertex *vertices, real *dh)
{
    SWE_WITH_ORDER(params->sbp.order,
                   add_tendencies_of(ORDER, params, f1, f2, count, vertices, dh));
}

/* ---- whole panels ---------------------------------------------------------------------------- */

/* F* at `count` indices k of an edge. */
static void consensus_of_edge(const swe_params *params, const real *h, const real *v1,
                              const real *v2, int edge, int count, const int *k, real *out)
{
    const swe_edge e = params->topology.edges[edge];
    side_point points_a[SIDE_BATCH] = {{0, 0, 0, 0, 0}}, points_b[SIDE_BATCH] = {{0, 0, 0, 0, 0}};
    real a[SIDE_BATCH][3], b[SIDE_BATCH][3], depth[SIDE_BATCH], flux[SIDE_BATCH];
    int edges[SIDE_BATCH] = {0};
    for (int c = 0; c < count; c++) {
        points_a[c] = side_point_a(params, e, k[c]);
        points_b[c] = side_point_b(params, e, k[c]);
        edges[c] = edge;
        depth[c] = side_depth(params, h + points_a[c].at +
                                          topology_side_at(&params->layout, e.side_a, k[c]));
    }
    compute_velocities(params, v1, v2, count, points_a, a);
    compute_velocities(params, v1, v2, count, points_b, b);
    compute_consensus(params, count, edges, k, a, b, depth, flux);
    for (int c = 0; c < count; c++)
        out[edge * (params->layout.n + 1) + k[c]] = flux[c];
}

static void consensus(const swe_params *params, const real *h, const real *v1, const real *v2,
                      real *out)
{
    FOR_THREAD_EDGE_BATCHES(params, edge, count, k,
                            consensus_of_edge(params, h, v1, v2, edge, count, k, out));
}

static void add_to_panel(const swe_params *params, const real *f1, const real *f2,
                         const real *consensus, int panel, real *dh)
{
    const int n = params->layout.n;
    side_vertex batch[SIDE_BATCH];
    int count = 0;
    for (int j = 0; j <= n; j++)
        for (int i = 0, next = j == 0 || j == n ? 1 : n; i <= n; i += next) {
            side_vertex *v = &batch[count++];
            *v = side_vertex_of(params, panel * params->layout.panel, 0, panel, j, i);
            for (int s = 0; s < v->count; s++) {
                const swe_side side = params->topology.sides[panel][v->side[s]];
                v->out_of_a[s] =
                    consensus[side.edge * (n + 1) + side_place_on_edge(params, side, v->place[s])];
            }
            if (count == SIDE_BATCH) {
                add_tendencies(params, f1, f2, count, batch, dh);
                count = 0;
            }
        }
    add_tendencies(params, f1, f2, count, batch, dh);
}

/* ---- blocks: the velocities at both sides of an edge are exchanged ----------------------------
 */

static void block_velocities(const swe_params *params, const real *v1, const real *v2, real *edge)
{
    const ptrdiff_t field = params->layout.field;
    FOR_OWN_SHARED_POINTS(params, p, {
        const side_vertex v =
            side_vertex_of_point(params, &params->decomposition->block[p->block], p);
        for (int s = 0; s < v.count; s++) {
            const side_point point = {v.at, 0, v.panel, v.side[s], v.place[s]};
            real velocity[1][3];
            compute_velocities(params, v1, v2, 1, &point, velocity);
            for (int m = 0; m < 3; m++)
                edge[side_fields(params, v.side[s]) + m * field + v.vertex] = velocity[0][m];
        }
    });
}

static void add_to_blocks(const swe_params *params, const real *h, const real *f1, const real *f2,
                          const real *edge, real *dh)
{
    FOR_OWN_SHARED_POINTS(params, p, {
        side_vertex v = side_vertex_of_point(params, &params->decomposition->block[p->block], p);
        const real depth = side_depth(params, h + v.vertex);
        for (int s = 0; s < v.count; s++) {
            const swe_side side = params->topology.sides[v.panel][v.side[s]];
            const swe_edge e = params->topology.edges[side.edge];
            const int number = (int)(unsigned char)side.edge;
            const int k = side_place_on_edge(params, side, v.place[s]);
            real a[1][3];
            real b[1][3];
            side_velocity(params, &p->copies, e.panel_a, e.side_a, edge, a[0]);
            side_velocity(params, &p->copies, e.panel_b, e.side_b, edge, b[0]);
            compute_consensus(params, 1, &number, &k, a, b, &depth, &v.out_of_a[s]);
        }
        add_tendencies(params, f1, f2, 1, &v, dh);
    });
}

static void sat_of_blocks(const swe_execution *execution, const swe_params *params, const real *h,
                          const real *v1, const real *v2, const real *f1, const real *f2,
                          real *edge, real *dh)
{
    const ptrdiff_t field = params->layout.field;
    thread_begin(execution);
    block_velocities(params, v1, v2, edge);
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_FOREIGN(edge), EXCHANGE_FOREIGN(edge + field),
             EXCHANGE_FOREIGN(edge + 2 * field), EXCHANGE_FOREIGN(edge + 3 * field),
             EXCHANGE_FOREIGN(edge + 4 * field), EXCHANGE_FOREIGN(edge + 5 * field));
    thread_begin(execution);
    add_to_blocks(params, h, f1, f2, edge, dh);
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(dh));
}

/* ---- the stage ------------------------------------------------------------------------------- */

void swe_sat_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                 const real *v1, const real *v2, const real *f1, const real *f2, real *edge,
                 real *dh)
{
    if (params->decomposition != NULL) {
        sat_of_blocks(execution, params, h, v1, v2, f1, f2, edge, dh);
        return;
    }
    thread_begin(execution);
    consensus(params, h, v1, v2, edge);
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
#pragma omp for schedule(static) nowait
    for (int panel = 0; panel < SWE_PANELS; panel++)
        add_to_panel(params, f1, f2, edge, panel, dh);
    thread_end(execution);
    threads_wait(execution);
}
