#include "diagnostics/errors.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "diagnostics/areas.h"
#include "fields/fields.h"
#include "grid/geometry_point.h"
#include "operators/sbp_point.h"

/* ---- the norms ------------------------------------------------------------------------------- */

/* The sums of a row, and its largest magnitudes. */
enum { SQUARES, ERROR1, ERROR2, EXACT1, EXACT2, ROW_SUMS, ERROR_MOST = ROW_SUMS, EXACT_MOST, ROW };

/* The larger magnitude; NaN if either is. */
static double larger(double found, double value)
{
    const double size = fabs(value);
    return size <= found || isnan(found) ? found : size;
}

static void sum_row(int points, const double *areas, const double *error, const double *exact,
                    double *out)
{
    swe_sum sums[ROW_SUMS] = {{0.0, 0.0}};
    out[ERROR_MOST] = out[EXACT_MOST] = 0.0;
    for (int i = 0; i < points; i++) {
        const double e = error[i], x = exact[i], area = areas[i];
        swe_sum_add(&sums[SQUARES], e * e);
        swe_sum_add(&sums[ERROR1], area * fabs(e));
        swe_sum_add(&sums[ERROR2], area * (e * e));
        swe_sum_add(&sums[EXACT1], area * fabs(x));
        swe_sum_add(&sums[EXACT2], area * (x * x));
        out[ERROR_MOST] = larger(out[ERROR_MOST], e);
        out[EXACT_MOST] = larger(out[EXACT_MOST], x);
    }
    for (int k = 0; k < ROW_SUMS; k++)
        out[k] = swe_sum_total(sums[k]);
}

void swe_errors_add(const swe_comparison *comparison, const double *error, const double *exact,
                    swe_error_sums *sums)
{
    const swe_comparison *c = comparison;
    const int side = c->grid->layout.n + 1;
    const ptrdiff_t pitch = c->grid->layout.pitch;
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int j = 0; j < side; j++)
        sum_row(side, c->areas + j * pitch, error + j * pitch, exact + j * pitch,
                c->rows + (ptrdiff_t)j * ROW);
    swe_sum *const totals[ROW_SUMS] = {&sums->squares, &sums->error1, &sums->error2, &sums->exact1,
                                       &sums->exact2};
    for (int j = 0; j < side; j++) {
        const double *row = c->rows + (ptrdiff_t)j * ROW;
        for (int k = 0; k < ROW_SUMS; k++)
            swe_sum_add(totals[k], row[k]);
        sums->error_most = larger(sums->error_most, row[ERROR_MOST]);
        sums->exact_most = larger(sums->exact_most, row[EXACT_MOST]);
    }
}

swe_errors swe_errors_of(const swe_error_sums *sums, int n)
{
    const double points = SWE_PANELS * (n + 1.0) * (n + 1.0);
    const double l2_abs = sqrt(swe_sum_total(sums->error2));
    return (swe_errors){.l1 = swe_sum_total(sums->error1) / swe_sum_total(sums->exact1),
                        .l2 = l2_abs / sqrt(swe_sum_total(sums->exact2)),
                        .linf = sums->error_most / sums->exact_most,
                        .l2_abs = l2_abs,
                        .linf_abs = sums->error_most,
                        .rms = sqrt(swe_sum_total(sums->squares) / points)};
}

swe_velocity_errors swe_velocity_errors_of(const swe_error_sums *sums)
{
    if (sums->exact_most == 0.0)
        return (swe_velocity_errors){NAN, NAN, NAN, sums->error_most};
    return (swe_velocity_errors){
        .l1 = swe_sum_total(sums->error1) / swe_sum_total(sums->exact1),
        .l2 = sqrt(swe_sum_total(sums->error2) / swe_sum_total(sums->exact2)),
        .linf = sums->error_most / sums->exact_most,
        .linf_abs = sums->error_most};
}

/* exact = a - exact over the range of a staggered field. */
static void subtract(const swe_layout *layout, int rows, int columns, const double *a,
                     double *exact)
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            const ptrdiff_t at = swe_at(layout, 0, j, i);
            exact[at] = a[at] - exact[at];
        }
}

/* Lengths of the vectors with covariant components d1, d2, at the vertices of one row. */
static void length_row(const swe_comparison *c, const double *d1, const double *d2, int panel,
                       int j, double *length)
{
    const swe_grid *grid = c->grid;
    const swe_layout *layout = &grid->layout;
    const int n = layout->n, order = c->sbp->order;
    for (int i = 0; i <= n; i++) {
        const ptrdiff_t at = swe_at(layout, 0, j, i);
        const double c1 = sbp_pcv(order, SBP_ANYWHERE, c->sbp, n, i, d1 + at, 1);
        const double c2 = sbp_pcv(order, SBP_ANYWHERE, c->sbp, n, j, d2 + at, layout->pitch);
        double u[3];
        geometry_velocity(grid->radius, panel, grid->tan_vertex[i], grid->tan_vertex[j], c1, c2, u);
        length[at] = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
}

void swe_errors_lengths(const swe_comparison *comparison, int panel, const double *v1,
                        const double *v2, double *exact1, double *exact2, double *length)
{
    const swe_layout *layout = &comparison->grid->layout;
    const int n = layout->n;
    subtract(layout, n + 1, n, v1, exact1);
    subtract(layout, n, n + 1, v2, exact2);
#pragma omp parallel for schedule(static) num_threads(comparison->threads)
    for (int j = 0; j <= n; j++)
        length_row(comparison, exact1, exact2, panel, j, length);
}

/* ---- the reference of a case ----------------------------------------------------------------- */

enum { HEIGHT_PANELS = 3, VELOCITY_PANELS = 4 };

int swe_comparison_panels(const swe_initial *initial, const swe_physics *physics)
{
    if (swe_case_reference(initial, physics) == SWE_REFERENCE_NONE)
        return 0;
    return HEIGHT_PANELS + (swe_case_has_velocity(initial) ? VELOCITY_PANELS : 0);
}

swe_status swe_comparison_create(swe_context *ctx, const swe_case *test_case, bool has_velocity,
                                 const swe_grid *grid, const swe_sbp *sbp, int threads,
                                 swe_comparison *out)
{
    const size_t panel = (size_t)grid->layout.panel, side = (size_t)grid->layout.n + 1;
    const size_t panels = HEIGHT_PANELS + (has_velocity ? VELOCITY_PANELS : 0);
    *out = (swe_comparison){.test_case = test_case,
                            .grid = grid,
                            .sbp = sbp,
                            .threads = threads,
                            .has_velocity = has_velocity};
    SWE_TRY(swe_memory_doubles(ctx, panels * panel + side * ROW, &out->areas));
    out->exact = out->areas + panel;
    out->error = out->exact + panel;
    if (has_velocity) {
        out->state1 = out->error + panel;
        out->state2 = out->state1 + panel;
        out->v1 = out->state2 + panel;
        out->v2 = out->v1 + panel;
    }
    out->rows = out->areas + panels * panel;
    swe_areas_fill(grid, sbp, out->areas);
    return SWE_OK;
}

void swe_comparison_destroy(swe_comparison *comparison)
{
    free(comparison->areas);
    *comparison = (swe_comparison){0};
}

static void add_heights(const swe_comparison *c, double t, int panel, const swe_panels *state,
                        swe_error_sums *sums)
{
    const int side = c->grid->layout.n + 1;
    const double *h = swe_panels_get(state, SWE_FIELD_H, panel, c->error);
    swe_case_height(c->test_case, c->grid, c->threads, t, panel, c->exact);
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            const ptrdiff_t at = swe_at(&c->grid->layout, 0, j, i);
            c->error[at] = h[at] - c->exact[at];
        }
    swe_errors_add(c, c->error, c->exact, sums);
}

static void add_velocities(const swe_comparison *c, double t, int panel, const swe_panels *state,
                           swe_error_sums *sums)
{
    const double *v1 = swe_panels_get(state, SWE_FIELD_V1, panel, c->state1);
    const double *v2 = swe_panels_get(state, SWE_FIELD_V2, panel, c->state2);
    swe_case_velocity(c->test_case, c->grid, c->threads, t, panel, c->v1, c->v2);
    swe_case_speed(c->test_case, c->grid, c->threads, t, panel, c->exact);
    swe_errors_lengths(c, panel, v1, v2, c->v1, c->v2, c->error);
    swe_errors_add(c, c->error, c->exact, sums);
}

void swe_comparison_measure(const swe_comparison *comparison, double t, const swe_panels *state,
                            swe_errors *errors, swe_velocity_errors *velocity)
{
    swe_error_sums heights = {.error_most = 0.0}, velocities = heights;
    *velocity = (swe_velocity_errors){NAN, NAN, NAN, NAN};
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        add_heights(comparison, t, panel, state, &heights);
        if (comparison->has_velocity)
            add_velocities(comparison, t, panel, state, &velocities);
    }
    *errors = swe_errors_of(&heights, comparison->grid->layout.n);
    if (comparison->has_velocity)
        *velocity = swe_velocity_errors_of(&velocities);
}
