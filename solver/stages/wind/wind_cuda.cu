#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/wind/wind_point.h"

/* One thread for each vertex, with the values of v1, v2, f1 and f2 that have its indices. v: NULL
 * before the last substep. */
static __global__ void wind_kernel(SWE_GRID_CONSTANT(swe_params) params,
                                   SWE_GRID_CONSTANT(swe_wind_factors) wind, const real *in,
                                   real *out, real *f1, real *f2, real *v)
{
    const launch_point p = launch_point_of(&params);
    const ptrdiff_t field = params.layout.field;
    const int terms = params.physics.wind.terms;
    if (!p.exists)
        return;
    out[p.at] = in[p.at];
    if (p.i < params.layout.n) {
        f1[p.at] = wind_sum(terms, &params, &wind, true, field + p.at);
        if (v != NULL)
            v[field + p.at] = wind_sum(terms, &params, &wind, false, field + p.at);
    }
    if (p.j < params.layout.n) {
        f2[p.at] = wind_sum(terms, &params, &wind, true, 2 * field + p.at);
        if (v != NULL)
            v[2 * field + p.at] = wind_sum(terms, &params, &wind, false, 2 * field + p.at);
    }
}

void swe_wind_cuda(const swe_execution *execution, const swe_params *params, int substep,
                   swe_wind_factors wind, real *f1, real *f2, real *y, real *next)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    real *const v = arrays.out == y ? y : NULL;
    SWE_LAUNCH(wind_kernel, launch_grid(params), launch_block(), 0, launch_stream(execution),
               *params, wind, arrays.in, arrays.out, f1, f2, v);
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(f1), EXCHANGE_GHOSTS(f2),
             EXCHANGE_BOTH(arrays.out));
    if (v != NULL)
        EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(v + field),
                 EXCHANGE_GHOSTS(v + 2 * field));
}
