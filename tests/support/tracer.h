/* The fields of a model whose flow carries one tracer. */
#ifndef SUPPORT_TRACER_H
#define SUPPORT_TRACER_H

#include <string.h>

#include "fields/fields.h"

static inline const swe_field_set *fields_with_a_tracer(void)
{
    static swe_field field[SWE_FLOW_FIELDS + 1];
    static const swe_field_set set = {SWE_FLOW_FIELDS + 1, field};
    memcpy(field, swe_flow_fields.field, SWE_FLOW_FIELDS * sizeof *field);
    field[SWE_FLOW_FIELDS] = (swe_field){.name = "q",
                                         .long_name = "tracer",
                                         .units = "1",
                                         .location = SWE_AT_VERTICES,
                                         .kind = SWE_ADVECTED,
                                         .greatest = 3.0,
                                         .decay = 0.3,
                                         .source = 0.2};
    return &set;
}

#endif
