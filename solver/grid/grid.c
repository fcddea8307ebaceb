#include "grid/grid.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/physics.h"
#include "grid/geometry_point.h"

/* tan of `count` coordinates centred on 0, `spacing` apart. The values are odd to the last bit;
 * those at panel edges are exactly -1 and 1. */
static void fill_tangents(double *tangent, int count, double spacing, int ends_are_edges)
{
    for (int i = 0; i < count / 2; i++) {
        const double coordinate = 0.5 * (2 * i + 1 - count) * spacing;
        tangent[i] = tan(coordinate);
        tangent[count - 1 - i] = -tangent[i];
    }
    if (count % 2 == 1)
        tangent[count / 2] = 0.0;
    if (ends_are_edges) {
        tangent[0] = -1.0;
        tangent[count - 1] = 1.0;
    }
}

static void fill_metric(swe_grid *grid)
{
    const int n = grid->layout.n;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            const ptrdiff_t at = swe_at(&grid->layout, 0, j, i);
            const double x = grid->tan_vertex[i], y = grid->tan_vertex[j];
            grid->inverse_jacobian[at] = 1.0 / geometry_jacobian(grid->radius, x, y);
            grid->metric12[at] = geometry_metric12(x, y);
            if (i < n)
                grid->metric11[at] = geometry_metric11(grid->tan_cell[i], y);
            if (j < n)
                grid->metric22[at] = geometry_metric22(x, grid->tan_cell[j]);
        }
}

static swe_status allocate(swe_context *ctx, swe_grid *grid)
{
    const size_t side = (size_t)grid->layout.n + 1, panel = (size_t)grid->layout.panel;
    SWE_TRY(swe_memory_doubles(ctx, side, &grid->tan_vertex));
    SWE_TRY(swe_memory_doubles(ctx, side, &grid->tan_cell));
    SWE_TRY(swe_memory_doubles(ctx, panel, &grid->inverse_jacobian));
    SWE_TRY(swe_memory_doubles(ctx, panel, &grid->metric11));
    SWE_TRY(swe_memory_doubles(ctx, panel, &grid->metric12));
    return swe_memory_doubles(ctx, panel, &grid->metric22);
}

double swe_grid_spacing(int n)
{
    return 0.5 * SWE_PI / n;
}

swe_status swe_grid_create(swe_context *ctx, int n, double radius, swe_grid **out)
{
    *out = NULL;
    swe_grid *grid = calloc(1, sizeof *grid);
    if (grid == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the grid");
    grid->radius = radius;
    grid->spacing = swe_grid_spacing(n);
    grid->layout = swe_layout_of(n);
    const swe_status status = allocate(ctx, grid);
    if (status != SWE_OK) {
        swe_grid_destroy(&grid);
        return status;
    }
    swe_topology_create(&grid->topology);
    fill_tangents(grid->tan_vertex, n + 1, grid->spacing, 1);
    fill_tangents(grid->tan_cell, n, grid->spacing, 0);
    fill_metric(grid);
    *out = grid;
    return SWE_OK;
}

void swe_grid_release_metric(swe_grid *grid)
{
    double **const terms[] = {&grid->inverse_jacobian, &grid->metric11, &grid->metric12,
                              &grid->metric22};
    for (int k = 0; k < 4; k++) {
        free(*terms[k]);
        *terms[k] = NULL;
    }
}

void swe_grid_destroy(swe_grid **grid)
{
    if (*grid == NULL)
        return;
    free((*grid)->tan_vertex);
    free((*grid)->tan_cell);
    swe_grid_release_metric(*grid);
    free(*grid);
    *grid = NULL;
}
