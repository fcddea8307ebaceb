#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/sat/sat_sides.h"
#include "stages/stages.h"

/* ---- whole panels ---------------------------------------------------------------------------- */

/* First pass. x: index along an edge, y: edge. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void consensus_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                        const real *v1, const real *v2, real *edge)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), n = params.layout.n;
    if (k <= n)
        edge[blockIdx.y * (n + 1) + k] =
            sat_consensus_point(EQUATIONS, ORDER, &params, h, v1, v2, (int)blockIdx.y, k);
}

/* Second pass. x: index along a side, y: panel and side. */
template <int ORDER>
static __global__ void exchange_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *f1,
                                       const real *f2, const real *edge, real *dh)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), n = params.layout.n;
    const int panel = (int)blockIdx.y / SWE_SIDES, side = (int)blockIdx.y % SWE_SIDES;
    if (k > n || !sat_owns(side, k, n))
        return;
    dh[panel * params.layout.panel + topology_side_at(&params.layout, side, k)] +=
        sat_vertex_point(ORDER, &params, f1, f2, edge, panel, side, k);
}

/* ---- blocks: a thread has a shared point ----------------------------------------------------- */

/* First pass: the velocities of a block at the sides of its panel. */
template <int ORDER>
static __global__ void block_velocity_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *v1,
                                             const real *v2, real *edge)
{
    const swe_shared_point *p = launch_own_point(&params);
    if (p == nullptr)
        return;
    const ptrdiff_t field = params.layout.field;
    const side_vertex v = side_vertex_of_point(&params, &params.blocks[p->block], p);
    for (int s = 0; s < v.count; s++) {
        real velocity[3];
        sat_velocity_point(ORDER, &params, v1 + v.at, v2 + v.at, v.panel, v.side[s], v.place[s],
                           velocity);
        for (int m = 0; m < 3; m++)
            edge[side_fields(&params, v.side[s]) + m * field + v.vertex] = velocity[m];
    }
}

/* F* out of side a of the edge that is side s of a vertex. */
template <swe_equations EQUATIONS>
static __device__ real block_consensus(const swe_params *params, const swe_shared_point *p,
                                       const side_vertex *v, int s, const real *h, const real *edge)
{
    const swe_side side = params->topology.sides[v->panel][v->side[s]];
    const swe_edge e = params->topology.edges[side.edge];
    real a[3], b[3];
    side_velocity(params, &p->copies, e.panel_a, e.side_a, edge, a);
    side_velocity(params, &p->copies, e.panel_b, e.side_b, edge, b);
    return sat_consensus(EQUATIONS, params, e, side_place_on_edge(params, side, v->place[s]), a, b,
                         EQUATIONS == SWE_LINEAR ? 0 : h[v->vertex]);
}

/* Second pass: the term of dh. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void block_term_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                         const real *f1, const real *f2, const real *edge, real *dh)
{
    const swe_shared_point *p = launch_own_point(&params);
    if (p == nullptr)
        return;
    side_vertex v = side_vertex_of_point(&params, &params.blocks[p->block], p);
    for (int s = 0; s < v.count; s++)
        v.out_of_a[s] = block_consensus<EQUATIONS>(&params, p, &v, s, h, edge);
    real jump = side_jump(ORDER, &params, f1, f2, &v, 0);
    if (v.count == 2)
        jump += side_jump(ORDER, &params, f1, f2, &v, 1);
    dh[v.vertex] += sat_tendency(&params, v.inverse_jacobian, jump);
}

static void start_sat_of_blocks(const swe_execution *execution, const swe_params *params,
                                const real *h, const real *v1, const real *v2, const real *f1,
                                const real *f2, real *edge, real *dh)
{
    const ptrdiff_t field = params->layout.field;
    const dim3 points = launch_shared_points(params), block(LAUNCH_BLOCK_LINE);
    SWE_WITH_ORDER(params->sbp.order, SWE_LAUNCH((block_velocity_kernel<ORDER>), points, block, 0,
                                                 launch_stream(execution), *params, v1, v2, edge));
    EXCHANGE(cuda, execution, params, EXCHANGE_FOREIGN(edge), EXCHANGE_FOREIGN(edge + field),
             EXCHANGE_FOREIGN(edge + 2 * field), EXCHANGE_FOREIGN(edge + 3 * field),
             EXCHANGE_FOREIGN(edge + 4 * field), EXCHANGE_FOREIGN(edge + 5 * field));
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           SWE_LAUNCH((block_term_kernel<ORDER, EQUATIONS>), points, block, 0,
                                      launch_stream(execution), *params, h, f1, f2, edge, dh)));
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(dh));
}

/* ---- the stage ------------------------------------------------------------------------------- */

void swe_sat_cuda(const swe_execution *execution, const swe_params *params, const real *h,
                  const real *v1, const real *v2, const real *f1, const real *f2, real *edge,
                  real *dh)
{
    if (params->decomposition != nullptr) {
        start_sat_of_blocks(execution, params, h, v1, v2, f1, f2, edge, dh);
        return;
    }
    const int places = params->layout.n + 1;
    const cudaStream_t stream = launch_stream(execution);
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           SWE_LAUNCH((consensus_kernel<ORDER, EQUATIONS>),
                                      launch_lines(places, SWE_EDGES), dim3(LAUNCH_BLOCK_LINE), 0,
                                      stream, *params, h, v1, v2, edge)));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((exchange_kernel<ORDER>),
                              launch_lines(places, SWE_PANELS * SWE_SIDES), dim3(LAUNCH_BLOCK_LINE),
                              0, stream, *params, f1, f2, edge, dh));
}
