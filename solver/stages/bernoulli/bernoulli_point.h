/* The Bernoulli head at one vertex: h + b + K/g [m]. Its gradient times -g accelerates the flow, as
 * the gradient of h does in the linear equations. g times the head is the derivative of the energy
 * by h.
 *
 *     J K = 1/2 Pcv_1 [J g^11 v1^2] + 1/2 Pcv_2 [J g^22 v2^2] + J g^12 (Pcv_1 v1) (Pcv_2 v2) */
#ifndef SWE_STAGES_BERNOULLI_POINT_H
#define SWE_STAGES_BERNOULLI_POINT_H

#include "operators/sbp_point.h"
#include "stages/params.h"

/* Pcv_1 [J g^11 v1^2] + Pcv_2 [J g^22 v2^2] at the vertex (j, i). v1 and v2 point at the vertex;
 * `in_panel` is its offset in metric terms. Each square is computed anew at every vertex that reads
 * it. */
SWE_POINT real bernoulli_squares(int order, sbp_region where_i, sbp_region where_j,
                                 const swe_params *params, int j, int i, ptrdiff_t in_panel,
                                 const real *SWE_RESTRICT v1, const real *SWE_RESTRICT v2)
{
    const int n = params->layout.n;
    return sbp_pcv_squares(order, where_i, &params->sbp, n, i, params->metric11 + in_panel, v1, 1) +
           sbp_pcv_squares(order, where_j, &params->sbp, n, j, params->metric22 + in_panel, v2,
                           params->layout.pitch);
}

/* The head from these squares and mean_k = Pcv_k v_k; K/g alone where h and bottom are 0. */
SWE_POINT real bernoulli_point(const swe_params *params, ptrdiff_t in_panel, real h, real bottom,
                               real squares, real mean1, real mean2)
{
    const real kinetic = (real)0.5 * squares + params->metric12[in_panel] * mean1 * mean2;
    return (h + bottom) + params->inverse_gravity * params->inverse_jacobian[in_panel] * kinetic;
}

#endif
