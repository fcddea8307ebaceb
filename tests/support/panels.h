/* Whole fields in one array, one after the other; they are read and written by panels. */
#ifndef TESTS_SUPPORT_PANELS_H
#define TESTS_SUPPORT_PANELS_H

#include <string.h>

#include "fields/panels.h"
#include "grid/layout.h"

typedef struct whole_fields {
    swe_layout layout;
    double *values;
} whole_fields;

static inline double *whole_panel(const whole_fields *whole, int k, int panel)
{
    return whole->values + k * whole->layout.field + panel * whole->layout.panel;
}

static inline const double *whole_get(void *fields, int k, int panel, double *room)
{
    (void)room;
    return whole_panel(fields, k, panel);
}

static inline void whole_set(void *fields, int k, int panel, const double *values)
{
    const whole_fields *whole = fields;
    memcpy(whole_panel(whole, k, panel), values, (size_t)whole->layout.panel * sizeof *values);
}

static inline swe_panels panels_of(whole_fields *whole)
{
    return (swe_panels){.fields = whole, .get = whole_get, .set = whole_set};
}

#endif
