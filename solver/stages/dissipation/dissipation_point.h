/* Dissipation of the shortest waves within panels, in three passes over the panel:
 *
 *     G_k = Pcv_k F_k,  x = s U,  U = (G_1 a_1 + G_2 a_2)/J,  s = sqrt(J/h)      at vertices
 *     Z   = -(s/J) (M_1 + M_2) x                                                 at vertices
 *     v_k += dt eps c/(a D) Pvc_k (Z . a_k)
 *
 * M = Hv^-1 B^T B / 4^p along a line: spread of operators/sbp.h. U and Z are Cartesian vectors: B
 * differences the components in the panel's frame, and the vectors are averaged over the copies of
 * shared points. Linear: s = sqrt(J).
 *
 * F is the derivative of the energy by v. So the energy changes at the rate -eps c/(a D) times the
 * sum of squares of B x. Z is single-valued at shared points, so the velocity along an edge changes
 * equally on both panels and circulation is kept. h does not change, so mass is kept. */
#ifndef SWE_STAGES_DISSIPATION_POINT_H
#define SWE_STAGES_DISSIPATION_POINT_H

#include "stages/coriolis/coriolis_point.h"

/* Fields between the passes; five in all. */
typedef struct dissipation_scratch {
    real *x[3]; /* (6, n+1, n+1) components of x along the panel's frame */
    real *z[2]; /* (6, n+1, n+1) Z . a_k, times the strength */
} dissipation_scratch;

SWE_POINT dissipation_scratch dissipation_scratch_of(const swe_params *params, real *memory)
{
    const ptrdiff_t field = params->layout.field;
    const dissipation_scratch scratch = {{memory, memory + field, memory + 2 * field},
                                         {memory + 3 * field, memory + 4 * field}};
    return scratch;
}

/* (M_1 + M_2) of a component of x, which points at the vertex. */
SWE_POINT real dissipation_spread(int order, int degree, sbp_region where_i, sbp_region where_j,
                                  const swe_params *params, int j, int i,
                                  const real *SWE_RESTRICT x)
{
    const int n = params->layout.n;
    return sbp_spread(order, degree, where_i, &params->sbp, n, i, x, 1) +
           sbp_spread(order, degree, where_j, &params->sbp, n, j, x, params->layout.pitch);
}

/* 1/s^2 from 1/J and h at a vertex: h/J [m-1]; linear 1/J [m-2]. */
SWE_POINT real dissipation_density(swe_equations equations, real inverse_jacobian,
                                   const real *SWE_RESTRICT h)
{
    return equations == SWE_LINEAR ? inverse_jacobian : inverse_jacobian * *h;
}

/* x from a panel's own fluxes G at the vertex (tan_x, tan_y). a/s stands for the radius, which
 * saves a division. */
SWE_POINT void dissipation_flow(const swe_params *params, real tan_x, real tan_y, real density,
                                real g1, real g2, real *x0, real *x1, real *x2)
{
    geometry_frame_of_fluxes(params->radius * real_sqrt(density), tan_x, tan_y, g1, g2, x0, x1, x2);
}

/* Z . a_1 and Z . a_2 times `weight` = dt eps c/(a D), from the components of (M_1 + M_2) x. One
 * division and one root serve s/J and a/delta^3. */
SWE_POINT void dissipation_force(const swe_params *params, real tan_x, real tan_y, real weight,
                                 real density, real inverse_jacobian, real spread0, real spread1,
                                 real spread2, real *z1, real *z2)
{
    const real delta2 = geometry_delta2(tan_x, tan_y);
    const real scale =
        params->radius * inverse_jacobian * -weight / (delta2 * real_sqrt(delta2 * density));
    geometry_covariants_of_frame(scale, tan_x, tan_y, spread0, spread1, spread2, z1, z2);
}

/* Replace x at all copies of a shared point by the mean of their vectors. */
SWE_POINT void dissipation_project_flow(const topology_copies *copies, real *const x[3])
{
    real flow[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, mean[3];
    TOPOLOGY_FOR_COPIES(copies->count, {
        const ptrdiff_t at = copies->at[m];
        geometry_from_frame(copies->panel[m], x[0][at], x[1][at], x[2][at], flow[m]);
    })
    projection_mean_vector(copies->count, flow, mean);
    TOPOLOGY_FOR_COPIES(copies->count, {
        const int panel = copies->panel[m];
        const ptrdiff_t at = copies->at[m];
        x[0][at] = geometry_along_frame(panel, 0, mean);
        x[1][at] = geometry_along_frame(panel, 1, mean);
        x[2][at] = geometry_along_frame(panel, 2, mean);
    })
}

/* Replace z at all copies of a shared point by the components of the mean of their vectors. z1 and
 * z2 are whole fields. */
SWE_POINT void dissipation_project_force(const swe_params *params, const topology_copies *copies,
                                         real *SWE_RESTRICT z1, real *SWE_RESTRICT z2)
{
    real force[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, mean[3];
    TOPOLOGY_FOR_COPIES(copies->count, {
        const ptrdiff_t at = copies->at[m];
        geometry_velocity(params->radius, copies->panel[m], params->tan_vertex[copies->i[m]],
                          params->tan_vertex[copies->j[m]], z1[at], z2[at], force[m]);
    })
    projection_mean_vector(copies->count, force, mean);
    TOPOLOGY_FOR_COPIES(copies->count, {
        const int panel = copies->panel[m];
        const ptrdiff_t at = copies->at[m];
        const real x = params->tan_vertex[copies->i[m]], y = params->tan_vertex[copies->j[m]];
        z1[at] = geometry_covariant1(params->radius, panel, x, y, mean);
        z2[at] = geometry_covariant2(params->radius, panel, x, y, mean);
    })
}

#endif
