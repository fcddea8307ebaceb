#include "stages/dissipation/dissipation_point.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* First pass: x of every panel. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void flow_kernel(const __grid_constant__ swe_view view, const real *h,
                                   const real *f1, const real *f2, dissipation_scratch s)
{
    const launch_point p = launch_point_of(&view);
    const int n = view.layout.n;
    if (!p.exists)
        return;
    real flow0, flow1, flow2;
    dissipation_flow(&view, view.tan_vertex[p.i], view.tan_vertex[p.j],
                     dissipation_scale(EQUATIONS, view.inverse_jacobian[p.in_panel], h + p.at),
                     sbp_pcv(ORDER, SBP_ANYWHERE, &view.sbp, n, p.i, f1 + p.at, 1),
                     sbp_pcv(ORDER, SBP_ANYWHERE, &view.sbp, n, p.j, f2 + p.at, view.layout.pitch),
                     &flow0, &flow1, &flow2);
    s.x[0][p.at] = flow0;
    s.x[1][p.at] = flow1;
    s.x[2][p.at] = flow2;
}

/* Then its mean over the copies of shared points. */
static __global__ void join_flow_kernel(const __grid_constant__ swe_view view,
                                        dissipation_scratch s)
{
    const topology_copies copies = launch_copies(&view);
    if (copies.count > 0)
        dissipation_join_flow(&view, &copies, s.x);
}

/* Second pass: Z of every panel. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void force_kernel(const __grid_constant__ swe_view view, real weight,
                                    const real *h, dissipation_scratch s)
{
    const launch_point p = launch_point_of(&view);
    if (!p.exists)
        return;
    const real inverse_jacobian = view.inverse_jacobian[p.in_panel];
    real spread[3];
    for (int m = 0; m < 3; m++)
        spread[m] =
            dissipation_spread(ORDER, SBP_ANYWHERE, SBP_ANYWHERE, &view, p.j, p.i, s.x[m] + p.at);
    dissipation_force(&view, view.tan_vertex[p.i], view.tan_vertex[p.j], weight,
                      dissipation_scale(EQUATIONS, inverse_jacobian, h + p.at), inverse_jacobian,
                      spread[0], spread[1], spread[2], &s.z[0][p.at], &s.z[1][p.at]);
}

static __global__ void join_force_kernel(const __grid_constant__ swe_view view,
                                         dissipation_scratch s)
{
    const topology_copies copies = launch_copies(&view);
    if (copies.count > 0)
        dissipation_join_force(&view, &copies, s.z[0], s.z[1]);
}

/* Third pass: the velocity. */
template <int ORDER>
static __global__ void slow_kernel(const __grid_constant__ swe_view view, dissipation_scratch s,
                                   real *v1, real *v2)
{
    const launch_point p = launch_point_of(&view);
    if (!p.exists)
        return;
    coriolis_add(ORDER, SBP_ANYWHERE, &view, p.j, p.i, s.z[0] + p.at, s.z[1] + p.at, v1 + p.at,
                 v2 + p.at);
}

void swe_dissipation_cuda(const swe_view *view, real weight, const real *h, const real *f1,
                          const real *f2, real *scratch, real *v1, real *v2)
{
    const dissipation_scratch s = dissipation_scratch_of(view, scratch);
    const cudaStream_t stream = launch_stream(&view->workers);
    const dim3 lines = launch_shared_points(view), line(LAUNCH_BLOCK_LINE);
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_WITH_EQUATIONS(view->equations,
                                      SWE_LAUNCH((flow_kernel<ORDER, EQUATIONS>), launch_grid(view),
                                                 launch_block(), 0, stream, *view, h, f1, f2, s)));
    SWE_LAUNCH(join_flow_kernel, lines, line, 0, stream, *view, s);
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_WITH_EQUATIONS(view->equations, SWE_LAUNCH((force_kernel<ORDER, EQUATIONS>),
                                                                  launch_grid(view), launch_block(),
                                                                  0, stream, *view, weight, h, s)));
    SWE_LAUNCH(join_force_kernel, lines, line, 0, stream, *view, s);
    SWE_WITH_ORDER(view->sbp.order, SWE_LAUNCH((slow_kernel<ORDER>), launch_grid(view),
                                               launch_block(), 0, stream, *view, s, v1, v2));
}
