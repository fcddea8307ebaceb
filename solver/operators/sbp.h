/* Staggered summation-by-parts operators in one dimension.
 *
 * Vertices v = 0..n at coordinate v, cells c = 0..n-1 at c + 1/2, spacing 1.
 *     dcv  derivative,    cells to vertices        dvc  derivative,    vertices to cells
 *     pcv  interpolation, cells to vertices        pvc  interpolation, vertices to cells
 *     Hv Dcv + (Hc Dvc)^T = e_N r^T - e_0 l^T      Hc Pvc = (Hv Pcv)^T
 *     spread  vertices to vertices: Hv^-1 D^T D / 4^p, D the p-th differences that have room
 *             between the ends, p = order/2 + 1
 * Tables: tools/derive_operators.py. Application: sbp_point.h. */
#ifndef SWE_OPERATORS_SBP_H
#define SWE_OPERATORS_SBP_H

#include "base/context.h"
#include "base/real.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SBP_ROWS = 6, SBP_COLUMNS = 8, SBP_SPREAD_COLUMNS = 10 };

/* Left closure of one order; the right end mirrors it (derivatives change sign). Tables are
 * [column][row], so that a closure is applied to a line as one vector of rows. */
typedef struct swe_sbp {
    int order;
    int smallest_n;                   /* cells below which the two closures overlap */
    real hv[SBP_ROWS];                /* norm weights of the first vertices; 1 beyond */
    real hc[SBP_ROWS];                /* norm weights of the first cells; 1 beyond */
    real edge[SBP_ROWS];              /* l: extrapolation of cell values to vertex 0 */
    real dcv[SBP_COLUMNS][SBP_ROWS];  /* rows: first vertices; columns: first cells */
    real weak[SBP_COLUMNS][SBP_ROWS]; /* -Hv^-1 Dvc^T Hc: but for vertex 0 the rows of dcv */
    real dvc[SBP_COLUMNS][SBP_ROWS];  /* rows: first cells; columns: first vertices */
    real pcv[SBP_COLUMNS][SBP_ROWS];
    real pvc[SBP_COLUMNS][SBP_ROWS];
    real spread[SBP_SPREAD_COLUMNS][SBP_ROWS]; /* rows, columns: first vertices */
} swe_sbp;

typedef enum swe_closure {
    SWE_CLOSURE_DEFAULT,  /* interpolation of least error with norm 1 */
    SWE_CLOSURE_PUBLISHED /* order 4 only: Shashkin, Goyman, Tretyak, arXiv 2501.07323 */
} swe_closure;

/* The operators of `order` (2, 4, 6) for `n` cells.
 * Errors: SWE_CONFIG if there is no such closure or n is smaller than it allows. */
swe_status swe_sbp_find(swe_context *ctx, int order, swe_closure closure, int n,
                        const swe_sbp **out);

/* Norm weight of vertex v of n + 1, and of cell c of n, in units of the spacing. */
real swe_sbp_vertex_norm(const swe_sbp *sbp, int n, int v);
real swe_sbp_cell_norm(const swe_sbp *sbp, int n, int c);

/* Largest Courant number c dt / (a D) that is allowed. Classical RK4 is stable on the sphere up to
 * 2 sqrt 2 over the spectral radius of the right-hand side, which grows slowly with n (at order 2
 * to 2 sqrt 3: the metric of a cube vertex). A little below that; test_conservation measures the
 * radii. */
double swe_sbp_courant_limit(int order, swe_closure closure);

#ifdef __cplusplus
}
#endif
#endif
