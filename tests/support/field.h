/* Fields in the grid's layout: filling, comparing and poisoning the range that each has. */
#ifndef SUPPORT_FIELD_H
#define SUPPORT_FIELD_H

#include "support/check.h"

#include "grid/layout.h"
#include "support/random.h"

/* Where a field is staggered: (v,v), (c,v), (v,c). */
typedef enum field_place { AT_H, AT_V1, AT_V2 } field_place;

static inline int field_columns(const swe_layout *layout, field_place place)
{
    return place == AT_V1 ? layout->n : layout->n + 1;
}

static inline int field_rows(const swe_layout *layout, field_place place)
{
    return place == AT_V2 ? layout->n : layout->n + 1;
}

/* Offset of row `row` of all six panels' rows. */
static inline ptrdiff_t field_row(const swe_layout *layout, field_place place, int row)
{
    const int rows = field_rows(layout, place);
    return swe_at(layout, row / rows, row % rows, 0);
}

static inline void field_random(const swe_layout *layout, field_place place, random_source *random,
                                double *f)
{
    for (int row = 0; row < SWE_PANELS * field_rows(layout, place); row++)
        random_fill(random, field_columns(layout, place), f + field_row(layout, place, row));
}

/* Largest magnitude; NaN if any value is. */
static inline double field_max(const swe_layout *layout, field_place place, const double *f)
{
    double largest = 0.0;
    for (int row = 0; row < SWE_PANELS * field_rows(layout, place); row++)
        for (int i = 0; i < field_columns(layout, place); i++) {
            const double value = fabs(f[field_row(layout, place, row) + i]);
            if (isnan(value))
                return value;
            largest = fmax(largest, value);
        }
    return largest;
}

/* Largest difference over the range; NaN anywhere in it fails. */
static inline void field_check_close(const swe_layout *layout, field_place place, const double *f,
                                     const double *expected, double tolerance)
{
    for (int row = 0; row < SWE_PANELS * field_rows(layout, place); row++)
        for (int i = 0; i < field_columns(layout, place); i++) {
            const ptrdiff_t at = field_row(layout, place, row) + i;
            CHECK_CLOSE(f[at], expected[at], tolerance);
        }
}

static inline void field_check_same_bits(const swe_layout *layout, field_place place,
                                         const double *a, const double *b)
{
    for (int row = 0; row < SWE_PANELS * field_rows(layout, place); row++) {
        const ptrdiff_t at = field_row(layout, place, row);
        CHECK_SAME_BITS(a + at, b + at, field_columns(layout, place));
    }
}

/* NaN wherever the field's range is not, in `panels` panels. */
static inline void field_poison(const swe_layout *layout, field_place place, int panels, double *f)
{
    const int columns = field_columns(layout, place), rows = field_rows(layout, place);
    for (ptrdiff_t at = 0; at < panels * layout->panel; at++) {
        const ptrdiff_t i = at % layout->pitch, j = at % layout->panel / layout->pitch;
        if (i >= columns || j >= rows)
            f[at] = NAN;
    }
}

#endif
