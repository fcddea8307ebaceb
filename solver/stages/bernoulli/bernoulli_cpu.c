#include "stages/bernoulli/bernoulli_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* The head along row j of vertices, at which fields point. */
SWE_POINT void bernoulli_row_in(int order, sbp_region where_j, const swe_params *params, int j,
                                const real *SWE_RESTRICT h, const real *SWE_RESTRICT bottom,
                                const real *SWE_RESTRICT v1, const real *SWE_RESTRICT v2,
                                real *SWE_RESTRICT head)
{
    const int n = params->layout.n;
    const ptrdiff_t pitch = params->layout.pitch;
    const rows_range vertices = {0, n + 1};
    ROWS_ALONG(vertices, rows_vertices(order, n),
               head[k] =
                   bernoulli_point(params, j * pitch + i, h[k], bottom[k],
                                   bernoulli_squares(order, where, where_j, params, j, i,
                                                     j * pitch + i, v1 + k, v2 + k),
                                   sbp_pcv(order, where, &params->sbp, n, i, v1 + k, 1),
                                   sbp_pcv(order, where_j, &params->sbp, n, j, v2 + k, pitch)));
}

/* Both closures along j share one form: with a form for each, clang does not vectorise the rows. */
SWE_CLONES
static void bernoulli_row(const swe_params *params, int j, const real *h, const real *bottom,
                          const real *v1, const real *v2, real *head)
{
    SWE_WITH_ORDER(
        params->sbp.order,
        ROWS_AT_VERTEX(ORDER, params->layout.n, j,
                       bernoulli_row_in(
                           ORDER, (sbp_region)REGION == SBP_INTERIOR ? SBP_INTERIOR : SBP_ANYWHERE,
                           params, j, h, bottom, v1, v2, head)));
}

void swe_bernoulli_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                       const real *v1, const real *v2, real *head)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, row, j, {
        const ptrdiff_t at = row * params->layout.pitch;
        bernoulli_row(params, j, h + at, params->bottom + at, v1 + at, v2 + at, head + at);
    });
    thread_end(execution);
    threads_wait(execution);
}
