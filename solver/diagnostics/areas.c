#include "diagnostics/areas.h"

void swe_areas_row(const swe_grid *grid, const swe_sbp *sbp, int j, double *areas)
{
    const int n = grid->layout.n;
    const double weight_j = swe_sbp_vertex_norm(sbp, n, j) * grid->spacing;
    for (int i = 0; i <= n; i++) {
        const double weight_i = swe_sbp_vertex_norm(sbp, n, i) * grid->spacing;
        areas[i] = weight_j * (weight_i / swe_grid_metric(grid, SWE_INVERSE_JACOBIAN, j, i));
    }
}
