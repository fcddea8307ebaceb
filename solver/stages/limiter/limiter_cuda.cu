#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/limiter/limiter_point.h"
#include "stages/stages.h"

static __global__ void antidiffusive_kernel(SWE_GRID_CONSTANT(swe_params) params,
                                            const real *before, const real *m1, const real *m2,
                                            real *a1, real *a2)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    if (p.i < params.layout.n)
        a1[p.at] = limiter_antidiffusive(a1[p.at], m1[p.at], before + p.at, 1);
    if (p.j < params.layout.n)
        a2[p.at] = limiter_antidiffusive(a2[p.at], m2[p.at], before + p.at, params.layout.pitch);
}

static __global__ void limiter_divergence_kernel(SWE_GRID_CONSTANT(swe_params) params, real sign,
                                                 const real *a1, const real *a2, real *q)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    const limiter_place place =
        limiter_place_of(&params, params.inverse_jacobian[p.metric], p.i, p.j);
    q[p.at] += sign * limiter_divergence(&place, a1 + p.at, a2 + p.at);
}

static __global__ void limiter_parts_kernel(SWE_GRID_CONSTANT(swe_params) params, swe_bounds bounds,
                                            const real *before, const real *h, const real *q,
                                            const real *a1, const real *a2, real *in, real *out)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    const limiter_place place =
        limiter_place_of(&params, params.inverse_jacobian[p.metric], p.i, p.j);
    const limiter_parts parts =
        limiter_parts_at(params.physics.limiter, bounds, &place, before + p.at, h[p.at], q[p.at],
                         a1 + p.at, a2 + p.at);
    in[p.at] = parts.in;
    out[p.at] = parts.out;
}

static __global__ void limited_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *in,
                                      const real *out, real *a1, real *a2)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    if (p.i < params.layout.n)
        a1[p.at] = limiter_limited(a1[p.at], in + p.at, out + p.at, 1);
    if (p.j < params.layout.n)
        a2[p.at] = limiter_limited(a2[p.at], in + p.at, out + p.at, params.layout.pitch);
}

/* Add the divergence of the fluxes to q, or take it, and project q. */
static void add_divergence(const swe_execution *execution, const swe_params *params, real sign,
                           const real *a1, const real *a2, real *q)
{
    SWE_LAUNCH(limiter_divergence_kernel, launch_grid(params), launch_block(), 0,
               launch_stream(execution), *params, sign, a1, a2, q);
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(q));
    swe_projection_cuda(execution, params, q);
}

void swe_limiter_cuda(const swe_execution *execution, const swe_params *params, int field,
                      swe_bounds bounds, real *limited_fields, real *in, real *out, real *y)
{
    const cudaStream_t stream = launch_stream(execution);
    const ptrdiff_t size = params->layout.field;
    real *const before = limited_fields, *const q = y + field * size;
    real *const a1 = before + LIMITER_Q1 * size, *const a2 = before + LIMITER_Q2 * size;
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(before));
    SWE_LAUNCH(antidiffusive_kernel, launch_grid(params), launch_block(), 0, stream, *params,
               before, before + LIMITER_M1 * size, before + LIMITER_M2 * size, a1, a2);
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(a1), EXCHANGE_GHOSTS(a2));
    add_divergence(execution, params, 1, a1, a2, q);
    SWE_LAUNCH(limiter_parts_kernel, launch_grid(params), launch_block(), 0, stream, *params,
               bounds, before, y, q, a1, a2, in, out);
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(in), EXCHANGE_GHOSTS(out));
    SWE_LAUNCH(limited_kernel, launch_grid(params), launch_block(), 0, stream, *params, in, out, a1,
               a2);
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(a1), EXCHANGE_GHOSTS(a2));
    add_divergence(execution, params, -1, a1, a2, q);
}
