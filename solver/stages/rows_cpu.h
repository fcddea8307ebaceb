/* How the CPU backend walks a field: one row of one panel, or a piece of one, at a time.
 *
 * A row along i is cut into the low closure, the interior and the high closure, so that the
 * interior loop has no branch and vectorises; a row's own region along j is the same for all i. */
#ifndef SWE_STAGES_ROWS_CPU_H
#define SWE_STAGES_ROWS_CPU_H

#include "operators/sbp_point.h"

enum { ROWS_LINE = 64 / sizeof(real) }; /* of a cache: that many values */

/* Places first..last-1 of a line. */
typedef struct rows_range {
    int first, last;
} rows_range;

/* Piece `index` of `count` nearly equal pieces of `places`. */
SWE_POINT rows_range rows_piece(int places, int index, int count)
{
    const rows_range range = {(int)((long)places * index / count),
                              (int)((long)places * (index + 1) / count)};
    return range;
}

/* The interior of the operators to vertices, and of those to cells. */
SWE_POINT rows_range rows_vertices(int order, int n)
{
    const rows_range interior = {sbp_vertex_rows(order), n + 1 - sbp_vertex_rows(order)};
    return interior;
}

SWE_POINT rows_range rows_cells(int order, int n)
{
    const rows_range interior = {sbp_cell_rows(order), n - sbp_cell_rows(order)};
    return interior;
}

SWE_POINT int rows_is_interior(rows_range interior, int place)
{
    return place >= interior.first && place < interior.last;
}

SWE_POINT int rows_clamp(int place, rows_range range)
{
    return place < range.first ? range.first : place > range.last ? range.last : place;
}

/* Before a loop over the places of a closure. */
#if defined(__GNUC__) && !defined(__clang__)
#define ROWS_UNROLL _Pragma("GCC unroll 8")
#else
#define ROWS_UNROLL
#endif

#define ROWS_PLACE(region, place, first, ...)                                                      \
    {                                                                                              \
        const sbp_region where = region;                                                           \
        const int i = place;                                                                       \
        const int k = i - (first);                                                                 \
        __VA_ARGS__;                                                                               \
    }

/* Do a statement for the places i of `range`, k = i - range.first, with `where` a constant: the
 * region that i is in. Closures have as many places as the order says, so that their loops unroll;
 * from the low one the interior goes to the end of a cache line, then from line to line. */
#define ROWS_ALONG(range, interior, ...)                                                           \
    do {                                                                                           \
        const rows_range all = range, inner = interior;                                            \
        const int rows = inner.first, places = inner.first + inner.last;                           \
        const int high = rows_clamp(inner.last, all);                                              \
        int low = rows_clamp(inner.first, all);                                                    \
        if (places < 2 * rows)                                                                     \
            __builtin_unreachable();                                                               \
        ROWS_UNROLL for (int closure = 0; closure < rows; closure++)                               \
        {                                                                                          \
            if (closure >= all.first && closure < all.last)                                        \
                ROWS_PLACE(SBP_ANYWHERE, closure, all.first, __VA_ARGS__)                          \
            if (places - 1 - closure >= all.first && places - 1 - closure < all.last)              \
                ROWS_PLACE(SBP_ANYWHERE, places - 1 - closure, all.first, __VA_ARGS__)             \
        }                                                                                          \
        if (low == rows && rows < ROWS_LINE && high >= ROWS_LINE) {                                \
            _Pragma("omp simd") for (int inside = rows; inside < ROWS_LINE; inside++)              \
                ROWS_PLACE(SBP_INTERIOR, inside, all.first, __VA_ARGS__);                          \
            low = ROWS_LINE;                                                                       \
        }                                                                                          \
        _Pragma("omp simd") for (int inside = low; inside < high; inside++)                        \
            ROWS_PLACE(SBP_INTERIOR, inside, all.first, __VA_ARGS__);                              \
    } while (0)

/* Do a statement for place j of a line, with REGION a constant: the region that j is in. In every
 * branch the compiler knows what else the operators ask of j: a loop along i, which is the
 * statement, has no condition. */
#define ROWS_IN(region, ...)                                                                       \
    {                                                                                              \
        enum { REGION = region };                                                                  \
        __VA_ARGS__;                                                                               \
    }
#define ROWS_AT_VERTEX(order, n, j, ...)                                                           \
    do {                                                                                           \
        if ((j) < sbp_vertex_rows(order))                                                          \
            ROWS_IN(SBP_ANYWHERE, __VA_ARGS__)                                                     \
        else if ((j) > (n)-sbp_vertex_rows(order))                                                 \
            ROWS_IN(SBP_ANYWHERE, __VA_ARGS__)                                                     \
        else                                                                                       \
            ROWS_IN(SBP_INTERIOR, __VA_ARGS__)                                                     \
    } while (0)
#define ROWS_AT_CELL(order, n, j, ...)                                                             \
    do {                                                                                           \
        if ((j) < sbp_cell_rows(order))                                                            \
            ROWS_IN(SBP_ANYWHERE, __VA_ARGS__)                                                     \
        else if ((j) >= (n)-sbp_cell_rows(order))                                                  \
            ROWS_IN(SBP_ANYWHERE, __VA_ARGS__)                                                     \
        else                                                                                       \
            ROWS_IN(SBP_INTERIOR, __VA_ARGS__)                                                     \
    } while (0)

#endif
