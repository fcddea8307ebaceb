/* The memory layout of every field: [panel][j][i], i along xi1 and contiguous, rows padded.
 *
 * Each field, at vertices or staggered, has room for 6 x (n + 1) x (n + 1) values, so that
 * (panel, j, i) is the same offset in all of them:
 *     h, J         vertices (v,v)   j = 0..n, i = 0..n
 *     v1, J u^1    (c,v)            j = 0..n, i = 0..n-1
 *     v2, J u^2    (v,c)            j = 0..n-1, i = 0..n
 * Operators never read the values outside a field's own range. */
#ifndef SWE_GRID_LAYOUT_H
#define SWE_GRID_LAYOUT_H

#include <stddef.h>

#include "base/point.h"

enum { SWE_PANELS = 6 };

/* Points first..last-1 of a line. */
typedef struct swe_range {
    int first, last;
} swe_range;

typedef struct swe_layout {
    int n;           /* cells along a panel side */
    ptrdiff_t pitch; /* values from row j to row j + 1 */
    ptrdiff_t panel; /* values from one panel to the next */
    ptrdiff_t field; /* values of one field, with padding */
} swe_layout;

/* Rows are padded to multiples of 8 values: a cache line of doubles, half of one of floats. */
SWE_POINT swe_layout swe_layout_of(int n)
{
    swe_layout layout;
    layout.n = n;
    layout.pitch = ((ptrdiff_t)n + 1 + 7) / 8 * 8;
    layout.panel = layout.pitch * (n + 1);
    layout.field = layout.panel * SWE_PANELS;
    return layout;
}

/* Offset of (panel, j, i). */
SWE_POINT ptrdiff_t swe_at(const swe_layout *layout, int panel, int j, int i)
{
    return panel * layout->panel + j * layout->pitch + i;
}

#endif
