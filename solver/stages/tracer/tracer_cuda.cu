#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/limiter/limiter_point.h"
#include "stages/stages.h"
#include "stages/tracer/tracer_point.h"

static __global__ void concentration_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                            const real *q, real *c)
{
    const launch_point p = launch_point_of(&params);
    if (p.exists)
        c[p.at] = tracer_concentration_point(h[p.at], q[p.at]);
}

template <int ORDER>
static __global__ void tracer_flux_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *f1,
                                          const real *f2, const real *c, real *g1, real *g2,
                                          real *e1, real *e2)
{
    const launch_point p = launch_point_of(&params);
    const ptrdiff_t pitch = params.layout.pitch;
    if (!p.exists)
        return;
    if (p.i < params.layout.n) {
        const real f = f1[p.at];
        g1[p.at] = tracer_flux_point(ORDER, SBP_ANYWHERE, &params, p.i, f, c + p.at, 1);
        e1[p.at] = tracer_slope_point(ORDER, SBP_ANYWHERE, &params, p.i, f, c + p.at, 1);
    }
    if (p.j < params.layout.n) {
        const real f = f2[p.at];
        g2[p.at] = tracer_flux_point(ORDER, SBP_ANYWHERE, &params, p.j, f, c + p.at, pitch);
        e2[p.at] = tracer_slope_point(ORDER, SBP_ANYWHERE, &params, p.j, f, c + p.at, pitch);
    }
}

/* Add a value times the weight, or begin with it. */
static inline __device__ void add_flux(bool is_first, real weight, real value, real *to)
{
    *to = (is_first ? 0 : *to) + weight * value;
}

/* Q and M of a cut; arrays point at its low vertex. */
template <int ORDER>
static __device__ limiter_fluxes fluxes_at(const swe_params *params, int cut, const real *c,
                                           const real *f, const real *g, const real *e, ptrdiff_t s)
{
    const int n = params->layout.n, is_low = limiter_is_low(n, cut);
    if (limiter_is_inside(ORDER, n, cut))
        return {limiter_flux_inside(ORDER, c, f, g, e, s), limiter_mass_inside(ORDER, f, s)};
    limiter_fluxes sum = {0, 0};
    for (int v = is_low ? 0 : n; is_low ? v <= cut : v > cut; v += is_low ? 1 : -1) {
        const ptrdiff_t at = (v - cut) * s;
        limiter_add_vertex(ORDER, params, v, c + at, f + at, g + at, e + at, s, &sum);
    }
    return limiter_fluxes_of(n, cut, sum);
}

/* Add the fluxes of a substep to the fields of a limited tracer, in whose first substep also c. */
template <int ORDER>
static __global__ void limiter_flux_kernel(SWE_GRID_CONSTANT(swe_params) params, bool is_first,
                                           real weight, const real *f1, const real *f2,
                                           const real *c, const real *g1, const real *g2,
                                           const real *e1, const real *e2, real *limited)
{
    const launch_point p = launch_point_of(&params);
    const ptrdiff_t field = params.layout.field, pitch = params.layout.pitch;
    if (!p.exists)
        return;
    real *const at = limited + p.at;
    if (is_first)
        at[LIMITER_BEFORE * field] = c[p.at];
    if (p.i < params.layout.n) {
        const limiter_fluxes fluxes =
            fluxes_at<ORDER>(&params, p.i, c + p.at, f1 + p.at, g1 + p.at, e1 + p.at, 1);
        add_flux(is_first, weight, fluxes.q, at + LIMITER_Q1 * field);
        add_flux(is_first, weight, fluxes.m, at + LIMITER_M1 * field);
    }
    if (p.j < params.layout.n) {
        const limiter_fluxes fluxes =
            fluxes_at<ORDER>(&params, p.j, c + p.at, f2 + p.at, g2 + p.at, e2 + p.at, pitch);
        add_flux(is_first, weight, fluxes.q, at + LIMITER_Q2 * field);
        add_flux(is_first, weight, fluxes.m, at + LIMITER_M2 * field);
    }
}

template <int ORDER>
static __global__ void tracer_kernel(SWE_GRID_CONSTANT(swe_params) params, int substep, real weight,
                                     swe_growth growth, const real *h, const real *f1,
                                     const real *f2, const real *c, const real *g1, const real *g2,
                                     const real *e1, const real *e2, rk4_arrays q)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    const real terms1 = tracer_terms_point(ORDER, SBP_ANYWHERE, &params, p.i, c[p.at], f1 + p.at,
                                           g1 + p.at, e1 + p.at, 1);
    const real terms2 = tracer_terms_point(ORDER, SBP_ANYWHERE, &params, p.j, c[p.at], f2 + p.at,
                                           g2 + p.at, e2 + p.at, params.layout.pitch);
    rk4_point(substep, weight,
              tracer_tendency_point(&params, params.inverse_jacobian[p.metric], terms1, terms2),
              rk4_arrays_at(q, p.at));
    if (growth.is_any)
        q.out[p.at] += weight * tracer_growth_point(growth, h[p.at], q.in[p.at]);
}

void swe_tracer_cuda(const swe_execution *execution, const swe_params *params, int field,
                     int substep, real weight, swe_growth growth, const real *f1, const real *f2,
                     real *c, real *g1, real *g2, real *e1, real *e2, real *limited, real *y,
                     real *next)
{
    const cudaStream_t stream = launch_stream(execution);
    const rk4_arrays state = rk4_arrays_of(params, substep, y, next);
    const rk4_arrays q = rk4_arrays_at(state, field * params->layout.field);
    SWE_LAUNCH(concentration_kernel, launch_grid(params), launch_block(), 0, stream, *params,
               state.in, q.in, c);
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(c));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((tracer_flux_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              stream, *params, f1, f2, c, g1, g2, e1, e2));
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(g1), EXCHANGE_GHOSTS(g2), EXCHANGE_GHOSTS(e1),
             EXCHANGE_GHOSTS(e2));
    if (limited != NULL)
        SWE_WITH_ORDER(params->sbp.order,
                       SWE_LAUNCH((limiter_flux_kernel<ORDER>), launch_grid(params), launch_block(),
                                  0, stream, *params, substep == 0, limiter_weight(substep, weight),
                                  f1, f2, c, g1, g2, e1, e2, limited));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((tracer_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              stream, *params, substep, weight, growth, state.in, f1, f2, c, g1, g2,
                              e1, e2, q));
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(q.out));
}
