/* Rows made lanes after lanes (lanes_cpu.h): which of them are at an end, the stencils, the
 * closures along xi1, and the end of a part of a step. For sources that are compiled for each kind
 * of processor.
 *
 * Closures along xi1 are made by themselves, as points, beside the loop over a row: before it what
 * lanes take of them, after it what takes lanes. Sums are written in the order of the point
 * functions, in which a compiler fuses multiplications with them. */
#ifndef SWE_STAGES_LANES_ROWS_CPU_H
#define SWE_STAGES_LANES_ROWS_CPU_H

#include "stages/lanes_cpu.h"
#include "stages/rk4/rk4_point.h"
#include "stages/tiles_cpu.h"

/* Lanes of a row: all of them inside the range that is made, or at an end of it. */
typedef enum lanes_where { LANES_INSIDE, LANES_AT_END } lanes_where;

/* What stencils along xi1 take of a window is made as many places before. */
enum { LANES_BEFORE = LANES_BESIDE * LANES };

/* The lanes k of a row, whose columns are `i`, that with all they make are off the closures along
 * xi1. */
SWE_POINT rows_range lanes_inside(int order, int n, rows_range i)
{
    const int first = sbp_columns(order), last = n - sbp_columns(order) - LANES_BEFORE - LANES;
    const rows_range inside = {first > i.first ? (first - i.first + LANES - 1) / LANES * LANES : 0,
                               (last < i.last - LANES ? last : i.last - LANES) - i.first + 1};
    return inside;
}

/* Do a statement for lanes k = begin, begin + LANES, ... < end of a row, `where` being a constant:
 * those of `inside` are, the others at an end. */
#define LANES_ALONG(begin, end, inside, ...)                                                       \
    do {                                                                                           \
        const rows_range off_ends = inside;                                                        \
        const int lanes_end = end;                                                                 \
        for (int k = begin; k < lanes_end;) {                                                      \
            for (; k >= off_ends.first && k < off_ends.last && k < lanes_end; k += LANES) {        \
                const lanes_where where = LANES_INSIDE;                                            \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            if (k < lanes_end) {                                                                   \
                const lanes_where where = LANES_AT_END;                                            \
                __VA_ARGS__;                                                                       \
                k += LANES;                                                                        \
            }                                                                                      \
        }                                                                                          \
    } while (0)

SWE_POINT void lanes_put_where(lanes_where where, rows_range range, int i, lanes x, real *values)
{
    if (where == LANES_INSIDE)
        lanes_put(x, values);
    else
        lanes_put_within(range, i, x, values);
}

/* Lanes at place i of a line whose closure has been made, now with those of its interior. */
SWE_POINT lanes lanes_with_closure(rows_range interior, int i, lanes x, real *line)
{
    const lanes all = lanes_within(interior, i, x, lanes_at(line));
    lanes_put(all, line);
    return all;
}

/* Ask for a piece of what the next rows take with each cache line of these, but for the ends. */
SWE_POINT void lanes_ask(lanes_where where, tile_ahead *ahead, int k)
{
    if (where == LANES_INSIDE && (LANES_BYTES == 64 || k % ROWS_LINE == 0))
        ahead_ask(ahead);
}

/* The part's result of lanes at i whose tendency is k. */
SWE_POINT void lanes_rk4(int part, lanes_where where, real weight, lanes k, rk4_arrays a,
                         rows_range range, int i)
{
    const lanes y = lanes_at(a.y);
    lanes result;
    if (part < 3)
        result = RK4_STATE(weight, k, y);
    else
        result = RK4_END(weight, k, y, lanes_at(a.y1), lanes_at(a.y2), lanes_at(a.in));
    lanes_put_where(where, range, i, result, a.out);
}

/* ---- stencils; f points at the place, a window's middle is at it -------------------------------
 */

#define LANES_AT(k) lanes_at(f + (k)*s)

SWE_POINT lanes lanes_difference(int order, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    return SBP_DIFFERENCE(order, LANES_AT);
}

SWE_POINT lanes lanes_mean(int order, const real *SWE_RESTRICT f, ptrdiff_t s)
{
    return SBP_MEAN(order, LANES_AT);
}

#undef LANES_AT
#define LANES_NEAR(k) lanes_beside(window, (k) + from)

SWE_POINT lanes lanes_difference_in(int order, const lanes *window, int from)
{
    return SBP_DIFFERENCE(order, LANES_NEAR);
}

SWE_POINT lanes lanes_mean_in(int order, const lanes *window, int from)
{
    return SBP_MEAN(order, LANES_NEAR);
}

#undef LANES_NEAR

/* ---- the closures along xi1 -------------------------------------------------------------------
 */

/* Do a statement for the first and the last `count` of some places along xi1, those that a tile
 * has; i is the place, k its column in the tile, `where` the end. */
#define LANES_END(region, begin, count, ...)                                                       \
    ROWS_VECTOR for (int closure = 0; closure < (count); closure++)                                \
    {                                                                                              \
        const sbp_region where = region;                                                           \
        const int i = (begin) + closure;                                                           \
        const ptrdiff_t k = i - first;                                                             \
        (void)where;                                                                               \
        __VA_ARGS__;                                                                               \
    }
#define LANES_ENDS(n, columns, places, count, ...)                                                 \
    do {                                                                                           \
        const int first = (columns).first;                                                         \
        if (first == 0)                                                                            \
            LANES_END(SBP_LOW, 0, count, __VA_ARGS__)                                              \
        if ((columns).last > (n))                                                                  \
            LANES_END(SBP_HIGH, (places) - (count), count, __VA_ARGS__)                            \
    } while (0)

#endif
