/* Rows on the CPU: a field is processed one row of one panel, or a section of one, at a time.
 *
 * The region of a point along i is the low closure, the interior or the high closure. A row is cut
 * into them, so that the interior loop has no branch and vectorises. All points of a row have the
 * same region along j. */
#ifndef SWE_STAGES_ROWS_CPU_H
#define SWE_STAGES_ROWS_CPU_H

#include "operators/sbp_point.h"
#include "stages/params.h"

enum { ROWS_LINE = SWE_CACHE_LINE / sizeof(real) }; /* cache line in values */

typedef swe_range rows_range;

/* Share `index` of `count` nearly equal shares of `points` points. */
SWE_POINT rows_range rows_share(int points, int index, int count)
{
    const rows_range range = {(int)((long)points * index / count),
                              (int)((long)points * (index + 1) / count)};
    return range;
}

/* Copy values. */
SWE_POINT void rows_copy(ptrdiff_t count, const real *SWE_RESTRICT from, real *SWE_RESTRICT to)
{
    for (ptrdiff_t k = 0; k < count; k++)
        to[k] = from[k];
}

/* The points first..last-1 of a line outside its closures, which have `first` points each. */
typedef struct rows_interior {
    int first, last;
} rows_interior;

SWE_POINT rows_range rows_of(rows_interior interior)
{
    const rows_range range = {interior.first, interior.last};
    return range;
}

/* The vertices where operators from cells to vertices use their interior stencil. */
SWE_POINT rows_interior rows_vertices(int order, const swe_params *params)
{
    const int rows = sbp_closed_vertices(order, &params->sbp);
    const rows_interior interior = {rows, params->layout.n + 1 - rows};
    return interior;
}

/* The cells where operators from vertices to cells use their interior stencil. */
SWE_POINT rows_interior rows_cells(int order, const swe_params *params)
{
    const int rows = sbp_closed_cells(order, &params->sbp);
    const rows_interior interior = {rows, params->layout.n - rows};
    return interior;
}

/* `point`, an end (first or last) of some range, moved into range.first to range.last. */
SWE_POINT int rows_clamp(int point, rows_range range)
{
    return point < range.first ? range.first : point > range.last ? range.last : point;
}

/* The points of both ranges. */
SWE_POINT rows_range rows_within(rows_range points, rows_range range)
{
    const rows_range both = {rows_clamp(points.first, range), rows_clamp(points.last, range)};
    return both;
}

/* Private to ROWS_ALONG: one point. */
#define ROWS_POINT(region, point, first, ...)                                                      \
    {                                                                                              \
        const sbp_region where = region;                                                           \
        const int i = point;                                                                       \
        const int k = i - (first);                                                                 \
        __VA_ARGS__;                                                                               \
    }

/* A pragma for loops over the points of a closure or an edge: gcc then vectorises the loop. clang
 * decides by itself; with the pragma it warns about short loops and large strides. */
#if defined(__GNUC__) && !defined(__clang__)
#define ROWS_VECTOR _Pragma("omp simd")
#else
#define ROWS_VECTOR
#endif

/* Execute a statement for `closure` from 0 to rows - 1. */
#define ROWS_OF_CLOSURE(rows, ...)                                                                 \
    ROWS_VECTOR for (int closure = 0; closure < (rows); closure++) __VA_ARGS__

/* Private to ROWS_ALONG, whose variable `rows` is the number of points of a closure: the closure
 * that begins at `begin`, if all of it is in `all`. */
#define ROWS_CLOSURE(region, begin, all, ...)                                                      \
    if (all.first <= (begin) && all.last >= (begin) + rows) {                                      \
        ROWS_OF_CLOSURE(rows, ROWS_POINT(region, (begin) + closure, all.first, __VA_ARGS__))       \
    }

/* Execute a statement at each point i of `range`. In it k is i - range.first, and `where` is a
 * compile-time constant: the region of i. `interior` leaves a closure of interior.first points at
 * either end of the line; the closures must not overlap. `range` must contain all of a closure or
 * none of it (ctest -R test_tiles).
 *
 * The loops are SIMD loops, and the closures come first: the statement must not read what it writes
 * at another point, and must not leave its loop (break, return). In the arguments use no variables
 * of your own with the names i, k, where, all, inner, rows, high, low, closure and inside.
 *
 * Behind a low closure a first loop ends at column ROWS_LINE, where the main loop begins. This is
 * the begin of a cache line if column 0 is; only speed depends on it. */
#define ROWS_ALONG(range, interior, ...)                                                           \
    do {                                                                                           \
        const rows_range all = range;                                                              \
        const rows_interior inner = interior;                                                      \
        const int rows = inner.first, high = rows_clamp(inner.last, all);                          \
        int low = rows_clamp(inner.first, all);                                                    \
        if (inner.last < rows) /* both closures fit */                                             \
            __builtin_unreachable();                                                               \
        ROWS_CLOSURE(SBP_LOW, 0, all, __VA_ARGS__)                                                 \
        ROWS_CLOSURE(SBP_HIGH, inner.last, all, __VA_ARGS__)                                       \
        if (low == rows && rows < ROWS_LINE && high >= ROWS_LINE) {                                \
            _Pragma("omp simd") for (int inside = rows; inside < ROWS_LINE; inside++)              \
                ROWS_POINT(SBP_INTERIOR, inside, all.first, __VA_ARGS__);                          \
            low = ROWS_LINE;                                                                       \
        }                                                                                          \
        _Pragma("omp simd") for (int inside = low; inside < high; inside++)                        \
            ROWS_POINT(SBP_INTERIOR, inside, all.first, __VA_ARGS__);                              \
    } while (0)

/* Private to ROWS_AT. */
#define ROWS_IN(region, ...)                                                                       \
    {                                                                                              \
        enum { REGION = region };                                                                  \
        __VA_ARGS__;                                                                               \
    }

/* Execute a statement once, for point j of a line. In it REGION is a compile-time constant: the
 * region of j, SBP_INTERIOR or SBP_CLOSURE. A loop along i in the statement therefore needs no
 * branch on j. */
#define ROWS_AT(interior, j, ...)                                                                  \
    do {                                                                                           \
        const rows_interior inside_of = interior;                                                  \
        if ((j) < inside_of.first || (j) >= inside_of.last)                                        \
            ROWS_IN(SBP_CLOSURE, __VA_ARGS__)                                                      \
        else                                                                                       \
            ROWS_IN(SBP_INTERIOR, __VA_ARGS__)                                                     \
    } while (0)
#define ROWS_AT_VERTEX(order, params, j, ...) ROWS_AT(rows_vertices(order, params), j, __VA_ARGS__)
#define ROWS_AT_CELL(order, params, j, ...)   ROWS_AT(rows_cells(order, params), j, __VA_ARGS__)

/* ROWS_AT_VERTEX with REGION SBP_LOW, SBP_HIGH or SBP_INTERIOR. Code for either closure computes
 * the addresses of its values in every row; in buffers whose pitch is a constant, code for one
 * closure has constant offsets. The sweeps are faster with it on small panels. */
#define ROWS_AT_VERTEX_OF_END(order, params, j, ...)                                               \
    do {                                                                                           \
        const rows_interior inside_of = rows_vertices(order, params);                              \
        if ((j) < inside_of.first)                                                                 \
            ROWS_IN(SBP_LOW, __VA_ARGS__)                                                          \
        else if ((j) >= inside_of.last)                                                            \
            ROWS_IN(SBP_HIGH, __VA_ARGS__)                                                         \
        else                                                                                       \
            ROWS_IN(SBP_INTERIOR, __VA_ARGS__)                                                     \
    } while (0)

#endif
