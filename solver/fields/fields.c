#include "fields/fields.h"

#include "grid/topology.h"

static const swe_field fields_of_flow[SWE_FLOW_FIELDS] = {
    [SWE_FIELD_H] = {.name = "h",
                     .long_name = "height perturbation; nonlinear: depth of the fluid",
                     .units = "m",
                     .location = SWE_AT_VERTICES},
    [SWE_FIELD_V1] = {.name = "v1",
                      .long_name = "covariant velocity along xi1",
                      .units = "m2 s-1",
                      .location = SWE_AT_U1},
    [SWE_FIELD_V2] = {.name = "v2",
                      .long_name = "covariant velocity along xi2",
                      .units = "m2 s-1",
                      .location = SWE_AT_U2}};

const swe_field_set swe_flow_fields = {SWE_FLOW_FIELDS, fields_of_flow};

const swe_field swe_work_fields[SWE_WORK_COUNT] = {
#define WORK_ROW(work, what, unit, place, flows, stages)                                           \
    {.name = #work, .long_name = what, .units = unit, .location = place},
    SWE_WORK_LIST(WORK_ROW)
#undef WORK_ROW
};

int swe_field_rows(const swe_field *field, int n)
{
    return field->location == SWE_AT_U2 ? n : n + 1;
}

int swe_field_columns(const swe_field *field, int n)
{
    return field->location == SWE_AT_U1 ? n : n + 1;
}

size_t swe_location_values(swe_location location, int n)
{
    const size_t side = (size_t)n + 1;
    return location == SWE_ON_EDGES   ? SWE_EDGES * side
           : location == SWE_ON_SIDES ? (size_t)SWE_PANELS * SWE_SIDES * side
                                      : (size_t)swe_layout_of(n).field;
}

size_t swe_state_values(const swe_field_set *fields, int n)
{
    return (size_t)fields->count * (size_t)swe_layout_of(n).field;
}
