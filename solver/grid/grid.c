#include "grid/grid.h"

#include <math.h>
#include <stdbool.h>
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

double swe_grid_metric(const swe_grid *grid, swe_metric_term term, int j, int i)
{
    const double x = grid->tan_vertex[i], y = grid->tan_vertex[j];
    switch (term) {
    case SWE_INVERSE_JACOBIAN:
        return 1.0 / geometry_jacobian(grid->radius, x, y);
    case SWE_METRIC11:
        return i < grid->layout.n ? geometry_metric11(grid->tan_cell[i], y) : 0.0;
    case SWE_METRIC12:
        return geometry_metric12(x, y);
    default:
        return j < grid->layout.n ? geometry_metric22(x, grid->tan_cell[j]) : 0.0;
    }
}

static void fill_metric(swe_grid *grid)
{
    const int n = grid->layout.n;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            const ptrdiff_t at = swe_at(&grid->layout, 0, j, i);
            grid->inverse_jacobian[at] = swe_grid_metric(grid, SWE_INVERSE_JACOBIAN, j, i);
            grid->metric11[at] = swe_grid_metric(grid, SWE_METRIC11, j, i);
            grid->metric12[at] = swe_grid_metric(grid, SWE_METRIC12, j, i);
            grid->metric22[at] = swe_grid_metric(grid, SWE_METRIC22, j, i);
        }
}

static swe_status allocate(swe_context *ctx, bool has_metric, swe_grid *grid)
{
    const size_t side = (size_t)grid->layout.n + 1, panel = (size_t)grid->layout.panel;
    SWE_TRY(swe_memory_doubles(ctx, side, &grid->tan_vertex));
    SWE_TRY(swe_memory_doubles(ctx, side, &grid->tan_cell));
    if (!has_metric)
        return SWE_OK;
    SWE_TRY(swe_memory_doubles(ctx, panel, &grid->inverse_jacobian));
    SWE_TRY(swe_memory_doubles(ctx, panel, &grid->metric11));
    SWE_TRY(swe_memory_doubles(ctx, panel, &grid->metric12));
    return swe_memory_doubles(ctx, panel, &grid->metric22);
}

double swe_grid_spacing(int n)
{
    return 0.5 * SWE_PI / n;
}

static swe_status create(swe_context *ctx, int n, double radius, bool has_metric, swe_grid **out)
{
    *out = NULL;
    swe_grid *grid = calloc(1, sizeof *grid);
    if (grid == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the grid");
    grid->radius = radius;
    grid->spacing = swe_grid_spacing(n);
    grid->layout = swe_layout_of(n);
    const swe_status status = allocate(ctx, has_metric, grid);
    if (status != SWE_OK) {
        swe_grid_destroy(&grid);
        return status;
    }
    swe_topology_create(&grid->topology);
    fill_tangents(grid->tan_vertex, n + 1, grid->spacing, 1);
    fill_tangents(grid->tan_cell, n, grid->spacing, 0);
    if (has_metric)
        fill_metric(grid);
    *out = grid;
    return SWE_OK;
}

swe_status swe_grid_create(swe_context *ctx, int n, double radius, swe_grid **out)
{
    return create(ctx, n, radius, true, out);
}

swe_status swe_grid_create_lines(swe_context *ctx, int n, double radius, swe_grid **out)
{
    return create(ctx, n, radius, false, out);
}

void swe_grid_destroy(swe_grid **grid)
{
    if (*grid == NULL)
        return;
    free((*grid)->tan_vertex);
    free((*grid)->tan_cell);
    free((*grid)->inverse_jacobian);
    free((*grid)->metric11);
    free((*grid)->metric12);
    free((*grid)->metric22);
    free(*grid);
    *grid = NULL;
}
