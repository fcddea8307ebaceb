#include "grid/grid.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/physics.h"
#include "grid/geometry_point.h"

/* Tangents and places of the points of a line: vertices (n + 1), the first at -1 and the last at 1,
 * and cells (n). They are odd to the last bit. */
static void fill_lines(const swe_points *points, int n, swe_grid *grid)
{
    const double half = 0.5 * swe_points_length(points, n);
    for (int v = 0; v <= n / 2; v++) {
        const double place = 2 * v < n ? swe_points_vertex(points, v) : half;
        grid->place[v] = place;
        grid->place[n - v] = 2.0 * half - place;
        grid->tan_vertex[v] = v == 0 ? -1.0 : tan((place - half) * grid->spacing);
        grid->tan_vertex[n - v] = -grid->tan_vertex[v];
    }
    for (int c = 0; c <= (n - 1) / 2; c++) {
        const double place = 2 * c + 1 < n ? swe_points_cell(points, c) : half;
        grid->tan_cell[c] = tan((place - half) * grid->spacing);
        grid->tan_cell[n - 1 - c] = -grid->tan_cell[c];
    }
    if (n % 2 == 0)
        grid->tan_vertex[n / 2] = 0.0; /* not -0 */
    else
        grid->tan_cell[n / 2] = 0.0;
}

void swe_grid_move(swe_grid *lines, const double *angles)
{
    const int n = lines->layout.n;
    for (int v = 1; v < n; v++) {
        lines->place[v] = (angles[v] + 0.25 * SWE_PI) / lines->spacing;
        lines->tan_vertex[v] = tan(angles[v]);
    }
    for (int c = 0; c < n; c++)
        lines->tan_cell[c] = tan(0.5 * (angles[c] + angles[c + 1]));
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
    SWE_TRY(swe_memory_doubles(ctx, side, &grid->place));
    SWE_TRY(swe_memory_doubles(ctx, side, &grid->tan_vertex));
    SWE_TRY(swe_memory_doubles(ctx, side, &grid->tan_cell));
    if (!has_metric)
        return SWE_OK;
    SWE_TRY(swe_memory_doubles(ctx, panel, &grid->inverse_jacobian));
    SWE_TRY(swe_memory_doubles(ctx, panel, &grid->metric11));
    SWE_TRY(swe_memory_doubles(ctx, panel, &grid->metric12));
    return swe_memory_doubles(ctx, panel, &grid->metric22);
}

static swe_status create(swe_context *ctx, int n, const swe_points *points, double radius,
                         bool has_metric, swe_grid **out)
{
    *out = NULL;
    swe_grid *grid = calloc(1, sizeof *grid);
    if (grid == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the grid");
    grid->radius = radius;
    grid->spacing = swe_points_spacing(points, n);
    grid->layout = swe_layout_of(n);
    const swe_status status = allocate(ctx, has_metric, grid);
    if (status != SWE_OK) {
        swe_grid_destroy(&grid);
        return status;
    }
    swe_topology_create(&grid->topology);
    fill_lines(points, n, grid);
    if (has_metric)
        fill_metric(grid);
    *out = grid;
    return SWE_OK;
}

swe_status swe_grid_create(swe_context *ctx, int n, const swe_points *points, double radius,
                           swe_grid **out)
{
    return create(ctx, n, points, radius, true, out);
}

swe_status swe_grid_create_lines(swe_context *ctx, int n, const swe_points *points, double radius,
                                 swe_grid **out)
{
    return create(ctx, n, points, radius, false, out);
}

void swe_grid_destroy(swe_grid **grid)
{
    if (*grid == NULL)
        return;
    free((*grid)->place);
    free((*grid)->tan_vertex);
    free((*grid)->tan_cell);
    free((*grid)->inverse_jacobian);
    free((*grid)->metric11);
    free((*grid)->metric12);
    free((*grid)->metric22);
    free(*grid);
    *grid = NULL;
}
