#include "stages/coriolis/coriolis_point.h"
#include "stages/launch_cuda.h"
#include "stages/viscosity/viscosity_calls.h"

/* z of viscosity_backend. */
struct viscous_fields {
    real *x, *y, *z;
};

/* One thread for each vertex. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void viscous_flow_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                           const real *f1, const real *f2, viscous_fields fields)
{
    const launch_point p = launch_point_of(&params);
    const int n = params.layout.n;
    if (!p.exists)
        return;
    const viscosity_frame frame =
        viscosity_frame_of(launch_part_of(&params, (int)blockIdx.z).panel);
    viscosity_flow(
        EQUATIONS, &params, &frame, params.tan_vertex[p.i], params.tan_vertex[p.j], h + p.at,
        sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.i, f1 + p.at, 1),
        sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.j, f2 + p.at, params.layout.pitch),
        fields.x + p.at, fields.y + p.at, fields.z + p.at);
}

template <swe_equations EQUATIONS>
static __global__ void viscous_force_kernel(SWE_GRID_CONSTANT(swe_params) params, bool is_last,
                                            real weight, const real *h, viscous_fields fields)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    const viscosity_frame frame =
        viscosity_frame_of(launch_part_of(&params, (int)blockIdx.z).panel);
    viscosity_force(EQUATIONS, is_last, &params, &frame, params.tan_vertex[p.i],
                    params.tan_vertex[p.j], weight, h + p.at, fields.x + p.at, fields.y + p.at,
                    fields.z + p.at);
}

template <int ORDER>
static __global__ void viscous_add_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *z1,
                                          const real *z2, real *v1, real *v2)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    coriolis_add(ORDER, SBP_ANYWHERE, &params, p.j, p.i, z1 + p.at, z2 + p.at, v1 + p.at,
                 v2 + p.at);
}

static __global__ void viscous_scalar_kernel(SWE_GRID_CONSTANT(swe_params) params, bool is_advected,
                                             const real *h, const real *in, real *out)
{
    const launch_point p = launch_point_of(&params);
    if (p.exists)
        out[p.at] = is_advected ? tracer_concentration_point(h[p.at], in[p.at])
                                : viscosity_surface(&params, p.at, in[p.at]);
}

static __global__ void viscous_add_scalar_kernel(SWE_GRID_CONSTANT(swe_params) params, real weight,
                                                 const real *in, real *out)
{
    const launch_point p = launch_point_of(&params);
    if (p.exists)
        out[p.at] += weight * in[p.at];
}

static void start_flow(const swe_execution *execution, const swe_params *params, const real *h,
                       const real *f1, const real *f2, real *const z[3])
{
    const viscous_fields fields = {z[0], z[1], z[2]};
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           SWE_LAUNCH((viscous_flow_kernel<ORDER, EQUATIONS>), launch_grid(params),
                                      launch_block(), 0, launch_stream(execution), *params, h, f1,
                                      f2, fields)));
}

static void start_force(const swe_execution *execution, const swe_params *params, bool is_last,
                        real weight, const real *h, real *const z[3])
{
    const viscous_fields fields = {z[0], z[1], z[2]};
    SWE_WITH_EQUATIONS(params->physics.equations,
                       SWE_LAUNCH((viscous_force_kernel<EQUATIONS>), launch_grid(params),
                                  launch_block(), 0, launch_stream(execution), *params, is_last,
                                  weight, h, fields));
}

static void start_scalar(const swe_execution *execution, const swe_params *params, bool is_advected,
                         const real *h, const real *in, real *out)
{
    SWE_LAUNCH(viscous_scalar_kernel, launch_grid(params), launch_block(), 0,
               launch_stream(execution), *params, is_advected, h, in, out);
}

static void start_add_scalar(const swe_execution *execution, const swe_params *params, real weight,
                             const real *in, real *out)
{
    SWE_LAUNCH(viscous_add_scalar_kernel, launch_grid(params), launch_block(), 0,
               launch_stream(execution), *params, weight, in, out);
}

static void start_add(const swe_execution *execution, const swe_params *params, const real *z1,
                      const real *z2, real *v1, real *v2)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((viscous_add_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              launch_stream(execution), *params, z1, z2, v1, v2));
}

void swe_viscosity_cuda(const swe_execution *execution, const swe_params *params, int substep,
                        real weight, const swe_work *work, real *y, real *next)
{
    static const viscosity_backend cuda = {&swe_stages_cuda, swe_exchange_cuda, start_flow,
                                           start_force,      start_scalar,      start_add_scalar,
                                           start_add};
    viscosity_run(&cuda, execution, params, substep, weight, work, y, next);
}
