#include "fields/fields.h"
#include "stages/exchange.h"
#include "stages/forcing/forcing_point.h"
#include "stages/launch_cuda.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"

/* One thread for each vertex, with the values of v1 and v2 that have its indices. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void forcing_kernel(SWE_GRID_CONSTANT(swe_params) params, real weight, real odd,
                                      const real *kinetic, const real *in, real *out)
{
    const launch_point p = launch_point_of(&params);
    const ptrdiff_t field = params.layout.field;
    if (!p.exists)
        return;
    out[p.at] += weight * forcing_h(&params, odd, p.at, in[p.at]);
    if (!forcing_has_v(&params))
        return;
    if (p.i < params.layout.n)
        out[field + p.at] += weight * forcing_v(EQUATIONS, ORDER, SBP_ANYWHERE, &params, odd,
                                                SWE_FIELD_V1, p.at, p.i, kinetic, in + p.at, 1);
    if (p.j < params.layout.n)
        out[2 * field + p.at] +=
            weight * forcing_v(EQUATIONS, ORDER, SBP_ANYWHERE, &params, odd, SWE_FIELD_V2, p.at,
                               p.j, kinetic, in + p.at, params.layout.pitch);
}

void swe_forcing_cuda(const swe_execution *execution, const swe_params *params, int substep,
                      real weight, real odd, real *head, real *y, real *next)
{
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    const real *v1 = arrays.in + params->layout.field;
    if (params->physics.drag_coefficient != 0.0) {
        swe_bernoulli_cuda(execution, params, NULL, v1, v1 + params->layout.field, head);
        swe_projection_cuda(execution, params, head);
    }
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           SWE_LAUNCH((forcing_kernel<ORDER, EQUATIONS>), launch_grid(params),
                                      launch_block(), 0, launch_stream(execution), *params, weight,
                                      odd, head, arrays.in, arrays.out)));
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(arrays.out),
             EXCHANGE_GHOSTS(arrays.out + params->layout.field),
             EXCHANGE_GHOSTS(arrays.out + 2 * params->layout.field));
}
