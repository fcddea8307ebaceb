#include "fields/fields.h"
#include "stages/velocity_point.h"
#include "stages/rk4/rk4_rows.h"
#include "stages/exchange.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void v_row_of(const swe_params *SWE_RESTRICT params, int substep, real weight,
                        ptrdiff_t count, const real *SWE_RESTRICT k, rk4_arrays a)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < count; i++)
        velocity_rk4(params, substep, weight, k[i], rk4_arrays_at(a, i));
}

/* A row of h, field 0, or of a component of the velocity. */
SWE_CLONES
static void row(const swe_params *params, int field, int substep, real weight, ptrdiff_t count,
                const real *k, const rk4_arrays *a)
{
    if (field == 0)
        rk4_row(substep, weight, count, k, *a);
    else
        RK4_WITH_SUBSTEP(substep, v_row_of(params, SUBSTEP, weight, count, k, *a));
}

void swe_rk4_cpu(const swe_execution *execution, const swe_params *params, int substep, real weight,
                 const real *k, real *y, real *next)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    thread_begin(execution);
    for (int m = 0; m < SWE_FLOW_FIELDS; m++)
        FOR_THREAD_ROWS(params, b, j, {
            const ptrdiff_t at = m * field + b.at + j * params->layout.pitch + b.i.first;
            const rk4_arrays at_row = rk4_arrays_at(arrays, at);
            row(params, m, substep, weight, b.i.last - b.i.first, k + at, &at_row);
        });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(arrays.out), EXCHANGE_GHOSTS(arrays.out + field),
             EXCHANGE_GHOSTS(arrays.out + 2 * field));
}
