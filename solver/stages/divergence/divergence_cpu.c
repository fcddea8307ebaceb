#include "stages/divergence/divergence_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* dh at `vertices` of row j. Fields and 1/J point at the first vertex. */
SWE_POINT void divergence_row_in(int order, sbp_region where_j, const swe_params *params,
                                 rows_range vertices, int j,
                                 const real *SWE_RESTRICT inverse_jacobian,
                                 const real *SWE_RESTRICT f1, const real *SWE_RESTRICT f2,
                                 real *SWE_RESTRICT out)
{
    const ptrdiff_t pitch = params->layout.pitch;
    ROWS_ALONG(vertices, rows_vertices(order, params),
               out[k] = divergence_point(DIVERGENCE_STRONG, order, where, where_j, params, j, i,
                                         inverse_jacobian[k], f1 + k, f2 + k, pitch));
}

SWE_CLONES
static void divergence_row(const swe_params *params, rows_range vertices, int j,
                           const real *inverse_jacobian, const real *f1, const real *f2, real *dh)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX(ORDER, params, j,
                                  divergence_row_in(ORDER, (sbp_region)REGION, params, vertices, j,
                                                    inverse_jacobian, f1, f2, dh)));
}

void swe_divergence_cpu(const swe_execution *execution, const swe_params *params, const real *f1,
                        const real *f2, real *dh)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t first = j * params->layout.pitch + b.i.first, at = b.at + first;
        divergence_row(params, b.i, j, params->inverse_jacobian + b.metric + first, f1 + at,
                       f2 + at, dh + at);
    });
    thread_end(execution);
    threads_wait(execution);
}
