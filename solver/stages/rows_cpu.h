/* How the CPU backend walks a field: one row of one panel, or a piece of one, at a time.
 *
 * A row along i is cut into the low closure, the interior and the high closure, so that the
 * interior loop has no branch and vectorises; a row's own region along j is the same for all i. */
#ifndef SWE_STAGES_ROWS_CPU_H
#define SWE_STAGES_ROWS_CPU_H

#include "operators/sbp_point.h"

/* Places first..last-1 of a line. */
typedef struct rows_range {
    int first, last;
} rows_range;

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

/* Do `work` for the places i of `range`, k = i - range.first, with `where` a constant: the region
 * that i is in. */
#define ROWS_ALONG(range, interior, work)                                                          \
    do {                                                                                           \
        const int low = rows_clamp((interior).first, range);                                       \
        const int high = rows_clamp((interior).last, range);                                       \
        for (int i = (range).first, k = 0; i < low; i++, k++) {                                    \
            const sbp_region where = SBP_ANYWHERE;                                                 \
            work;                                                                                  \
        }                                                                                          \
        _Pragma("omp simd") for (int i = low; i < high; i++)                                       \
        {                                                                                          \
            const sbp_region where = SBP_INTERIOR;                                                 \
            const int k = i - (range).first;                                                       \
            work;                                                                                  \
        }                                                                                          \
        for (int i = high; i < (range).last; i++) {                                                \
            const sbp_region where = SBP_ANYWHERE;                                                 \
            const int k = i - (range).first;                                                       \
            work;                                                                                  \
        }                                                                                          \
    } while (0)

#endif
