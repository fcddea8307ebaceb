#include "stages/exchange.h"
#include "stages/stages.h"
#include "stages/tiles_cpu.h"
#include "stages/vorticity/vorticity_rows.h"

/* First pass over row j, and shear_1, which reads that row alone. Fields point at column 0 of the
 * panel. */

SWE_POINT void mean2_row(int order, sbp_region where, const swe_params *params, rows_range vertices,
                         int j, const real *SWE_RESTRICT v2, real *SWE_RESTRICT mean2)
{
    const int n = params->layout.n;
#pragma omp simd
    for (int k = vertices.first; k < vertices.last; k++)
        mean2[k] = sbp_pcv(order, where, &params->sbp, n, j, v2 + k, params->layout.pitch);
}

SWE_POINT void mean1_row(int order, const swe_params *params, rows_range vertices,
                         const real *SWE_RESTRICT v1, real *SWE_RESTRICT mean1)
{
    const int n = params->layout.n;
    ROWS_ALONG(vertices, rows_vertices(order, params),
               mean1[k] = sbp_pcv(order, where, &params->sbp, n, i, v1 + k, 1));
}

SWE_POINT void mean_rows_of_order(int order, const swe_params *params, rows_range vertices, int j,
                                  const real *v1, const real *v2, real *mean1, real *mean2,
                                  real *shear1)
{
    const int n = params->layout.n;
    const rows_range cells = rows_cells_of(n, vertices),
                     read = tiles_vertices(order, params, cells);
    mean1_row(order, params, vertices, v1 + vertices.first, mean1 + vertices.first);
    ROWS_AT_VERTEX(order, params, j,
                   mean2_row(order, (sbp_region)REGION, params, read, j, v2, mean2));
    vorticity_shear1_row(order, params, cells, mean2 + cells.first, shear1 + cells.first);
}

SWE_CLONES
static void mean_rows(const swe_params *params, rows_range vertices, int j, const real *v1,
                      const real *v2, real *mean1, real *mean2, real *shear1)
{
    SWE_WITH_ORDER(params->sbp.order,
                   mean_rows_of_order(ORDER, params, vertices, j, v1, v2, mean1, mean2, shear1));
}

SWE_CLONES
static void shear2_of_row(const swe_params *params, int count, int j, const real *mean1,
                          real *shear2)
{
    SWE_WITH_ORDER(params->sbp.order, vorticity_shear2_row(ORDER, params, j, count, mean1,
                                                           params->layout.pitch, shear2));
}

/* The vorticity at `vertices` of row j. Fields and 1/J point at the first vertex. */

SWE_POINT void vorticity_row_in(int order, sbp_region where_j, const swe_params *params,
                                rows_range vertices, int j,
                                const real *SWE_RESTRICT inverse_jacobian,
                                const real *SWE_RESTRICT shear1, const real *SWE_RESTRICT shear2,
                                real *SWE_RESTRICT out)
{
    const ptrdiff_t pitch = params->layout.pitch;
    ROWS_ALONG(vertices, rows_vertices(order, params),
               out[k] = vorticity_point(order, where, where_j, params, j, i, inverse_jacobian[k],
                                        shear1 + k, shear2 + k, pitch));
}

SWE_CLONES
static void vorticity_row(const swe_params *params, rows_range vertices, int j,
                          const real *inverse_jacobian, const real *shear1, const real *shear2,
                          real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX(ORDER, params, j,
                                  vorticity_row_in(ORDER, (sbp_region)REGION, params, vertices, j,
                                                   inverse_jacobian, shear1, shear2, out)));
}

void swe_vorticity_cpu(const swe_execution *execution, const swe_params *params, const real *v1,
                       const real *v2, real *mean1, real *mean2, real *shear1, real *shear2,
                       real *vorticity)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch;
        mean_rows(params, b.i, j, v1 + at, v2 + at, mean1 + at, mean2 + at, shear1 + at);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(mean1));
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        if (j < params->layout.n)
            shear2_of_row(params, b.i.last - b.i.first, j, mean1 + at, shear2 + at);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(shear1), EXCHANGE_GHOSTS(shear2));
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t first = j * params->layout.pitch + b.i.first, at = b.at + first;
        vorticity_row(params, b.i, j, params->inverse_jacobian + b.metric + first, shear1 + at,
                      shear2 + at, vorticity + at);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(vorticity));
}
