#include "stages/damping/damping_point.h"
#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* ---- whole panels. x: index along an edge, y: edge ------------------------------------------- */

/* First pass: change of the velocity at the edge. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void change_kernel(SWE_GRID_CONSTANT(swe_params) params, real weight,
                                     const real *h, const real *v1, const real *v2, real *changes)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), edge = (int)blockIdx.y;
    if (k >= 1 && k < params.layout.n)
        changes[edge * (params.layout.n + 1) + k] =
            damping_change(EQUATIONS, ORDER, &params, weight, h, v1, v2, edge, k);
}

/* Second pass: the velocity. */
template <int ORDER>
static __global__ void damping_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *changes,
                                      real *v1, real *v2)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), edge = (int)blockIdx.y;
    if (k >= 1 && k < params.layout.n)
        damping_add(ORDER, &params, changes[edge * (params.layout.n + 1) + k], edge, k, v1, v2);
}

/* ---- blocks: a thread has a shared point ----------------------------------------------------- */

/* The point of an edge, cube vertices apart, that belongs to a thread and that its block owns. */
static __device__ const swe_shared_point *own_edge_point(const swe_params *params)
{
    const swe_shared_point *p = launch_own_point(params);
    return p != nullptr && p->copies.count == 2 ? p : nullptr;
}

/* First pass: the flux out of the block's side. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void block_flux_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                         const real *v1, const real *v2, real *out)
{
    const swe_shared_point *p = own_edge_point(&params);
    if (p == nullptr)
        return;
    const swe_block b = params.blocks[p->block];
    out[p->copies.at[p->own]] =
        damping_flux_out(EQUATIONS, ORDER, &params, b.metric, h + b.at, v1 + b.at, v2 + b.at,
                         p->copies.side[p->own], p->copies.place[p->own]);
}

/* Second pass: the velocity. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void block_damping_kernel(SWE_GRID_CONSTANT(swe_params) params, real weight,
                                            const real *h, const real *out, real *v1, real *v2)
{
    const swe_shared_point *p = own_edge_point(&params);
    if (p == nullptr)
        return;
    const topology_copies *c = &p->copies;
    const ptrdiff_t at = params.blocks[p->block].at;
    const real change =
        damping_change_of(EQUATIONS, &params, weight, out[c->at[0]] + out[c->at[1]],
                          EQUATIONS == SWE_LINEAR ? 0 : h[c->at[0]], c->side[0], c->place[0]);
    damping_add_side(ORDER, &params, c->side[p->own], c->place[p->own], change, v1 + at, v2 + at);
}

static void start_damping_of_blocks(const swe_execution *execution, const swe_params *params,
                                    real weight, const real *h, real *v1, real *v2, real *out)
{
    const dim3 points = launch_shared_points(params), block(LAUNCH_BLOCK_LINE);
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           SWE_LAUNCH((block_flux_kernel<ORDER, EQUATIONS>), points, block, 0,
                                      launch_stream(execution), *params, h, v1, v2, out)));
    EXCHANGE(cuda, execution, params, EXCHANGE_FOREIGN(out));
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           SWE_LAUNCH((block_damping_kernel<ORDER, EQUATIONS>), points, block, 0,
                                      launch_stream(execution), *params, weight, h, out, v1, v2)));
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(v1), EXCHANGE_GHOSTS(v2));
}

/* ---- the stage ------------------------------------------------------------------------------- */

void swe_damping_cuda(const swe_execution *execution, const swe_params *params, real weight,
                      const real *h, real *v1, real *v2, real *changes)
{
    if (params->decomposition != nullptr) {
        start_damping_of_blocks(execution, params, weight, h, v1, v2, changes);
        return;
    }
    const cudaStream_t stream = launch_stream(execution);
    const dim3 places = launch_lines(params->layout.n + 1, SWE_EDGES), block(LAUNCH_BLOCK_LINE);
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->physics.equations,
                                      SWE_LAUNCH((change_kernel<ORDER, EQUATIONS>), places, block,
                                                 0, stream, *params, weight, h, v1, v2, changes)));
    SWE_WITH_ORDER(params->sbp.order, SWE_LAUNCH((damping_kernel<ORDER>), places, block, 0, stream,
                                                 *params, changes, v1, v2));
}
