/* Where a state is not finite. */
#ifndef SWE_DIAGNOSTICS_FINITE_H
#define SWE_DIAGNOSTICS_FINITE_H

#include <stdbool.h>

#include "fields/fields.h"

typedef struct swe_not_finite {
    const char *field; /* its name */
    int panel, j, i;
} swe_not_finite;

/* Find the first value of a host state of these fields that is not finite; false if all are. */
bool swe_find_not_finite(const swe_layout *layout, const swe_field_set *fields, const double *state,
                         swe_not_finite *out);

#endif
