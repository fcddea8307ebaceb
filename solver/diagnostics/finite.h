/* Where a state is not finite. */
#ifndef SWE_DIAGNOSTICS_FINITE_H
#define SWE_DIAGNOSTICS_FINITE_H

#include <stdbool.h>

#include "grid/layout.h"

typedef struct swe_not_finite {
    const char *field; /* h, v1 or v2 */
    int panel, j, i;
} swe_not_finite;

/* The first value of a host state (h, v1, v2 one after the other) that is not finite; false if all
 * of them are. */
bool swe_find_not_finite(const swe_layout *layout, const double *state, swe_not_finite *out);

#endif
