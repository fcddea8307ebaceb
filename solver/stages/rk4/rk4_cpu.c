#include "fields/fields.h"
#include "stages/rk4/rk4_rows.h"
#include "stages/exchange.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_CLONES
static void row(int substep, real weight, ptrdiff_t count, const real *k, const rk4_arrays *a)
{
    rk4_row(substep, weight, count, k, *a);
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
            row(substep, weight, b.i.last - b.i.first, k + at, &at_row);
        });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(arrays.out), EXCHANGE_GHOSTS(arrays.out + field),
             EXCHANGE_GHOSTS(arrays.out + 2 * field));
}
