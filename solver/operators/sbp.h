/* Staggered summation-by-parts (SBP) operators in one dimension.
 *
 * Vertices v = 0..n and cells c = 0..n-1 lie at the points of grid/points.h, inner spacing 1:
 *     dcv  derivative,    cells to vertices        dvc  derivative,    vertices to cells
 *     pcv  interpolation, cells to vertices        pvc  interpolation, vertices to cells
 *     Hv Dcv + (Hc Dvc)^T = e_N r^T - e_0 l^T      Hc Pvc = (Hv Pcv)^T
 *     spread  vertices to vertices: Hv^-1 B^T B / 4^p, B the p-th differences whose stencils lie
 *             between the two ends, p = degree; at moved points the divided differences times p!,
 *             scaled where their weights have a larger sum of squares than the interior weights
 * Hv, Hc are the diagonal norms; l, r extrapolate cell values to the two ends.
 *
 * Source: tools/derive_operators.py derives the tables (sbp_tables.inc) in exact rationals; the
 * closure "published" is the closure of Shashkin, Goyman and Tretyak, arXiv 2501.07323. sbp_point.h
 * applies the operators. */
#ifndef SWE_OPERATORS_SBP_H
#define SWE_OPERATORS_SBP_H

#include "base/context.h"
#include "base/real.h"
#include "grid/points.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SBP_ROWS = 7, SBP_COLUMNS = 9, SBP_SPREAD_ROWS = 8, SBP_SPREAD_COLUMNS = 13 };

/* Left closure of one order; the right end mirrors it, derivatives with the opposite sign. Tables
 * are [column][row], so that one vector instruction handles several rows of a closure. Tables have
 * the rows and columns of the widest closure of the order; in a narrower closure the last row and
 * column are interior. */
typedef struct swe_sbp {
    int order, degree;
    int smallest_n;                   /* least cells: with fewer the two closures overlap */
    int smallest_spread_n;            /* the same for spread */
    int vertex_rows, cell_rows;       /* rows of this closure */
    real hv[SBP_ROWS];                /* norm weights of the first vertices; inner ones are 1 */
    real hc[SBP_ROWS];                /* norm weights of the first cells; inner ones are 1 */
    real edge[SBP_ROWS];              /* l: extrapolation of cell values to vertex 0 */
    real weak[SBP_COLUMNS][SBP_ROWS]; /* -Hv^-1 Dvc^T Hc; rows: first vertices; columns: cells */
    real end[SBP_COLUMNS];            /* dcv of vertex 0; its other rows are rows of weak */
    real dvc[SBP_COLUMNS][SBP_ROWS];  /* rows: first cells; columns: first vertices */
    real pcv[SBP_COLUMNS][SBP_ROWS];
    real pvc[SBP_COLUMNS][SBP_ROWS];
    real spread[SBP_SPREAD_COLUMNS][SBP_SPREAD_ROWS]; /* rows, columns: first vertices */
} swe_sbp;

typedef enum swe_closure {
    SWE_CLOSURE_MOVED,      /* orders 4 and 6: at points of least error of flows; 2: equispaced */
    SWE_CLOSURE_EQUISPACED, /* interpolation of norm 1 with the least error */
    SWE_CLOSURE_PUBLISHED   /* order 4 only: Shashkin, Goyman, Tretyak, arXiv 2501.07323 */
} swe_closure;

/* The points of a closure (equispaced, if there is none); static storage. */
const swe_points *swe_sbp_points(int order, swe_closure closure) REAL_SYMBOL(swe_sbp_points);

/* p of the differences that the dissipation of a closure squares. */
int swe_sbp_degree(int order, swe_closure closure) REAL_SYMBOL(swe_sbp_degree);

/* Find the operators of `order` (2, 4, 6) for `n` cells; static storage. Errors: SWE_CONFIG
 * (unknown order or closure, or n too small for it). */
swe_status swe_sbp_find(swe_context *ctx, int order, swe_closure closure, int n,
                        const swe_sbp **out) REAL_SYMBOL(swe_sbp_find);

/* Check that the dissipation of a closure, too, has room on `n` cells. Errors: SWE_CONFIG. */
swe_status swe_sbp_check_spread(swe_context *ctx, int order, swe_closure closure, int n)
    REAL_SYMBOL(swe_sbp_check_spread);

/* Norm weight of vertex v = 0..n, and of cell c = 0..n-1, in units of the spacing. */
real swe_sbp_vertex_norm(const swe_sbp *sbp, int n, int v) REAL_SYMBOL(swe_sbp_vertex_norm);
real swe_sbp_cell_norm(const swe_sbp *sbp, int n, int c) REAL_SYMBOL(swe_sbp_cell_norm);

/* Largest allowed Courant number c dt / (a D). Classical RK4 is stable up to 2 sqrt 2 divided by
 * the spectral radius of the right-hand side (unit c/(a D)), which grows slowly with n, at order 2
 * to 2 sqrt 3, because of the metric at cube vertices. The limit is slightly smaller than that
 * bound; test_conservation measures the radii. */
double swe_sbp_courant_limit(int order, swe_closure closure) REAL_SYMBOL(swe_sbp_courant_limit);

#ifdef __cplusplus
}
#endif
#endif
