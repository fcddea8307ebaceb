#include "diagnostics/errors.h"

#include <math.h>

#include "base/sum.h"

void swe_errors_measure(const swe_quadrature *q, const double *h, const double *exact,
                        double *difference, swe_errors *out)
{
    const swe_layout *layout = &q->grid->layout;
    const int n = layout->n;
    double largest_error = 0.0, largest_exact = 0.0;
    swe_sum squares = {0.0, 0.0};
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                const ptrdiff_t at = swe_at(layout, p, j, i);
                const double error = h[at] - exact[at];
                difference[at] = error;
                if (!(fabs(error) <= largest_error) && !isnan(largest_error))
                    largest_error = fabs(error);
                largest_exact = fmax(largest_exact, fabs(exact[at]));
                swe_sum_add(&squares, error * error);
            }
    const double points = SWE_PANELS * (n + 1.0) * (n + 1.0);
    out->linf_abs = largest_error;
    out->linf = largest_error / largest_exact;
    out->rms = sqrt(swe_sum_total(squares) / points);
    out->l2_abs = sqrt(swe_quadrature_product_h(q, difference, difference));
    out->l2 = out->l2_abs / sqrt(swe_quadrature_product_h(q, exact, exact));
    out->l1 = swe_quadrature_absolute_h(q, difference) / swe_quadrature_absolute_h(q, exact);
}
