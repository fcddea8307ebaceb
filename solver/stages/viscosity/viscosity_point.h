/* Viscosity, from the Laplacians of the Cartesian components of the velocity at vertices:
 *
 *     U    = (Pcv_1 F_1 a_1 + Pcv_2 F_2 a_2)/(J d)            at vertices; d = h, linear 1
 *     D s  = -1/(J d) div(d grad s)                           of U_x, U_y, U_z
 *     Z    = D U - (r . D U) r                                the tangential part
 *     dv_k = -nu Pvc_k (Z . a_k)                              order 2
 *     dv_k = -nu Pvc_k (Z' . a_k),  Z' = D Z, tangential      order 4
 *
 * On a sphere -Z is grad div U - curl curl U where d is constant. D is composed of the stages
 * gradient, contravariant, divergence, sat and projection. So D is symmetric and positive in the
 * norms J d Hv Hv; F is the derivative of the energy by v, and Pvc and Pcv are adjoint. The energy
 * falls at the rate nu <U, D U> or nu <Z, Z>.
 *
 * Values at shared points agree in all copies, so the velocity along an edge changes equally on
 * both panels.
 *
 * On request h and the concentrations c = q/h of advected fields change, too, which keeps the
 * integrals of h and q:
 *
 *     dh   = -nu D s               s = h + b, d = 1           order 2; order 4: D D s
 *     dq   = -nu h D c             d = h                      order 2; order 4: D D c */
#ifndef SWE_STAGES_VISCOSITY_POINT_H
#define SWE_STAGES_VISCOSITY_POINT_H

#include "grid/geometry_point.h"
#include "operators/sbp_point.h"
#include "stages/params.h"

/* The arguments of the stages of D: d grad s has no factor g, its divergence no factor H0. */
SWE_POINT swe_params viscosity_params(const swe_params *params)
{
    swe_params of_components = *params;
    of_components.gravity = -1;
    of_components.depth = 1;
    return of_components;
}

/* Cartesian components of a panel's frame, read outside of loops. */
typedef struct viscosity_frame {
    real e0[3], e1[3], e2[3];
} viscosity_frame;

SWE_POINT viscosity_frame viscosity_frame_of(int panel)
{
    viscosity_frame frame;
    for (int k = 0; k < 3; k++) {
        frame.e0[k] = geometry_frame(panel, 0, k);
        frame.e1[k] = geometry_frame(panel, 1, k);
        frame.e2[k] = geometry_frame(panel, 2, k);
    }
    return frame;
}

/* The Cartesian vector of frame components. */
SWE_POINT void viscosity_vector(const viscosity_frame *frame, real w0, real w1, real w2, real *x,
                                real *y, real *z)
{
    *x = frame->e0[0] * w0 + frame->e1[0] * w1 + frame->e2[0] * w2;
    *y = frame->e0[1] * w0 + frame->e1[1] * w1 + frame->e2[1] * w2;
    *z = frame->e0[2] * w0 + frame->e1[2] * w1 + frame->e2[2] * w2;
}

/* U from a panel's own G_k = Pcv_k F_k. */
SWE_POINT void viscosity_flow(swe_equations equations, const swe_params *params,
                              const viscosity_frame *frame, real tan_x, real tan_y,
                              const real *SWE_RESTRICT h, real g1, real g2, real *x, real *y,
                              real *z)
{
    const real radius = equations == SWE_LINEAR ? params->radius : params->radius * *h;
    real w0, w1, w2;
    geometry_frame_of_fluxes(radius, tan_x, tan_y, g1, g2, &w0, &w1, &w2);
    viscosity_vector(frame, w0, w1, w2, x, y, z);
}

/* From -div(d grad s)/J of each component to Z, in place; `is_last`: to the covariant components of
 * weight Z, in the place of the first two. As in geometry_covariant1 the component along a panel
 * edge has the same bits on both panels. */
SWE_POINT void viscosity_force(swe_equations equations, bool is_last, const swe_params *params,
                               const viscosity_frame *frame, real tan_x, real tan_y, real weight,
                               const real *SWE_RESTRICT h, real *x, real *y, real *z)
{
    const real *e0 = frame->e0, *e1 = frame->e1, *e2 = frame->e2;
    const real delta2 = geometry_delta2(tan_x, tan_y);
    const real along0 = e0[0] * *x + e0[1] * *y + e0[2] * *z,
               along1 = e1[0] * *x + e1[1] * *y + e1[2] * *z,
               along2 = e2[0] * *x + e2[1] * *y + e2[2] * *z;
    const real r0 = e0[0] + tan_x * e1[0] + tan_y * e2[0],
               r1 = e0[1] + tan_x * e1[1] + tan_y * e2[1],
               r2 = e0[2] + tan_x * e1[2] + tan_y * e2[2];
    const real outward = (r0 * *x + r1 * *y + r2 * *z) / delta2;
    const real scale = equations == SWE_LINEAR ? 1 : 1 / *h;
    const real z1 = scale * (along1 - tan_x * outward), z2 = scale * (along2 - tan_y * outward);
    if (is_last) {
        const real length = weight * params->radius / real_sqrt(delta2);
        *x = length * ((1 + tan_x * tan_x) * z1);
        *y = length * ((1 + tan_y * tan_y) * z2);
    } else {
        viscosity_vector(frame, scale * (along0 - outward), z1, z2, x, y, z);
    }
}

/* s of the depth h at element `at`. */
SWE_POINT real viscosity_surface(const swe_params *params, ptrdiff_t at, real h)
{
    return params->bottom == NULL ? h : h + params->bottom[at];
}

#endif
