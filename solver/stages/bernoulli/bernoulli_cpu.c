#include "stages/bernoulli/bernoulli_point.h"
#include "stages/rows_cpu.h"
#include "stages/exchange.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* The head at `vertices` of row j; without the surface K/g. Fields point at the first vertex, whose
 * offset in metric terms is `metric`. */
SWE_POINT void bernoulli_row_in(int order, sbp_region where_j, bool has_surface,
                                const swe_params *params, rows_range vertices, int j,
                                ptrdiff_t metric, const real *SWE_RESTRICT h,
                                const real *SWE_RESTRICT bottom, const real *SWE_RESTRICT v1,
                                const real *SWE_RESTRICT v2, real *SWE_RESTRICT head)
{
    const int n = params->layout.n;
    const ptrdiff_t pitch = params->layout.pitch;
    ROWS_ALONG(
        vertices, rows_vertices(order, params),
        head[k] = bernoulli_point(
            params, metric + k, has_surface ? h[k] : (real)0, has_surface ? bottom[k] : (real)0,
            bernoulli_squares(order, where, where_j, params, j, i, metric + k, v1 + k, v2 + k),
            sbp_pcv(order, where, &params->sbp, n, i, v1 + k, 1),
            sbp_pcv(order, where_j, &params->sbp, n, j, v2 + k, pitch)));
}

SWE_CLONES
static void bernoulli_row(const swe_params *params, rows_range vertices, int j, ptrdiff_t metric,
                          const real *h, const real *bottom, const real *v1, const real *v2,
                          real *head)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX(ORDER, params, j,
                                  bernoulli_row_in(ORDER, (sbp_region)REGION, true, params,
                                                   vertices, j, metric, h, bottom, v1, v2, head)));
}

SWE_CLONES
static void kinetic_row(const swe_params *params, rows_range vertices, int j, ptrdiff_t metric,
                        const real *v1, const real *v2, real *head)
{
    SWE_WITH_ORDER(params->sbp.order, bernoulli_row_in(ORDER, SBP_ANYWHERE, false, params, vertices,
                                                       j, metric, NULL, NULL, v1, v2, head));
}

void swe_bernoulli_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                       const real *v1, const real *v2, real *head)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t first = j * params->layout.pitch + b.i.first, at = b.at + first;
        if (h != NULL)
            bernoulli_row(params, b.i, j, b.metric + first, h + at, params->bottom + at, v1 + at,
                          v2 + at, head + at);
        else
            kinetic_row(params, b.i, j, b.metric + first, v1 + at, v2 + at, head + at);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(head));
}
