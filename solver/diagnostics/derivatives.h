/* Vorticity, potential vorticity and divergence of a flow, as fields at vertices: by the scheme's
 * own stages, on the CPU. Host memory, fields in the grid's layout. */
#ifndef SWE_DIAGNOSTICS_DERIVATIVES_H
#define SWE_DIAGNOSTICS_DERIVATIVES_H

#include "base/physics.h"
#include "grid/grid.h"
#include "operators/sbp.h"

enum { SWE_DERIVATIVES_ROOM = 4 }; /* fields of working memory */

/* Relative vorticity of the velocity [s-1]: that of which a nonlinear flow is turned. Where v is
 * single-valued along panel edges, its integral over the sphere is 0. */
void swe_derivatives_vorticity(const swe_grid *grid, const swe_sbp *sbp, const double *v1,
                               const double *v2, double *room, double *vorticity);

/* Potential vorticity q = (zeta + f)/h [m-1 s-1] of the nonlinear equations, which moves with the
 * flow, of the relative vorticity zeta; h is the depth [m]. `q` may be `vorticity`. */
void swe_derivatives_potential_vorticity(const swe_grid *grid, const swe_physics *physics,
                                         const double *h, const double *vorticity, double *q);

/* Divergence of the velocity [s-1], as the linear equations take it. Its integral is 0. */
void swe_derivatives_divergence(const swe_grid *grid, const swe_sbp *sbp, const double *v1,
                                const double *v2, double *room, double *divergence);

#endif
