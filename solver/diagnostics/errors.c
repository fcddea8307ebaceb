#include "diagnostics/errors.h"

#include <math.h>

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

/* Lengths at the vertices of one row of the vectors whose components are d1, d2. */
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
