#include "stages/divergence/divergence_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* dh along row j of vertices, at which fields point. */
SWE_POINT void divergence_row_in(int order, sbp_region where_j, const swe_params *params, int j,
                                 const real *SWE_RESTRICT f1, const real *SWE_RESTRICT f2,
                                 real *SWE_RESTRICT out)
{
    const ptrdiff_t pitch = params->layout.pitch;
    const real *SWE_RESTRICT inverse_jacobian = params->inverse_jacobian + j * pitch;
    const rows_range vertices = {0, params->layout.n + 1};
    ROWS_ALONG(vertices, rows_vertices(order, params->layout.n),
               out[k] = divergence_point(DIVERGENCE_STRONG, order, where, where_j, params, j, i,
                                         inverse_jacobian[k], f1 + k, f2 + k, pitch));
}

SWE_CLONES
static void divergence_row(const swe_params *params, int j, const real *f1, const real *f2,
                           real *dh)
{
    SWE_WITH_ORDER(params->sbp.order, ROWS_AT_VERTEX(ORDER, params->layout.n, j,
                                                     divergence_row_in(ORDER, (sbp_region)REGION,
                                                                       params, j, f1, f2, dh)));
}

void swe_divergence_cpu(const swe_execution *execution, const swe_params *params, const real *f1,
                        const real *f2, real *dh)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, row, j, {
        const ptrdiff_t at = row * params->layout.pitch;
        divergence_row(params, j, f1 + at, f2 + at, dh + at);
    });
    thread_end(execution);
    threads_wait(execution);
}
