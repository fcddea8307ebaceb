#include "diagnostics/areas.h"

void swe_areas_fill(const swe_grid *grid, const swe_sbp *sbp, double *areas)
{
    const int n = grid->layout.n;
    for (int j = 0; j <= n; j++) {
        const double weight_j = swe_sbp_vertex_norm(sbp, n, j) * grid->spacing;
        for (int i = 0; i <= n; i++) {
            const double weight_i = swe_sbp_vertex_norm(sbp, n, i) * grid->spacing;
            areas[swe_at(&grid->layout, 0, j, i)] =
                weight_j * (weight_i / swe_grid_metric(grid, SWE_INVERSE_JACOBIAN, j, i));
        }
    }
}
