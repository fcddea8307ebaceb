#include "stages/stages.h"
#include "stages/threads_cpu.h"
#include "stages/vorticity/vorticity_rows.h"

/* First pass over row j, and shear_1, which reads that row alone. Fields point at the row. */

SWE_POINT void mean2_row(int order, sbp_region where, const swe_params *params, int j,
                         const real *SWE_RESTRICT v2, real *SWE_RESTRICT mean2)
{
    const int n = params->layout.n;
#pragma omp simd
    for (int k = 0; k <= n; k++)
        mean2[k] = sbp_pcv(order, where, &params->sbp, n, j, v2 + k, params->layout.pitch);
}

SWE_POINT void mean_rows_of_order(int order, const swe_params *params, int j,
                                  const real *SWE_RESTRICT v1, const real *v2,
                                  real *SWE_RESTRICT mean1, real *mean2, real *shear1)
{
    const int n = params->layout.n;
    const rows_range vertices = {0, n + 1}, cells = {0, n};
    ROWS_ALONG(vertices, rows_vertices(order, n),
               mean1[k] = sbp_pcv(order, where, &params->sbp, n, i, v1 + k, 1));
    ROWS_AT_VERTEX(order, n, j, mean2_row(order, (sbp_region)REGION, params, j, v2, mean2));
    vorticity_shear1_row(order, params, cells, mean2, shear1);
}

SWE_CLONES
static void mean_rows(const swe_params *params, int j, const real *v1, const real *v2, real *mean1,
                      real *mean2, real *shear1)
{
    SWE_WITH_ORDER(params->sbp.order,
                   mean_rows_of_order(ORDER, params, j, v1, v2, mean1, mean2, shear1));
}

SWE_CLONES
static void shear2_row(const swe_params *params, int j, const real *mean1, real *shear2)
{
    SWE_WITH_ORDER(params->sbp.order, vorticity_shear2_row(ORDER, params, j, params->layout.n + 1,
                                                           mean1, params->layout.pitch, shear2));
}

/* The vorticity along row j of vertices. */

SWE_POINT void vorticity_row_in(int order, sbp_region where_j, const swe_params *params, int j,
                                const real *SWE_RESTRICT shear1, const real *SWE_RESTRICT shear2,
                                real *SWE_RESTRICT out)
{
    const ptrdiff_t pitch = params->layout.pitch;
    const real *SWE_RESTRICT inverse_jacobian = params->inverse_jacobian + j * pitch;
    const rows_range vertices = {0, params->layout.n + 1};
    ROWS_ALONG(vertices, rows_vertices(order, params->layout.n),
               out[k] = vorticity_point(order, where, where_j, params, j, i, inverse_jacobian[k],
                                        shear1 + k, shear2 + k, pitch));
}

SWE_CLONES
static void vorticity_row(const swe_params *params, int j, const real *shear1, const real *shear2,
                          real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX(ORDER, params->layout.n, j,
                                  vorticity_row_in(ORDER, (sbp_region)REGION, params, j, shear1,
                                                   shear2, out)));
}

void swe_vorticity_cpu(const swe_execution *execution, const swe_params *params, const real *v1,
                       const real *v2, real *mean1, real *mean2, real *shear1, real *shear2,
                       real *vorticity)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, row, j, {
        const ptrdiff_t at = row * params->layout.pitch;
        mean_rows(params, j, v1 + at, v2 + at, mean1 + at, mean2 + at, shear1 + at);
    });
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
    FOR_THREAD_ROWS(params, row, j, {
        const ptrdiff_t at = row * params->layout.pitch;
        if (j < params->layout.n)
            shear2_row(params, j, mean1 + at, shear2 + at);
    });
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
    FOR_THREAD_ROWS(params, row, j, {
        const ptrdiff_t at = row * params->layout.pitch;
        vorticity_row(params, j, shear1 + at, shear2 + at, vorticity + at);
    });
    thread_end(execution);
    threads_wait(execution);
}
