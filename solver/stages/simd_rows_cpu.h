/* Rows in SIMD vectors (simd_cpu.h): ends of rows, stencils, closures along xi1, and the update of
 * a substep. For sources that are compiled for each instruction set.
 *
 * Closures along xi1 are computed point by point, beside the loop over a row: before it the
 * closures that vectors read, after it the closures that read vectors. Sums are written in the
 * order of the point functions, in which the compiler contracts multiplications. */
#ifndef SWE_STAGES_SIMD_ROWS_CPU_H
#define SWE_STAGES_SIMD_ROWS_CPU_H

#include "stages/simd_cpu.h"
#include "stages/rk4/rk4_point.h"
#include "stages/tiles_cpu.h"

/* Position of a vector in a row: all values inside the range that is computed, or some at an end of
 * it. */
typedef enum simd_where { SIMD_INSIDE, SIMD_AT_END } simd_where;

/* Reach of stencils along xi1: values in a window are computed ahead by as many points. */
enum { SIMD_BEFORE = SIMD_BESIDE * LANES };

/* The range of k in a row with columns `i` whose vectors, with all values computed from them, are
 * off the closures along xi1. */
SWE_POINT rows_range simd_inside(int order, int n, rows_range i)
{
    const int first = sbp_columns(order), last = n - sbp_columns(order) - SIMD_BEFORE - LANES;
    const rows_range inside = {first > i.first ? (first - i.first + LANES - 1) / LANES * LANES : 0,
                               (last < i.last - LANES ? last : i.last - LANES) - i.first + 1};
    return inside;
}

/* Execute a statement for vectors k = begin, begin + SIMD, ... < end of a row, with `where` a
 * constant: inside, or at an end. */
#define SIMD_ALONG(begin, end, inside, ...)                                                        \
    do {                                                                                           \
        const rows_range off_ends = inside;                                                        \
        const int simd_end = end;                                                                  \
        for (int k = begin; k < simd_end;) {                                                       \
            for (; k >= off_ends.first && k < off_ends.last && k < simd_end; k += LANES) {         \
                const simd_where where = SIMD_INSIDE;                                              \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            if (k < simd_end) {                                                                    \
                const simd_where where = SIMD_AT_END;                                              \
                __VA_ARGS__;                                                                       \
                k += LANES;                                                                        \
            }                                                                                      \
        }                                                                                          \
    } while (0)

SWE_POINT void simd_put_where(simd_where where, rows_range range, int i, simd x, real *values)
{
    if (where == SIMD_INSIDE)
        simd_put(x, values);
    else
        simd_put_within(range, i, x, values);
}

/* Values at point i of a line: closures as they were computed before, the interior from the
 * vector. */
SWE_POINT simd simd_with_closure(rows_range interior, int i, simd x, real *line)
{
    const simd all = simd_within(interior, i, x, simd_at(line));
    simd_put(all, line);
    return all;
}

/* Issue one prefetch step with each cache line of a row, but for its ends. */
SWE_POINT void simd_ask(simd_where where, tile_prefetch *prefetch, int k)
{
    if (where == SIMD_INSIDE && (SIMD_BYTES == 64 || k % ROWS_LINE == 0))
        prefetch_ask(prefetch);
}

/* Result of the substep at i for a vector with tendency k. */
SWE_POINT void simd_rk4(int substep, simd_where where, real weight, simd k, rk4_arrays a,
                        rows_range range, int i)
{
    const simd y = simd_at(a.y);
    simd result;
    if (substep < 3)
        result = RK4_STATE(weight, k, y);
    else
        result = RK4_END(weight, k, y, simd_at(a.y1), simd_at(a.y2), simd_at(a.in));
    simd_put_where(where, range, i, result, a.out);
}

/* ---- stencils; f points at the place, a window's middle is at it ----------------------------- */

#define SIMD_AT(k) simd_at(f + (k)*s)

SWE_POINT simd simd_difference(int order, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    return SBP_DIFFERENCE(order, SIMD_AT);
}

SWE_POINT simd simd_mean(int order, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    return SBP_MEAN(order, SIMD_AT);
}

#undef SIMD_AT
#define SIMD_NEAR(k) simd_beside(window, (k) + from)

SWE_POINT simd simd_difference_in(int order, const simd *window, int from)
{
    return SBP_DIFFERENCE(order, SIMD_NEAR);
}

SWE_POINT simd simd_mean_in(int order, const simd *window, int from)
{
    return SBP_MEAN(order, SIMD_NEAR);
}

#undef SIMD_NEAR

/* ---- the closures along xi1 ------------------------------------------------------------------ */

/* Execute a statement for the first and the last `count` of some points along xi1 that a tile has;
 * i is the point, k its column in the tile, `where` the end. */
#define SIMD_END(region, begin, count, ...)                                                        \
    ROWS_VECTOR for (int closure = 0; closure < (count); closure++)                                \
    {                                                                                              \
        const sbp_region where = region;                                                           \
        const int i = (begin) + closure;                                                           \
        const ptrdiff_t k = i - first;                                                             \
        (void)where;                                                                               \
        __VA_ARGS__;                                                                               \
    }
#define SIMD_ENDS(n, columns, places, count, ...)                                                  \
    do {                                                                                           \
        const int first = (columns).first;                                                         \
        if (first == 0)                                                                            \
            SIMD_END(SBP_LOW, 0, count, __VA_ARGS__)                                               \
        if ((columns).last > (n))                                                                  \
            SIMD_END(SBP_HIGH, (places) - (count), count, __VA_ARGS__)                             \
    } while (0)

#endif
