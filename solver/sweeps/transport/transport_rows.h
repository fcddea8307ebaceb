/* Rows of the first sweep (transport_point.h), of any region, in sections. Fields point at the
 * first value of a section. Each loop is a separate function, compiled for all orders and
 * instruction sets: in one large function the compiler spills addresses out of registers. */
#ifndef SWE_SWEEPS_TRANSPORT_ROWS_H
#define SWE_SWEEPS_TRANSPORT_ROWS_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/rk4/rk4_rows.h"
#include "stages/stages.h"
#include "sweeps/transport/transport_row_cpu.h"
#include "stages/vorticity/vorticity_rows.h"

/* Pcv_k v_k and its cross term. */

SWE_POINT void mean1_row_of(swe_equations equations, int order, const swe_params *params,
                            rows_range vertices, const real *SWE_RESTRICT metric12,
                            const real *SWE_RESTRICT h, const real *SWE_RESTRICT v1,
                            real *SWE_RESTRICT mean1, real *SWE_RESTRICT cross1)
{
    const int n = params->layout.n;
    ROWS_ALONG(vertices, rows_vertices(order, params), {
        mean1[k] = sbp_pcv(order, where, &params->sbp, n, i, v1 + k, 1);
        cross1[k] = contravariant_cross(equations, metric12[k], h + k, mean1[k]);
    });
}

SWE_CLONES
static void mean1_row(const swe_params *params, rows_range vertices, const real *metric12,
                      const real *h, const real *v1, real *mean1, real *cross1)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->physics.equations,
                                      mean1_row_of(EQUATIONS, ORDER, params, vertices, metric12, h,
                                                   v1, mean1, cross1)));
}

SWE_POINT void mean2_row_of(swe_equations equations, int order, sbp_region where,
                            const swe_params *params, int j, int count,
                            const real *SWE_RESTRICT metric12, const real *SWE_RESTRICT h,
                            const real *SWE_RESTRICT v2, real *SWE_RESTRICT mean2,
                            real *SWE_RESTRICT cross2)
{
    const int n = params->layout.n;
    const ptrdiff_t pitch = params->layout.pitch;
#pragma omp simd
    for (int k = 0; k < count; k++) {
        mean2[k] = sbp_pcv(order, where, &params->sbp, n, j, v2 + k, pitch);
        cross2[k] = contravariant_cross(equations, metric12[k], h + k, mean2[k]);
    }
}

SWE_CLONES
static void mean2_row(const swe_params *params, int j, int count, const real *metric12,
                      const real *h, const real *v2, real *mean2, real *cross2)
{
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           ROWS_AT_VERTEX(ORDER, params, j,
                                          mean2_row_of(EQUATIONS, ORDER, (sbp_region)REGION, params,
                                                       j, count, metric12, h, v2, mean2, cross2))));
}

/* The shears of the means. */

SWE_CLONES
static void shear1_row(const swe_params *params, rows_range cells, const real *mean2, real *out)
{
    SWE_WITH_ORDER(params->sbp.order, vorticity_shear1_row(ORDER, params, cells, mean2, out));
}

SWE_CLONES
static void shear2_row(const swe_params *params, int j, int count, const real *mean1, real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   vorticity_shear2_row(ORDER, params, j, count, mean1, TRANSPORT_PITCH, out));
}

/* J g^kk v_k^2. */
SWE_CLONES
static void squares_row(int count, const real *SWE_RESTRICT metric, const real *SWE_RESTRICT v,
                        real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = sbp_square(metric, v, k);
}

/* The tendency of h, and Pcv_k F_k. */
SWE_POINT void fluxes_row_of(int order, sbp_region where_j, const swe_params *params,
                             const transport_row *r)
{
    const real *SWE_RESTRICT inverse_jacobian = r->inverse_jacobian;
    const real *SWE_RESTRICT flux1 = r->flux1, *SWE_RESTRICT flux2 = r->flux2;
    real *SWE_RESTRICT dh = r->dh, *SWE_RESTRICT g1 = r->g1, *SWE_RESTRICT g2 = r->g2;
    const int n = params->layout.n, j = r->j;
    ROWS_ALONG(r->i, rows_vertices(order, params), {
        dh[k] = divergence_point(DIVERGENCE_WEAK, order, where, where_j, params, j, i,
                                 inverse_jacobian[k], flux1 + k, flux2 + k, TRANSPORT_PITCH);
        g1[k] = sbp_pcv(order, where, &params->sbp, n, i, flux1 + k, 1);
        g2[k] = sbp_pcv(order, where_j, &params->sbp, n, j, flux2 + k, TRANSPORT_PITCH);
    });
}

SWE_CLONES
static void fluxes_row(const swe_params *params, const transport_row *r)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX_OF_END(ORDER, params, r->j,
                                         fluxes_row_of(ORDER, (sbp_region)REGION, params, r)));
}

SWE_POINT void vorticity_row_of(int order, sbp_region where_j, const swe_params *params,
                                const transport_row *r)
{
    const real *SWE_RESTRICT inverse_jacobian = r->inverse_jacobian;
    const real *SWE_RESTRICT shear1 = r->shear1, *SWE_RESTRICT shear2 = r->shear2;
    real *SWE_RESTRICT vorticity = r->vorticity;
    const int j = r->j;
    ROWS_ALONG(r->i, rows_vertices(order, params),
               vorticity[k] =
                   vorticity_point(order, where, where_j, params, j, i, inverse_jacobian[k],
                                   shear1 + k, shear2 + k, TRANSPORT_PITCH));
}

SWE_CLONES
static void vorticity_row(const swe_params *params, const transport_row *r)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX_OF_END(ORDER, params, r->j,
                                         vorticity_row_of(ORDER, (sbp_region)REGION, params, r)));
}

SWE_POINT void head_row_of(int order, sbp_region where_j, const swe_params *params,
                           const transport_row *r)
{
    const int n = params->layout.n, j = r->j;
    const real *SWE_RESTRICT h = r->h, *SWE_RESTRICT bottom = r->bottom;
    const real *SWE_RESTRICT square1 = r->square1, *SWE_RESTRICT square2 = r->square2;
    const real *SWE_RESTRICT mean1 = r->mean1, *SWE_RESTRICT mean2 = r->mean2;
    real *SWE_RESTRICT head = r->out.head;
    ROWS_ALONG(r->i, rows_vertices(order, params), {
        const real squares =
            sbp_pcv(order, where, &params->sbp, n, i, square1 + k, 1) +
            sbp_pcv(order, where_j, &params->sbp, n, j, square2 + k, TRANSPORT_PITCH);
        head[k] =
            bernoulli_point(params, r->in_metric + k, h[k], bottom[k], squares, mean1[k], mean2[k]);
    });
}

SWE_CLONES
static void head_row(const swe_params *params, const transport_row *r)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX_OF_END(ORDER, params, r->j,
                                         head_row_of(ORDER, (sbp_region)REGION, params, r)));
}

/* W at the first `count` points; G where panels share them. */
SWE_POINT void pv_flux_points(swe_equations equations, int is_shared, int count,
                              const real *SWE_RESTRICT vorticity, const real *SWE_RESTRICT coriolis,
                              const real *SWE_RESTRICT h, const real *SWE_RESTRICT g1,
                              const real *SWE_RESTRICT g2, real *SWE_RESTRICT pv_flux1,
                              real *SWE_RESTRICT pv_flux2)
{
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const real rate = coriolis_rate(equations, vorticity + k, coriolis[k], h + k);
        coriolis_pv_flux(is_shared, rate, g1[k], g2[k], pv_flux1 + k, pv_flux2 + k);
    }
}

/* The points first..last-1. */
SWE_POINT void pv_flux_section(swe_equations equations, int is_shared, int first, int last,
                               const transport_row *r)
{
    pv_flux_points(equations, is_shared, last - first, r->vorticity + first, r->coriolis + first,
                   r->h + first, r->g1 + first, r->g2 + first, r->out.pv_flux1 + first,
                   r->out.pv_flux2 + first);
}

SWE_POINT void pv_flux_row_of(swe_equations equations, const swe_params *params,
                              const transport_row *r)
{
    const int n = params->layout.n, count = r->i.last - r->i.first;
    const int low = r->i.first == 0, high = count - (r->i.last == n + 1);
    if (r->j == 0 || r->j == n) {
        pv_flux_section(equations, 1, 0, count, r);
        return;
    }
    pv_flux_section(equations, 1, 0, low, r);
    pv_flux_section(equations, 0, low, high, r);
    pv_flux_section(equations, 1, high, count, r);
}

SWE_CLONES
static void pv_flux_row(const swe_params *params, const transport_row *r)
{
    SWE_WITH_EQUATIONS(params->physics.equations, pv_flux_row_of(EQUATIONS, params, r));
}

SWE_CLONES
static void update_row(int substep, real weight, const transport_row *r)
{
    rk4_row(substep, weight, r->i.last - r->i.first, r->dh, r->h_of_substep);
}

#endif
