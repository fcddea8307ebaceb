/* Integrals over the sphere with the norms of the scheme, as a reference for the integrals of the
 * solver. Host memory, whole fields in the grid's layout. All sums are compensated. */
#ifndef TESTS_SUPPORT_QUADRATURE_H
#define TESTS_SUPPORT_QUADRATURE_H

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sum.h"
#include "grid/grid.h"
#include "operators/sbp.h"
#include "operators/sbp_point.h"

typedef struct quadrature {
    const swe_grid *grid;
    const swe_sbp *sbp;
    double *vertex; /* (n + 1) norm weights Hv D [rad] */
    double *cell;   /* (n)     norm weights Hc D [rad] */
    double *rows;   /* (6 (n + 1)) sums of the rows of the current integral */
} quadrature;

/* Compute the weights. Grid and operators must outlive the quadrature. */
static inline swe_status quadrature_create(swe_context *ctx, const swe_grid *grid,
                                           const swe_sbp *sbp, quadrature *out)
{
    const int n = grid->layout.n;
    *out = (quadrature){grid, sbp, NULL, NULL, NULL};
    const size_t side = (size_t)n + 1;
    SWE_TRY(swe_memory_doubles(ctx, (2 + SWE_PANELS) * side, &out->vertex));
    out->cell = out->vertex + side;
    out->rows = out->cell + side;
    for (int v = 0; v <= n; v++)
        out->vertex[v] = swe_sbp_vertex_norm(sbp, n, v) * grid->spacing;
    for (int c = 0; c < n; c++)
        out->cell[c] = swe_sbp_cell_norm(sbp, n, c) * grid->spacing;
    return SWE_OK;
}

static inline void quadrature_destroy(quadrature *q)
{
    free(q->vertex);
    *q = (quadrature){0};
}

/* An integrand: `term` at one point, the weights along the two directions, and whether the measure
 * includes the Jacobian. */
typedef struct integrand {
    double (*term)(const struct integrand *self, int panel, int j, int i);
    const quadrature *q;
    const double *a, *b;
    const double *weights_i, *weights_j;
    int count_i, count_j;
    int times_jacobian;
} integrand;

static inline double row_sum(const integrand *f, int panel, int j)
{
    const swe_grid *grid = f->q->grid;
    const double *inverse_jacobian = grid->inverse_jacobian + j * grid->layout.pitch;
    swe_sum sum = {0.0, 0.0};
    for (int i = 0; i < f->count_i; i++) {
        const double weight =
            f->times_jacobian ? f->weights_i[i] / inverse_jacobian[i] : f->weights_i[i];
        swe_sum_add(&sum, weight * f->term(f, panel, j, i));
    }
    return f->weights_j[j] * swe_sum_total(sum);
}

static inline double integrate(const integrand *f)
{
    swe_sum total = {0.0, 0.0};
    const int rows = SWE_PANELS * f->count_j;
    double *sums = f->q->rows;
    for (int r = 0; r < rows; r++)
        sums[r] = row_sum(f, r / f->count_j, r % f->count_j);
    for (int r = 0; r < rows; r++)
        swe_sum_add(&total, sums[r]);
    return swe_sum_total(total);
}

static inline double term_value(const integrand *f, int panel, int j, int i)
{
    return f->a[swe_at(&f->q->grid->layout, panel, j, i)];
}

static inline double term_absolute(const integrand *f, int panel, int j, int i)
{
    return fabs(term_value(f, panel, j, i));
}

static inline double term_product(const integrand *f, int panel, int j, int i)
{
    const ptrdiff_t at = swe_at(&f->q->grid->layout, panel, j, i);
    return f->a[at] * f->b[at];
}

/* The two derivatives of the vorticity, with a = v1, b = v2. */

static inline double d1_v2(const integrand *f, int panel, int j, int i)
{
    const swe_layout *layout = &f->q->grid->layout;
    const swe_sbp *sbp = f->q->sbp;
    return sbp_dvc(sbp->order, SBP_ANYWHERE, sbp, layout->n, i, f->b + swe_at(layout, panel, j, i),
                   1) /
           f->q->grid->spacing;
}

static inline double d2_v1(const integrand *f, int panel, int j, int i)
{
    const swe_layout *layout = &f->q->grid->layout;
    const swe_sbp *sbp = f->q->sbp;
    return sbp_dvc(sbp->order, SBP_ANYWHERE, sbp, layout->n, j, f->a + swe_at(layout, panel, j, i),
                   layout->pitch) /
           f->q->grid->spacing;
}

static inline double term_vorticity(const integrand *f, int panel, int j, int i)
{
    return d1_v2(f, panel, j, i) - d2_v1(f, panel, j, i);
}

static inline double term_shear(const integrand *f, int panel, int j, int i)
{
    return fabs(d1_v2(f, panel, j, i)) + fabs(d2_v1(f, panel, j, i));
}

/* Integrand a at the vertices, with the Jacobian. */
static inline integrand at_vertices(const quadrature *q, const double *a, const double *b)
{
    const int count = q->grid->layout.n + 1;
    return (integrand){term_value, q, a, b, q->vertex, q->vertex, count, count, 1};
}

/* Integrals of h and |h| over the sphere. */
static inline double quadrature_h(const quadrature *q, const double *h)
{
    const integrand f = at_vertices(q, h, NULL);
    return integrate(&f);
}

static inline double quadrature_absolute_h(const quadrature *q, const double *h)
{
    integrand f = at_vertices(q, h, NULL);
    f.term = term_absolute;
    return integrate(&f);
}

/* Inner products <a, b> at the points of h (weights J Hv Hv), v1 (Hc Hv) and v2 (Hv Hc). */
static inline double quadrature_product_h(const quadrature *q, const double *a, const double *b)
{
    integrand f = at_vertices(q, a, b);
    f.term = term_product;
    return integrate(&f);
}

static inline double quadrature_product_v1(const quadrature *q, const double *a, const double *b)
{
    const int n = q->grid->layout.n;
    const integrand f = {term_product, q, a, b, q->cell, q->vertex, n, n + 1, 0};
    return integrate(&f);
}

static inline double quadrature_product_v2(const quadrature *q, const double *a, const double *b)
{
    const int n = q->grid->layout.n;
    const integrand f = {term_product, q, a, b, q->vertex, q->cell, n + 1, n, 0};
    return integrate(&f);
}

/* Vorticity of v1 and v2 at the cells. */
static inline integrand at_cells(const quadrature *q, const double *v1, const double *v2)
{
    const int n = q->grid->layout.n;
    return (integrand){term_vorticity, q, v1, v2, q->cell, q->cell, n, n, 0};
}

/* Circulation: the sum over all cells of Dvc_1 v2 - Dvc_2 v1, weights Hc Hc. */
static inline double quadrature_circulation(const quadrature *q, const double *v1, const double *v2)
{
    const integrand f = at_cells(q, v1, v2);
    return integrate(&f);
}

/* Sum of |Dvc_1 v2| + |Dvc_2 v1| over all cells, the scale of circulation. */
static inline double quadrature_shear(const quadrature *q, const double *v1, const double *v2)
{
    integrand f = at_cells(q, v1, v2);
    f.term = term_shear;
    return integrate(&f);
}

#endif
