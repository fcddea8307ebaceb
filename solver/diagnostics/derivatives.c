#include "diagnostics/derivatives.h"

#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "stages/coriolis/coriolis_point.h"
#include "stages/stages.h"

static const swe_execution one_thread = {.threads = 1};

/* Kernel parameters of these stages. The linear equations with H0 = -1: fluxes are those of the
 * velocity, without h, and the tendency of h is the divergence. */
static swe_params params_of(const swe_grid *grid, const swe_sbp *sbp)
{
    return (swe_params){
        .layout = grid->layout,
        .sbp = *sbp,
        .topology = grid->topology,
        .inverse_spacing = 1.0 / grid->spacing,
        .radius = grid->radius,
        .depth = -1.0,
        .equations = SWE_LINEAR,
        .tan_vertex = grid->tan_vertex,
        .inverse_jacobian = grid->inverse_jacobian,
        .metric11 = grid->metric11,
        .metric12 = grid->metric12,
        .metric22 = grid->metric22,
    };
}

void swe_derivatives_vorticity(const swe_grid *grid, const swe_sbp *sbp, const double *v1,
                               const double *v2, double *room, double *vorticity)
{
    const swe_params params = params_of(grid, sbp);
    const ptrdiff_t field = grid->layout.field;
    swe_stages_cpu.vorticity(&one_thread, &params, v1, v2, room, room + field, room + 2 * field,
                             room + 3 * field, vorticity);
    swe_stages_cpu.projection(&one_thread, &params, vorticity);
}

void swe_derivatives_potential_vorticity(const swe_grid *grid, const swe_physics *physics,
                                         const double *h, const double *vorticity, double *q)
{
    double axis[3], east[3], north[3];
    geographic_frame(physics->axis_lon, physics->axis_lat, axis, east, north);
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= grid->layout.n; j++)
            for (int i = 0; i <= grid->layout.n; i++) {
                const ptrdiff_t at = swe_at(&grid->layout, p, j, i);
                double r[3];
                geometry_position(p, grid->tan_vertex[i], grid->tan_vertex[j], r);
                q[at] = coriolis_rate(SWE_NONLINEAR, vorticity + at,
                                      geographic_coriolis(physics->rotation, axis, r), h + at);
            }
}

void swe_derivatives_divergence(const swe_grid *grid, const swe_sbp *sbp, const double *v1,
                                const double *v2, double *room, double *divergence)
{
    const swe_params params = params_of(grid, sbp);
    const ptrdiff_t field = grid->layout.field;
    const double *h = v1; /* not read: the equations are linear */
    double *f1 = room + 2 * field, *f2 = room + 3 * field;
    double *edge = room; /* the cross terms are no longer needed */
    swe_stages_cpu.contravariant(&one_thread, &params, h, v1, v2, room, room + field, f1, f2);
    swe_stages_cpu.divergence(&one_thread, &params, f1, f2, divergence);
    swe_stages_cpu.sat(&one_thread, &params, h, v1, v2, f1, f2, edge, divergence);
    swe_stages_cpu.projection(&one_thread, &params, divergence);
}
