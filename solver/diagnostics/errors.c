#include "diagnostics/errors.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sum.h"
#include "grid/geometry_point.h"
#include "operators/sbp_point.h"

/* Largest magnitude at vertices; NaN if any value is. */
static double largest(const swe_layout *layout, const double *f)
{
    const int n = layout->n;
    double found = 0.0;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                const double size = fabs(f[swe_at(layout, p, j, i)]);
                if (!(size <= found) && !isnan(found))
                    found = size;
            }
    return found;
}

void swe_errors_measure(const swe_quadrature *q, const double *h, const double *exact,
                        double *difference, swe_errors *out)
{
    const swe_layout *layout = &q->grid->layout;
    const int n = layout->n;
    swe_sum squares = {0.0, 0.0};
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                const ptrdiff_t at = swe_at(layout, p, j, i);
                const double error = h[at] - exact[at];
                difference[at] = error;
                swe_sum_add(&squares, error * error);
            }
    const double points = SWE_PANELS * (n + 1.0) * (n + 1.0);
    out->linf_abs = largest(layout, difference);
    out->linf = out->linf_abs / largest(layout, exact);
    out->rms = sqrt(swe_sum_total(squares) / points);
    out->l2_abs = sqrt(swe_quadrature_product_h(q, difference, difference));
    out->l2 = out->l2_abs / sqrt(swe_quadrature_product_h(q, exact, exact));
    out->l1 = swe_quadrature_absolute_h(q, difference) / swe_quadrature_absolute_h(q, exact);
}

/* b = a - b over the range of a staggered field. */
static void subtract(const swe_layout *layout, int rows, int columns, const double *a, double *b)
{
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < columns; i++) {
                const ptrdiff_t at = swe_at(layout, p, j, i);
                b[at] = a[at] - b[at];
            }
}

/* Lengths of the vectors with covariant components d1, d2, at the vertices of one row. */
static void length_row(const swe_quadrature *q, const double *d1, const double *d2, int panel,
                       int j, double *length)
{
    const swe_grid *grid = q->grid;
    const swe_layout *layout = &grid->layout;
    const int n = layout->n, order = q->sbp->order;
    for (int i = 0; i <= n; i++) {
        const ptrdiff_t at = swe_at(layout, panel, j, i);
        const double c1 = sbp_pcv(order, SBP_ANYWHERE, q->sbp, n, i, d1 + at, 1);
        const double c2 = sbp_pcv(order, SBP_ANYWHERE, q->sbp, n, j, d2 + at, layout->pitch);
        double u[3];
        geometry_velocity(grid->radius, panel, grid->tan_vertex[i], grid->tan_vertex[j], c1, c2, u);
        length[at] = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
}

void swe_errors_measure_velocity(const swe_quadrature *q, const double *v1, const double *v2,
                                 const double *speed, double *d1, double *d2, double *length,
                                 swe_velocity_errors *out)
{
    const swe_layout *layout = &q->grid->layout;
    const int n = layout->n, side = n + 1;
    subtract(layout, side, n, v1, d1);
    subtract(layout, n, side, v2, d2);
#pragma omp parallel for schedule(static) num_threads(q->threads)
    for (int row = 0; row < SWE_PANELS * side; row++)
        length_row(q, d1, d2, row / side, row % side, length);
    out->linf_abs = largest(layout, length);
    const double fastest = largest(layout, speed);
    if (fastest == 0.0) {
        out->l1 = out->l2 = out->linf = NAN;
        return;
    }
    out->linf = out->linf_abs / fastest;
    out->l2 = sqrt(swe_quadrature_product_h(q, length, length) /
                   swe_quadrature_product_h(q, speed, speed));
    out->l1 = swe_quadrature_absolute_h(q, length) / swe_quadrature_absolute_h(q, speed);
}

/* ---- the reference of a case ----------------------------------------------------------------- */

enum { HEIGHT_FIELDS = 2, VELOCITY_FIELDS = 4 };

int swe_comparison_fields(const swe_initial *initial, const swe_physics *physics)
{
    if (swe_case_reference(initial, physics) == SWE_REFERENCE_NONE)
        return 0;
    return HEIGHT_FIELDS + (swe_case_has_velocity(initial) ? VELOCITY_FIELDS : 0);
}

swe_status swe_comparison_create(swe_context *ctx, const swe_case *test_case, bool has_velocity,
                                 const swe_quadrature *q, swe_comparison *out)
{
    const size_t field = (size_t)q->grid->layout.field;
    const size_t fields = HEIGHT_FIELDS + (has_velocity ? VELOCITY_FIELDS : 0);
    *out = (swe_comparison){.test_case = test_case, .q = q, .has_velocity = has_velocity};
    SWE_TRY(swe_memory_doubles(ctx, fields * field, &out->h));
    out->h_error = out->h + field;
    if (has_velocity) {
        out->v1 = out->h_error + field;
        out->v2 = out->v1 + field;
        out->speed = out->v2 + field;
        out->length = out->speed + field;
    }
    return SWE_OK;
}

void swe_comparison_destroy(swe_comparison *comparison)
{
    free(comparison->h);
    *comparison = (swe_comparison){0};
}

void swe_comparison_measure(const swe_comparison *comparison, double t, const double *h,
                            const double *v1, const double *v2, swe_errors *errors,
                            swe_velocity_errors *velocity)
{
    const swe_comparison *c = comparison;
    const swe_grid *grid = c->q->grid;
    swe_case_height(c->test_case, grid, c->q->threads, t, c->h);
    swe_errors_measure(c->q, h, c->h, c->h_error, errors);
    *velocity = (swe_velocity_errors){NAN, NAN, NAN, NAN};
    if (!c->has_velocity)
        return;
    swe_case_velocity(c->test_case, grid, c->q->threads, t, c->v1, c->v2);
    swe_case_speed(c->test_case, grid, c->q->threads, t, c->speed);
    swe_errors_measure_velocity(c->q, v1, v2, c->speed, c->v1, c->v2, c->length, velocity);
}
