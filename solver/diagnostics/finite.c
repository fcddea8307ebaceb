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

bool swe_find_not_finite(const swe_layout *layout, const double *state, swe_not_finite *out)
{
    const int n = layout->n;
    const struct {
        const char *name;
        int rows, columns;
    } fields[] = {{"h", n + 1, n + 1}, {"v1", n + 1, n}, {"v2", n, n + 1}};
    for (int k = 0; k < 3; k++) {
        out->field = fields[k].name;
        if (find_in(layout, state + k * layout->field, fields[k].rows, fields[k].columns, out))
            return true;
    }
    return false;
}
