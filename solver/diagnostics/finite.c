#include "diagnostics/finite.h"

#include <math.h>

static bool find_in(const swe_layout *layout, const double *field, int rows, int columns,
                    swe_not_finite *out)
{
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < columns; i++)
                if (!isfinite(field[swe_at(layout, p, j, i)])) {
                    out->panel = p;
                    out->j = j;
                    out->i = i;
                    return true;
                }
    return false;
}

bool swe_find_not_finite(const swe_layout *layout, const swe_field_set *fields, const double *state,
                         swe_not_finite *out)
{
    for (int k = 0; k < fields->count; k++) {
        const swe_field *field = &fields->field[k];
        out->field = field->name;
        if (find_in(layout, state + k * layout->field, swe_field_rows(field, layout->n),
                    swe_field_columns(field, layout->n), out))
            return true;
    }
    return false;
}
