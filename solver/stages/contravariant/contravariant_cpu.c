#include "stages/contravariant/contravariant_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* First pass over row j, and F1, whose cross term is in the same row. Fields point at the row. */
SWE_POINT void cross_rows_of(swe_equations equations, int order, const swe_params *params, int j,
                             const real *h, const real *v1, const real *v2, real *cross1,
                             real *cross2, real *f1)
{
    const int n = params->layout.n;
    const ptrdiff_t row = j * params->layout.pitch;
    const rows_range vertices = {0, n + 1}, cells = {0, n};
    contravariant_cross1_row(equations, order, params, vertices, params->metric12 + row, h, v1,
                             cross1);
    contravariant_cross2_row(equations, order, params, j, n + 1, params->metric12 + row, h, v2,
                             cross2);
    contravariant_flux1_row(equations, order, params, cells, params->metric11 + row, h, v1, cross2,
                            f1);
}

SWE_CLONES
static void cross_rows(const swe_params *params, int j, const real *h, const real *v1,
                       const real *v2, real *cross1, real *cross2, real *f1)
{
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->equations, cross_rows_of(EQUATIONS, ORDER, params, j, h, v1, v2,
                                                            cross1, cross2, f1)));
}

SWE_CLONES
static void flux2_row(const swe_params *params, int j, const real *h, const real *v2,
                      const real *cross1, real *f2)
{
    const int places = params->layout.n + 1;
    const ptrdiff_t pitch = params->layout.pitch;
    const real *metric22 = params->metric22 + j * pitch;
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->equations,
                                      contravariant_flux2_row(EQUATIONS, ORDER, params, j, places,
                                                              metric22, h, v2, cross1, pitch, f2)));
}

void swe_contravariant_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                           const real *v1, const real *v2, real *cross1, real *cross2, real *f1,
                           real *f2)
{
    thread_begin(execution);
    FOR_OWN_ROWS(params, row, j, {
        const ptrdiff_t at = row * params->layout.pitch;
        cross_rows(params, j, h + at, v1 + at, v2 + at, cross1 + at, cross2 + at, f1 + at);
    });
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
    FOR_OWN_ROWS(params, row, j, {
        const ptrdiff_t at = row * params->layout.pitch;
        if (j < params->layout.n)
            flux2_row(params, j, h + at, v2 + at, cross1 + at, f2 + at);
    });
    thread_end(execution);
    threads_wait(execution);
}
