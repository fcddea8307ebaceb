#include "stages/contravariant/contravariant_tile_cuda.h"
#include "stages/dissipation/dissipation_point.h"
#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* x at a point: components along the three axes. */
struct flow_values {
    real x0, x1, x2;
};

/* First pass: x of every panel. h, v1, v2 and s point at the panel. */
template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void compute_flow(const swe_params *params, const tile &t, const real *h,
                                    const real *v1, const real *v2, dissipation_scratch s,
                                    flux_tile<ORDER> &w)
{
    enum { UP = tile_shape<ORDER>::I };
    const int n = params->layout.n;
    const int first_i = t.i[TILE_OWN].first, cell_i = t.i[TILE_CELLS].first;
    const int first_j = t.j[TILE_OWN].first, cell_j = t.j[TILE_CELLS].first;
    compute_flux_tile<ORDER, EQUATIONS, WHERE>(params, t, h, tile_velocity_of(params, t, v1, v2),
                                               w);
    for_tile_points<ORDER, WHERE, TILE_OWN, TILE_OWN>(
        t,
        [&](int j, int i, int row, int column) {
            const int at = place_of(params, t, j, i);
            const real *flux1 = &w.flux1[row][i - cell_i], *flux2 = &w.flux2[j - cell_j][column];
            flow_values flow;
            dissipation_flow(params, params->tan_vertex[i], params->tan_vertex[j],
                             dissipation_density(EQUATIONS, params->inverse_jacobian[at], h + at),
                             sbp_pcv(ORDER, WHERE, &params->sbp, n, i, flux1, 1),
                             sbp_pcv(ORDER, WHERE, &params->sbp, n, j, flux2, UP), &flow.x0,
                             &flow.x1, &flow.x2);
            return flow;
        },
        [&](int row, int column, const flow_values &flow) {
            const int at = place_of(params, t, first_j + row, first_i + column);
            s.x[0][at] = flow.x0;
            s.x[1][at] = flow.x1;
            s.x[2][at] = flow.x2;
        });
}

/* Least blocks of a multiprocessor: a thread may then have 80 registers. */
enum { FLOW_BLOCKS = 3 };

template <int ORDER, swe_equations EQUATIONS>
static __device__ __forceinline__ void flow_of_part(const swe_params *params, const swe_block &part,
                                                    const real *h, const real *v1, const real *v2,
                                                    dissipation_scratch s, flux_tile<ORDER> &w)
{
    const int n = params->layout.n;
    tile t;
    if (!tile_of<ORDER>(n, part, &t))
        return;
    const ptrdiff_t at = t.field;
    const dissipation_scratch own = {{s.x[0] + at, s.x[1] + at, s.x[2] + at},
                                     {s.z[0] + at, s.z[1] + at}};
    if (is_inside<ORDER>(n, t))
        compute_flow<ORDER, EQUATIONS, SBP_INTERIOR>(params, t, h + at, v1 + at, v2 + at, own, w);
    else
        compute_flow<ORDER, EQUATIONS, SBP_ANYWHERE>(params, t, h + at, v1 + at, v2 + at, own, w);
}

/* x: panels, or blocks of panels; y, z: tiles (tiles_cuda.h). */

template <int ORDER, swe_equations EQUATIONS>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TILE, FLOW_BLOCKS)
    flow_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h, const real *v1, const real *v2,
                dissipation_scratch s)
{
    __shared__ flux_tile<ORDER> w;
    flow_of_part<ORDER, EQUATIONS>(&params, launch_panel_of(&params, (int)blockIdx.x), h, v1, v2, s,
                                   w);
}

template <int ORDER, swe_equations EQUATIONS>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TILE, FLOW_BLOCKS)
    block_flow_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h, const real *v1,
                      const real *v2, dissipation_scratch s)
{
    __shared__ flux_tile<ORDER> w;
    flow_of_part<ORDER, EQUATIONS>(&params, launch_block_of(&params, (int)blockIdx.x), h, v1, v2, s,
                                   w);
}

template <int ORDER, swe_equations EQUATIONS>
static void start_flow(const swe_execution *execution, const swe_params *params, const real *h,
                       const real *v1, const real *v2, dissipation_scratch s)
{
    const dim3 grid = tiles_grid<ORDER>(params);
    if (params->decomposition != nullptr)
        SWE_LAUNCH((block_flow_kernel<ORDER, EQUATIONS>), grid, tiles_block(), 0,
                   launch_stream(execution), *params, h, v1, v2, s);
    else
        SWE_LAUNCH((flow_kernel<ORDER, EQUATIONS>), grid, tiles_block(), 0,
                   launch_stream(execution), *params, h, v1, v2, s);
}

/* Then the average of x over the copies of shared points. */
static __global__ void project_flow_kernel(SWE_GRID_CONSTANT(swe_params) params,
                                           dissipation_scratch s)
{
    const topology_copies copies = launch_copies(&params);
    if (copies.count > 0)
        dissipation_project_flow(&copies, s.x);
}

/* The dissipation operator with the degree of the closure in use. */
template <int ORDER>
static __device__ real spread_of(const swe_params *params, const launch_point &p, const real *x)
{
    enum { NARROW = ORDER / 2 + 1 };
    return params->sbp.degree == (int)NARROW
               ? dissipation_spread(ORDER, NARROW, SBP_ANYWHERE, SBP_ANYWHERE, params, p.j, p.i, x)
               : dissipation_spread(ORDER, SBP_DEGREE_MOVED, SBP_ANYWHERE, SBP_ANYWHERE, params,
                                    p.j, p.i, x);
}

/* Second pass: Z of every panel. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void force_kernel(SWE_GRID_CONSTANT(swe_params) params, real weight,
                                    const real *h, dissipation_scratch s)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    const real inverse_jacobian = params.inverse_jacobian[p.metric];
    real spread[3];
    SWE_UNROLL for (int m = 0; m < 3; m++) spread[m] = spread_of<ORDER>(&params, p, s.x[m] + p.at);
    dissipation_force(&params, params.tan_vertex[p.i], params.tan_vertex[p.j], weight,
                      dissipation_density(EQUATIONS, inverse_jacobian, h + p.at), inverse_jacobian,
                      spread[0], spread[1], spread[2], &s.z[0][p.at], &s.z[1][p.at]);
}

static __global__ void project_force_kernel(SWE_GRID_CONSTANT(swe_params) params,
                                            dissipation_scratch s)
{
    const topology_copies copies = launch_copies(&params);
    if (copies.count > 0)
        dissipation_project_force(&params, &copies, s.z[0], s.z[1]);
}

/* Third pass: the velocity. */
template <int ORDER>
static __global__ void slow_kernel(SWE_GRID_CONSTANT(swe_params) params, dissipation_scratch s,
                                   real *v1, real *v2)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    coriolis_add(ORDER, SBP_ANYWHERE, &params, p.j, p.i, s.z[0] + p.at, s.z[1] + p.at, v1 + p.at,
                 v2 + p.at);
}

void swe_dissipation_cuda(const swe_execution *execution, const swe_params *params, real weight,
                          const real *h, real *v1, real *v2, real *scratch)
{
    const dissipation_scratch s = dissipation_scratch_of(params, scratch);
    const cudaStream_t stream = launch_stream(execution);
    const dim3 lines = launch_shared_points(params), line(LAUNCH_BLOCK_LINE);
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           (start_flow<ORDER, EQUATIONS>)(execution, params, h, v1, v2, s)));
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(s.x[0]), EXCHANGE_BOTH(s.x[1]),
             EXCHANGE_BOTH(s.x[2]));
    SWE_LAUNCH(project_flow_kernel, lines, line, 0, stream, *params, s);
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           SWE_LAUNCH((force_kernel<ORDER, EQUATIONS>), launch_grid(params),
                                      launch_block(), 0, stream, *params, weight, h, s)));
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(s.z[0]), EXCHANGE_BOTH(s.z[1]));
    SWE_LAUNCH(project_force_kernel, lines, line, 0, stream, *params, s);
    SWE_WITH_ORDER(params->sbp.order, SWE_LAUNCH((slow_kernel<ORDER>), launch_grid(params),
                                                 launch_block(), 0, stream, *params, s, v1, v2));
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(v1), EXCHANGE_GHOSTS(v2));
}
