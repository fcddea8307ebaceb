/* Rows made simd after simd (simd_cpu.h): which of them are at an end, the stencils, the
 * closures along xi1, and the end of a substep of a step. For sources that are compiled for each
 * kind of processor.
 *
 * Closures along xi1 are made by themselves, as points, beside the loop over a row: before it what
 * simd take of them, after it what takes simd. Sums are written in the order of the point
 * functions, in which a compiler fuses multiplications with them. */
#ifndef SWE_STAGES_SIMD_ROWS_CPU_H
#define SWE_STAGES_SIMD_ROWS_CPU_H

#include "stages/simd_cpu.h"
#include "stages/rk4/rk4_point.h"
#include "stages/tiles_cpu.h"

/* Lanes of a row: all of them inside the range that is made, or at an end of it. */
typedef enum simd_where { SIMD_INSIDE, SIMD_AT_END } simd_where;

/* What stencils along xi1 take of a window is made as many places before. */
enum { SIMD_BEFORE = SIMD_BESIDE * LANES };

/* The simd k of a row, whose columns are `i`, that with all they make are off the closures along
 * xi1. */
SWE_POINT rows_range simd_inside(int order, int n, rows_range i)
{
    const int first = sbp_columns(order), last = n - sbp_columns(order) - SIMD_BEFORE - LANES;
    const rows_range inside = {first > i.first ? (first - i.first + LANES - 1) / LANES * LANES : 0,
                               (last < i.last - LANES ? last : i.last - LANES) - i.first + 1};
    return inside;
}

/* Do a statement for simd k = begin, begin + LANES, ... < end of a row, `where` being a constant:
 * those of `inside` are, the others at an end. */
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

/* Lanes at place i of a line whose closure has been made, now with those of its interior. */
SWE_POINT simd simd_with_closure(rows_range interior, int i, simd x, real *line)
{
    const simd all = simd_within(interior, i, x, simd_at(line));
    simd_put(all, line);
    return all;
}

/* Ask for a piece of what the next rows take with each cache line of these, but for the ends. */
SWE_POINT void simd_ask(simd_where where, tile_prefetch *prefetch, int k)
{
    if (where == SIMD_INSIDE && (SIMD_BYTES == 64 || k % ROWS_LINE == 0))
        prefetch_ask(prefetch);
}

/* The substep's result of simd at i whose tendency is k. */
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

/* ---- stencils; f points at the place, a window's middle is at it -------------------------------
 */

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

/* ---- the closures along xi1 -------------------------------------------------------------------
 */

/* Do a statement for the first and the last `count` of some places along xi1, those that a tile
 * has; i is the place, k its column in the tile, `where` the end. */
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
