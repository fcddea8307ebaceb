/* Vorticity, potential vorticity and divergence at vertices, computed by the stages of the scheme
 * on the CPU, in double. Host memory, fields in the grid's layout; `room` is scratch of
 * SWE_DERIVATIVES_ROOM fields. */
#ifndef SWE_DIAGNOSTICS_DERIVATIVES_H
#define SWE_DIAGNOSTICS_DERIVATIVES_H

#include "base/physics.h"
#include "grid/grid.h"
#include "operators/sbp.h"

enum { SWE_DERIVATIVES_ROOM = 4 }; /* fields of scratch */

/* Relative vorticity zeta [s-1], as the nonlinear equations use it. Its integral over the sphere is
 * 0 if both panels of each edge have the same tangential v. */
void swe_derivatives_vorticity(const swe_grid *grid, const swe_sbp *sbp, const double *v1,
                               const double *v2, double *room, double *vorticity);

/* Potential vorticity q = (zeta + f)/h [m-1 s-1] of the nonlinear equations, which the flow
 * advects; `vorticity` is zeta, h the depth [m]. `q` may be the array `vorticity`. */
void swe_derivatives_potential_vorticity(const swe_grid *grid, const swe_physics *physics,
                                         const double *h, const double *vorticity, double *q);

/* Divergence of the velocity [s-1], as the linear equations use it. Its integral is 0. */
void swe_derivatives_divergence(const swe_grid *grid, const swe_sbp *sbp, const double *v1,
                                const double *v2, double *room, double *divergence);

#endif
