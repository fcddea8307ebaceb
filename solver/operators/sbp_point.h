/* The one-dimensional SBP operators (sbp.h) at one point of a line. Shared by the CPU and CUDA.
 *
 * A line has cells 0..n-1 and vertices 0..n; cell c lies between vertices c and c + 1. The address
 * of one value and a stride `s` in values describe a line. At a point an operator reads only the
 * values that have a weight in its row of the matrix, so a line may be a section in a small buffer.
 * `order` (2, 4, 6) and `where` must be compile-time constants, so that branches and loops fold
 * away. Sums are ordered so that mirroring the line changes no bit but the sign. The spacing is 1:
 * callers divide derivatives by the true spacing.
 *
 * Interior stencils are the centred staggered stencils of the order (Fornberg, Math. Comput. 51
 * (1988) 699); sbp_tables.inc has the closures. */
#ifndef SWE_OPERATORS_SBP_POINT_H
#define SWE_OPERATORS_SBP_POINT_H

#include <stddef.h>

#include "base/real.h"
#include "operators/sbp.h"

enum { SBP_DEGREE_MOVED = 5 }; /* of the dissipation of moved closures */

/* Position of a point that the caller guarantees: anywhere, outside both closures, in the closure
 * of the low end, in the closure of the high end, or in one of the two. For SBP_CLOSURE one code
 * serves both ends: a loop with that region of its line compiles once, not twice. */
typedef enum sbp_region { SBP_ANYWHERE, SBP_INTERIOR, SBP_LOW, SBP_HIGH, SBP_CLOSURE } sbp_region;

/* Vertices, and cells, at each end whose rows differ from the interior stencil in the widest
 * closure of the order. */
SWE_POINT int sbp_vertex_rows(int order)
{
    return order == 2 ? 1 : order == 4 ? 5 : 7;
}

SWE_POINT int sbp_cell_rows(int order)
{
    return order == 2 ? 2 : order == 4 ? 4 : 6;
}

/* Whether point `place` of 0..last is one of the first `rows` points (low), or of the last (high).
 * `where` decides that at compile time unless it is SBP_ANYWHERE. */
SWE_POINT int sbp_is_low(sbp_region where, int rows, int place)
{
    return where == SBP_LOW || (where == SBP_ANYWHERE && place < rows);
}

SWE_POINT int sbp_is_high(sbp_region where, int rows, int last, int place)
{
    return where == SBP_HIGH || (where == SBP_ANYWHERE && place > last - rows);
}

/* Whether the closure in use is the widest of the order; a narrow closure has one row and one
 * column less. A GPU treats all closures as wide: it computes the last row of a narrow closure,
 * which is interior, with the weights of a row of the table. */
SWE_POINT int sbp_is_wide(int order, const swe_sbp *sbp)
{
#ifdef __CUDACC__
    (void)order, (void)sbp;
    return 1;
#else
    return order == 2 || sbp->vertex_rows == sbp_vertex_rows(order);
#endif
}

/* Vertices and cells of the closure in use. */

SWE_POINT int sbp_closed_vertices(int order, const swe_sbp *sbp)
{
    return sbp_is_wide(order, sbp) ? sbp_vertex_rows(order) : sbp_vertex_rows(order) - 1;
}

SWE_POINT int sbp_closed_cells(int order, const swe_sbp *sbp)
{
    return sbp_is_wide(order, sbp) ? sbp_cell_rows(order) : sbp_cell_rows(order) - 1;
}

/* Cells that the extrapolation to an end reads. */
SWE_POINT int sbp_edge_length(int order)
{
    return order == 2 ? 2 : order == 4 ? 4 : 5;
}

/* Values that a row of the widest closure reads. */
SWE_POINT int sbp_columns(int order)
{
    return sbp_cell_rows(order) + order / 2;
}

/* Interior derivative, and interpolation, half-way between AT(0) and AT(1); AT(k) is the value k
 * points ahead, a number or a SIMD vector. */
#define SBP_DIFFERENCE(order, AT)                                                                  \
    ((order) == 2 ? AT(1) - AT(0)                                                                  \
     : (order) == 4                                                                                \
         ? (real)(9.0 / 8.0) * (AT(1) - AT(0)) - (real)(1.0 / 24.0) * (AT(2) - AT(-1))             \
         : (real)(75.0 / 64.0) * (AT(1) - AT(0)) - (real)(25.0 / 384.0) * (AT(2) - AT(-1)) +       \
               (real)(3.0 / 640.0) * (AT(3) - AT(-2)))
#define SBP_MEAN(order, AT)                                                                        \
    ((order) == 2 ? (real)0.5 * (AT(1) + AT(0))                                                    \
     : (order) == 4                                                                                \
         ? (real)(9.0 / 16.0) * (AT(1) + AT(0)) - (real)(1.0 / 16.0) * (AT(2) + AT(-1))            \
         : (real)(75.0 / 128.0) * (AT(1) + AT(0)) - (real)(25.0 / 256.0) * (AT(2) + AT(-1)) +      \
               (real)(3.0 / 256.0) * (AT(3) + AT(-2)))

/* The same half-way between f[0] and f[s]. */

#define SBP_AT(k) f[(k)*s]
SWE_POINT real sbp_difference(int order, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    return SBP_DIFFERENCE(order, SBP_AT);
}

SWE_POINT real sbp_mean(int order, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    return SBP_MEAN(order, SBP_AT);
}
#undef SBP_AT

/* Value k of a line in a sum over columns. In a narrow closure the last column has weight 0. The
 * sum reads the value before it instead, because a line in a row buffer may end there. */
SWE_POINT ptrdiff_t sbp_column(int order, const swe_sbp *sbp, int k)
{
    return k == sbp_columns(order) - 1 && !sbp_is_wide(order, sbp) ? k - 1 : k;
}

/* Row `row` of a closure: the weighted sum of the first values of a line. */
SWE_POINT real sbp_sum(int order, const swe_sbp *sbp, const real (*table)[SBP_ROWS], int row,
                       const real *SWE_RESTRICT f, ptrdiff_t s)
{
    real sum = table[0][row] * f[0];
    for (int k = 1; k < sbp_columns(order); k++)
        sum += table[k][row] * f[sbp_column(order, sbp, k) * s];
    return sum;
}

/* The row of a closure's table for a point, and the line that it sums: its first value, from the
 * point's address, and its stride. At the high end the line is mirrored. */
typedef struct sbp_end {
    int is_high, row;
    ptrdiff_t first, s;
} sbp_end;

/* Point `place` of 0..last, in either closure (SBP_CLOSURE); the line's last value is `value`.
 * Without a branch, because loops over points of one row vectorise then. */
SWE_POINT sbp_end sbp_end_of(int place, int last, int value, ptrdiff_t s)
{
    const int is_high = 2 * place > last;
    const sbp_end end = {is_high, place + is_high * (last - 2 * place),
                         (is_high * value - place) * s, (1 - 2 * is_high) * s};
    return end;
}

/* The sum of an operator whose stencil is odd: mirrored, it has the other sign. */
SWE_POINT real sbp_odd(sbp_end end, real sum)
{
    return end.is_high ? -sum : sum;
}

/* Norm weight Hv of vertex v. */
SWE_POINT real sbp_hv(int order, sbp_region where, const swe_sbp *sbp, int n, int v)
{
    if (sbp_is_low(where, sbp_vertex_rows(order), v))
        return sbp->hv[v];
    if (sbp_is_high(where, sbp_vertex_rows(order), n, v))
        return sbp->hv[n - v];
    if (where == SBP_CLOSURE)
        return sbp->hv[v <= n - v ? v : n - v];
    return 1;
}

/* (Dvc f)_c, the derivative at cell c of vertex values f; `at` is the address of the value
 * at vertex c. */
SWE_POINT real sbp_dvc(int order, sbp_region where, const swe_sbp *sbp, int n, int c,
                       const real *SWE_RESTRICT at, ptrdiff_t s)
{
    if (sbp_is_low(where, sbp_closed_cells(order, sbp), c))
        return sbp_sum(order, sbp, sbp->dvc, c, at - c * s, s);
    if (sbp_is_high(where, sbp_closed_cells(order, sbp), n - 1, c))
        return -sbp_sum(order, sbp, sbp->dvc, n - 1 - c, at + (n - c) * s, -s);
    if (where == SBP_CLOSURE) {
        const sbp_end e = sbp_end_of(c, n - 1, n, s);
        return sbp_odd(e, sbp_sum(order, sbp, sbp->dvc, e.row, at + e.first, e.s));
    }
    return sbp_difference(order, at, s);
}

/* (-Hv^-1 Dvc^T Hc f)_v, the weak derivative at vertex v of cell values f: dcv with zero flux
 * through both ends. `at` is the address of the value of cell v, for v = n one past the end. */
SWE_POINT real sbp_weak(int order, sbp_region where, const swe_sbp *sbp, int n, int v,
                        const real *SWE_RESTRICT at, ptrdiff_t s)
{
    if (sbp_is_low(where, sbp_closed_vertices(order, sbp), v))
        return sbp_sum(order, sbp, sbp->weak, v, at - v * s, s);
    if (sbp_is_high(where, sbp_closed_vertices(order, sbp), n, v))
        return -sbp_sum(order, sbp, sbp->weak, n - v, at + (n - 1 - v) * s, -s);
    if (where == SBP_CLOSURE) {
        const sbp_end e = sbp_end_of(v, n, n - 1, s);
        return sbp_odd(e, sbp_sum(order, sbp, sbp->weak, e.row, at + e.first, e.s));
    }
    return sbp_difference(order, at - s, s);
}

/* Row `row` of dcv in a closure. */
SWE_POINT real sbp_dcv_sum(int order, const swe_sbp *sbp, int row, const real *SWE_RESTRICT f,
                           ptrdiff_t s)
{
    if (row < 0 || row >= sbp_vertex_rows(order))
        __builtin_unreachable(); /* gcc warns of the row behind the last */
    real sum = (row == 0 ? sbp->end[0] : sbp->weak[0][row]) * f[0];
    for (int k = 1; k < sbp_columns(order); k++)
        sum += (row == 0 ? sbp->end[k] : sbp->weak[k][row]) * f[sbp_column(order, sbp, k) * s];
    return sum;
}

/* (Dcv f)_v, the derivative at vertex v; arguments as for sbp_weak. */
SWE_POINT real sbp_dcv(int order, sbp_region where, const swe_sbp *sbp, int n, int v,
                       const real *SWE_RESTRICT at, ptrdiff_t s)
{
    if (sbp_is_low(where, sbp_closed_vertices(order, sbp), v))
        return sbp_dcv_sum(order, sbp, v, at - v * s, s);
    if (sbp_is_high(where, sbp_closed_vertices(order, sbp), n, v))
        return -sbp_dcv_sum(order, sbp, n - v, at + (n - 1 - v) * s, -s);
    if (where == SBP_CLOSURE) {
        const sbp_end e = sbp_end_of(v, n, n - 1, s);
        return sbp_odd(e, sbp_dcv_sum(order, sbp, e.row, at + e.first, e.s));
    }
    return sbp_difference(order, at - s, s);
}

/* (Pvc f)_c, the interpolation to cell c of vertex values f; `at` is the address of the
 * value at vertex c. */
SWE_POINT real sbp_pvc(int order, sbp_region where, const swe_sbp *sbp, int n, int c,
                       const real *SWE_RESTRICT at, ptrdiff_t s)
{
    if (sbp_is_low(where, sbp_closed_cells(order, sbp), c))
        return sbp_sum(order, sbp, sbp->pvc, c, at - c * s, s);
    if (sbp_is_high(where, sbp_closed_cells(order, sbp), n - 1, c))
        return sbp_sum(order, sbp, sbp->pvc, n - 1 - c, at + (n - c) * s, -s);
    if (where == SBP_CLOSURE) {
        const sbp_end e = sbp_end_of(c, n - 1, n, s);
        return sbp_sum(order, sbp, sbp->pvc, e.row, at + e.first, e.s);
    }
    return sbp_mean(order, at, s);
}

/* (Pcv f)_v, the interpolation to vertex v of cell values f; arguments as for sbp_weak. */
SWE_POINT real sbp_pcv(int order, sbp_region where, const swe_sbp *sbp, int n, int v,
                       const real *SWE_RESTRICT at, ptrdiff_t s)
{
    if (sbp_is_low(where, sbp_closed_vertices(order, sbp), v))
        return sbp_sum(order, sbp, sbp->pcv, v, at - v * s, s);
    if (sbp_is_high(where, sbp_closed_vertices(order, sbp), n, v))
        return sbp_sum(order, sbp, sbp->pcv, n - v, at + (n - 1 - v) * s, -s);
    if (where == SBP_CLOSURE) {
        const sbp_end e = sbp_end_of(v, n, n - 1, s);
        return sbp_sum(order, sbp, sbp->pcv, e.row, at + e.first, e.s);
    }
    return sbp_mean(order, at - s, s);
}

/* w f^2 at one value. */
SWE_POINT real sbp_square(const real *SWE_RESTRICT w, const real *SWE_RESTRICT f, ptrdiff_t at)
{
    return w[at] * (f[at] * f[at]);
}

/* sbp_sum of w f^2. */
SWE_POINT real sbp_sum_squares(int order, const swe_sbp *sbp, const real (*table)[SBP_ROWS],
                               int row, const real *SWE_RESTRICT w, const real *SWE_RESTRICT f,
                               ptrdiff_t s)
{
    real sum = table[0][row] * sbp_square(w, f, 0);
    for (int k = 1; k < sbp_columns(order); k++)
        sum += table[k][row] * sbp_square(w, f, sbp_column(order, sbp, k) * s);
    return sum;
}

/* (Pcv w f^2)_v, as sbp_pcv; w and f have the same stride. */
SWE_POINT real sbp_pcv_squares(int order, sbp_region where, const swe_sbp *sbp, int n, int v,
                               const real *SWE_RESTRICT w, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    if (sbp_is_low(where, sbp_closed_vertices(order, sbp), v))
        return sbp_sum_squares(order, sbp, sbp->pcv, v, w - v * s, f - v * s, s);
    if (sbp_is_high(where, sbp_closed_vertices(order, sbp), n, v))
        return sbp_sum_squares(order, sbp, sbp->pcv, n - v, w + (n - 1 - v) * s,
                               f + (n - 1 - v) * s, -s);
    if (where == SBP_CLOSURE) {
        const sbp_end e = sbp_end_of(v, n, n - 1, s);
        return sbp_sum_squares(order, sbp, sbp->pcv, e.row, w + e.first, f + e.first, e.s);
    }
    const real m1 = sbp_square(w, f, 0) + sbp_square(w, f, -s);
    if (order == 2)
        return (real)0.5 * m1;
    const real m3 = sbp_square(w, f, s) + sbp_square(w, f, -2 * s);
    if (order == 4)
        return (real)(9.0 / 16.0) * m1 - (real)(1.0 / 16.0) * m3;
    const real m5 = sbp_square(w, f, 2 * s) + sbp_square(w, f, -3 * s);
    return (real)(75.0 / 128.0) * m1 - (real)(25.0 / 256.0) * m3 + (real)(3.0 / 256.0) * m5;
}

/* The dissipation operator, `spread` in sbp.h, uses differences of the closure's degree p, and its
 * stencil reads p vertices to either side. Orders 4 and 6 have closures of two degrees each; the
 * equispaced closures have degree order/2 + 1. */

/* Vertices at each end whose row of the dissipation operator differs from the interior stencil, at
 * least the vertices of the closure, where the norm differs from 1; and vertices that such a row
 * reads. */
SWE_POINT int sbp_spread_rows(int order, int degree)
{
    return order == 2 ? 2 : degree == order / 2 + 1 ? order : degree + order / 2;
}

SWE_POINT int sbp_spread_columns(int order, int degree)
{
    return sbp_spread_rows(order, degree) + degree;
}

/* Sum of the first `count` columns of row `row` of spread. */
SWE_POINT real sbp_spread_sum(int count, const swe_sbp *sbp, int row, const real *SWE_RESTRICT f,
                              ptrdiff_t s)
{
    real sum = sbp->spread[0][row] * f[0];
    for (int k = 1; k < count; k++)
        sum += sbp->spread[k][row] * f[k * s];
    return sum;
}

/* Dissipation operator (Hv^-1 B^T B f)_v / 4^p of vertex values f, B the p-th differences; `at` is
 * the address of f_v. Interior row: (-1)^k binomial(2p, p + k) / 4^p, 1 on the shortest wave.
 * `degree` is p; it must be a compile-time constant, too. */
SWE_POINT real sbp_spread(int order, int degree, sbp_region where, const swe_sbp *sbp, int n, int v,
                          const real *SWE_RESTRICT at, ptrdiff_t s)
{
    const int rows = sbp_spread_rows(order, degree), columns = sbp_spread_columns(order, degree);
    if (sbp_is_low(where, rows, v))
        return sbp_spread_sum(columns, sbp, v, at - v * s, s);
    if (sbp_is_high(where, rows, n, v))
        return sbp_spread_sum(columns, sbp, n - v, at + (n - v) * s, -s);
    if (where == SBP_CLOSURE) {
        const sbp_end e = sbp_end_of(v, n, n, s);
        return sbp_spread_sum(columns, sbp, e.row, at + e.first, e.s);
    }
    const real m1 = at[s] + at[-s], m2 = at[2 * s] + at[-2 * s];
    if (degree == 2)
        return (real)(6.0 / 16.0) * at[0] - (real)(4.0 / 16.0) * m1 + (real)(1.0 / 16.0) * m2;
    const real m3 = at[3 * s] + at[-3 * s];
    if (degree == 3)
        return (real)(20.0 / 64.0) * at[0] - (real)(15.0 / 64.0) * m1 + (real)(6.0 / 64.0) * m2 -
               (real)(1.0 / 64.0) * m3;
    const real m4 = at[4 * s] + at[-4 * s];
    if (degree == 4)
        return (real)(70.0 / 256.0) * at[0] - (real)(56.0 / 256.0) * m1 +
               (real)(28.0 / 256.0) * m2 - (real)(8.0 / 256.0) * m3 + (real)(1.0 / 256.0) * m4;
    return (real)(252.0 / 1024.0) * at[0] - (real)(210.0 / 1024.0) * m1 +
           (real)(120.0 / 1024.0) * m2 - (real)(45.0 / 1024.0) * m3 + (real)(10.0 / 1024.0) * m4 -
           (real)(1.0 / 1024.0) * (at[5 * s] + at[-5 * s]);
}

/* Run `call` with ORDER and DEGREE of a closure as compile-time constants. */
#define SBP_WITH_DEGREE(sbp, ...)                                                                  \
    SWE_WITH_ORDER((sbp)->order, {                                                                 \
        enum { NARROW = ORDER / 2 + 1 };                                                           \
        if (ORDER == 2 || (sbp)->degree == NARROW) {                                               \
            enum { DEGREE = NARROW };                                                              \
            __VA_ARGS__;                                                                           \
        } else {                                                                                   \
            enum { DEGREE = ORDER == 2 ? (int)NARROW : (int)SBP_DEGREE_MOVED };                    \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    })

/* Extrapolation l . f, r . f of n cell values to the low end (vertex 0) or the high end (vertex n).
 * `f` is the address of cell 0 for both ends. */
SWE_POINT real sbp_edge_low(int order, const swe_sbp *sbp, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    real sum = sbp->edge[0] * f[0];
    for (int k = 1; k < sbp_edge_length(order); k++)
        sum += sbp->edge[k] * f[k * s];
    return sum;
}

SWE_POINT real sbp_edge_high(int order, const swe_sbp *sbp, int n, const real *SWE_RESTRICT f,
                             ptrdiff_t s)
{
    return sbp_edge_low(order, sbp, f + (n - 1) * s, -s);
}

#endif
