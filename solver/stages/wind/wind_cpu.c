#include "stages/exchange.h"
#include "stages/rk4/rk4_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"
#include "stages/wind/wind_point.h"

SWE_CLONES
static void copy_row(int count, const real *in, real *out)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = in[k];
}

/* `count` values of F_k and, if `v` is not NULL, of v_k, from element `at` of a state. */
SWE_POINT void wind_row_of(int terms, const swe_params *params, const swe_wind_factors *factors,
                           ptrdiff_t at, int count, real *SWE_RESTRICT f, real *SWE_RESTRICT v)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        f[k] = wind_sum(terms, params, factors, true, at + k);
    if (v == NULL)
        return;
#pragma omp simd
    for (int k = 0; k < count; k++)
        v[k] = wind_sum(terms, params, factors, false, at + k);
}

SWE_CLONES
static void wind_row(const swe_params *params, const swe_wind_factors *factors, ptrdiff_t at,
                     int count, real *f, real *v)
{
    if (params->physics.wind.terms == 1)
        wind_row_of(1, params, factors, at, count, f, v);
    else
        wind_row_of(SWE_WIND_TERMS, params, factors, at, count, f, v);
}

void swe_wind_cpu(const swe_execution *execution, const swe_params *params, int substep,
                  swe_wind_factors wind, real *f1, real *f2, real *y, real *next)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    real *const v = arrays.out == y ? y : NULL; /* in the last substep */
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        const rows_range cells = rows_cells_of(params->layout.n, b.i);
        copy_row(b.i.last - b.i.first, arrays.in + at, arrays.out + at);
        wind_row(params, &wind, at + field, cells.last - cells.first, f1 + at,
                 v != NULL ? v + at + field : NULL);
        if (j < params->layout.n)
            wind_row(params, &wind, at + 2 * field, b.i.last - b.i.first, f2 + at,
                     v != NULL ? v + at + 2 * field : NULL);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(f1), EXCHANGE_GHOSTS(f2),
             EXCHANGE_BOTH(arrays.out));
    if (v != NULL)
        EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(v + field),
                 EXCHANGE_GHOSTS(v + 2 * field));
}
