/* Coriolis and vorticity term: the potential-vorticity flux R = q U x r, with the mass flux U and
 * the potential vorticity q = (zeta + f)/h. In the linear equations R = f U, with U the velocity.
 * Three passes over the panel:
 *
 *     G_k   = Pcv_k F_k                                  at vertices
 *     W_1   = q G_2,  W_2 = -q G_1                       at vertices
 *     dv_k += Pvc_k W_k
 *
 * U = (G_1 a_1 + G_2 a_2)/J differs between the copies of a shared point. The Cartesian vectors of
 * all copies of a shared point are averaged; the weights J Hv Hv of the copies are equal. Then R
 * does no work in the H norms, and the velocity along an edge has the same tendency on both
 * panels. */
#ifndef SWE_STAGES_CORIOLIS_POINT_H
#define SWE_STAGES_CORIOLIS_POINT_H

#include "grid/geometry_point.h"
#include "operators/sbp_point.h"
#include "stages/projection/projection_point.h"
#include "stages/params.h"

/* q [m-1 s-1] at a vertex; linear: f [s-1], and neither vorticity nor h is read. */
SWE_POINT real coriolis_rate(swe_equations equations, const real *SWE_RESTRICT vorticity, real f,
                             const real *SWE_RESTRICT h)
{
    return equations == SWE_LINEAR ? f : (*vorticity + f) / *h;
}

/* W from the panel's own G. At a shared point it stores G itself, from which coriolis_project
 * computes W. */
SWE_POINT void coriolis_pv_flux(int is_shared, real rate, real g1, real g2,
                                real *SWE_RESTRICT pv_flux1, real *SWE_RESTRICT pv_flux2)
{
    *pv_flux1 = is_shared ? g1 : rate * g2;
    *pv_flux2 = is_shared ? g2 : -(rate * g1);
}

/* Replace G by W at all copies of a shared point. pv_flux1 and pv_flux2 are whole fields. */
SWE_POINT void coriolis_project(const swe_params *params, const topology_copies *copies, real rate,
                                real *SWE_RESTRICT pv_flux1, real *SWE_RESTRICT pv_flux2)
{
    real velocity[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, mean[3];
    TOPOLOGY_FOR_COPIES(copies->count, {
        const ptrdiff_t at = copies->at[m];
        geometry_velocity_of_fluxes(
            params->radius, copies->panel[m], params->tan_vertex[copies->i[m]],
            params->tan_vertex[copies->j[m]], pv_flux1[at], pv_flux2[at], velocity[m]);
    })
    projection_mean_vector(copies->count, velocity, mean);
    TOPOLOGY_FOR_COPIES(copies->count, {
        const int panel = copies->panel[m];
        const ptrdiff_t at = copies->at[m];
        const real x = params->tan_vertex[copies->i[m]], y = params->tan_vertex[copies->j[m]];
        pv_flux1[at] = rate * geometry_flux2(params->radius, panel, x, y, mean);
        pv_flux2[at] = -(rate * geometry_flux1(params->radius, panel, x, y, mean));
    })
}

/* Contribution to the tendency of v; `pv_flux` points at the vertex (j, i). */
SWE_POINT real coriolis_point1(int order, sbp_region where, const swe_params *params, int i,
                               const real *SWE_RESTRICT pv_flux1)
{
    return sbp_pvc(order, where, &params->sbp, params->layout.n, i, pv_flux1, 1);
}

SWE_POINT real coriolis_point2(int order, sbp_region where, const swe_params *params, int j,
                               const real *SWE_RESTRICT pv_flux2, ptrdiff_t up)
{
    return sbp_pvc(order, where, &params->sbp, params->layout.n, j, pv_flux2, up);
}

/* Add both contributions of a vertex, at which the fields point. */
SWE_POINT void coriolis_add(int order, sbp_region where, const swe_params *params, int j, int i,
                            const real *SWE_RESTRICT pv_flux1, const real *SWE_RESTRICT pv_flux2,
                            real *SWE_RESTRICT dv1, real *SWE_RESTRICT dv2)
{
    if (i < params->layout.n)
        *dv1 += coriolis_point1(order, where, params, i, pv_flux1);
    if (j < params->layout.n)
        *dv2 += coriolis_point2(order, where, params, j, pv_flux2, params->layout.pitch);
}

#endif
