/* Integrals over the sphere with the norms of the scheme. Host memory, fields in the grid's layout.
 *
 * Threads sum rows; the rows are added in a fixed order. All sums are compensated: results do not
 * depend on the number of threads, and rounding errors do not grow with the number of points. */
#ifndef SWE_DIAGNOSTICS_QUADRATURE_H
#define SWE_DIAGNOSTICS_QUADRATURE_H

#include "base/context.h"
#include "grid/grid.h"
#include "operators/sbp.h"

typedef struct swe_quadrature {
    const swe_grid *grid;
    const swe_sbp *sbp;
    int threads;
    double *vertex; /* (n + 1) norm weights Hv D [rad] */
    double *cell;   /* (n)     norm weights Hc D [rad] */
    double *rows;   /* (6 (n + 1)) sums of the rows of the current integral */
} swe_quadrature;

/* Compute the weights. Grid and operators must outlive the quadrature. Errors: SWE_NO_MEMORY. */
swe_status swe_quadrature_create(swe_context *ctx, const swe_grid *grid, const swe_sbp *sbp,
                                 int threads, swe_quadrature *out);
void swe_quadrature_destroy(swe_quadrature *quadrature);

/* Weights J Hv Hv [m2] of the vertices, one for each stored point: their inner product with h is
 * swe_quadrature_h. Each copy of a shared point has the weight of its own panel. */
void swe_quadrature_areas(const swe_quadrature *q, double *areas);

/* Integrals of h and |h| over the sphere. */
double swe_quadrature_h(const swe_quadrature *q, const double *h);
double swe_quadrature_absolute_h(const swe_quadrature *q, const double *h);

/* Inner products <a, b> at the points of h (weights J Hv Hv), v1 (Hc Hv) and v2 (Hv Hc). */
double swe_quadrature_product_h(const swe_quadrature *q, const double *a, const double *b);
double swe_quadrature_product_v1(const swe_quadrature *q, const double *a, const double *b);
double swe_quadrature_product_v2(const swe_quadrature *q, const double *a, const double *b);

/* Circulation: the sum over all cells of Dvc_1 v2 - Dvc_2 v1, weights Hc Hc. */
double swe_quadrature_circulation(const swe_quadrature *q, const double *v1, const double *v2);

/* Sum of |Dvc_1 v2| + |Dvc_2 v1| over all cells, the scale of circulation. */
double swe_quadrature_shear(const swe_quadrature *q, const double *v1, const double *v2);

#endif
