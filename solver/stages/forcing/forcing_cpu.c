#include "fields/fields.h"
#include "stages/exchange.h"
#include "stages/forcing/forcing_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* A row of h: `count` values from element `first` of the field. */
SWE_CLONES
static void h_row(const swe_params *params, real weight, real odd, ptrdiff_t first, int count,
                  const real *in, real *out)
{
#pragma omp simd
    for (ptrdiff_t at = first; at < first + count; at++)
        out[at] += weight * forcing_h(params, odd, at, in[at]);
}

/* Rows of v1 and v2. `at` is the element of the row's first vertex, `state` points at its h
 * and `out` at the first value. */
SWE_POINT void v1_row_of(swe_equations equations, int order, const swe_params *params, real weight,
                         real odd, ptrdiff_t at, rows_range cells, const real *SWE_RESTRICT kinetic,
                         const real *SWE_RESTRICT state, real *SWE_RESTRICT out)
{
    ROWS_ALONG(cells, rows_cells(order, params),
               out[k] += weight * forcing_v(equations, order, where, params, odd, SWE_FIELD_V1,
                                            at + k, i, kinetic, state + k, 1));
}

SWE_POINT void v2_row_of(swe_equations equations, int order, sbp_region where,
                         const swe_params *params, real weight, real odd, ptrdiff_t at, int j,
                         int count, const real *SWE_RESTRICT kinetic,
                         const real *SWE_RESTRICT state, real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] += weight * forcing_v(equations, order, where, params, odd, SWE_FIELD_V2, at + k, j,
                                     kinetic, state + k, params->layout.pitch);
}

SWE_CLONES
static void v1_row(const swe_params *params, real weight, real odd, ptrdiff_t at, rows_range cells,
                   const real *kinetic, const real *state, real *out)
{
    SWE_WITH_EQUATIONS(
        params->physics.equations,
        SWE_WITH_ORDER(params->sbp.order, v1_row_of(EQUATIONS, ORDER, params, weight, odd, at,
                                                    cells, kinetic, state, out)));
}

SWE_CLONES
static void v2_row(const swe_params *params, real weight, real odd, ptrdiff_t at, int j, int count,
                   const real *kinetic, const real *state, real *out)
{
    SWE_WITH_EQUATIONS(
        params->physics.equations,
        SWE_WITH_ORDER(params->sbp.order,
                       ROWS_AT_CELL(ORDER, params, j,
                                    v2_row_of(EQUATIONS, ORDER, (sbp_region)REGION, params, weight,
                                              odd, at, j, count, kinetic, state, out))));
}

void swe_forcing_cpu(const swe_execution *execution, const swe_params *params, int substep,
                     real weight, real odd, real *head, real *y, real *next)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    if (params->physics.drag_coefficient != 0.0) {
        swe_bernoulli_cpu(execution, params, NULL, arrays.in + field, arrays.in + 2 * field, head);
        swe_projection_cpu(execution, params, head);
    }
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        const int count = b.i.last - b.i.first;
        h_row(params, weight, odd, at, count, arrays.in, arrays.out);
        if (forcing_has_v(params)) {
            v1_row(params, weight, odd, at, rows_cells_of(params->layout.n, b.i), head,
                   arrays.in + at, arrays.out + field + at);
            if (j < params->layout.n)
                v2_row(params, weight, odd, at, j, count, head, arrays.in + at,
                       arrays.out + 2 * field + at);
        }
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(arrays.out), EXCHANGE_GHOSTS(arrays.out + field),
             EXCHANGE_GHOSTS(arrays.out + 2 * field));
}
