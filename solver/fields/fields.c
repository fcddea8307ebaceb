#include "fields/fields.h"

#include "grid/topology.h"

static const swe_field fields_of_flow[SWE_FLOW_FIELDS] = {
    [SWE_FIELD_H] = {"h", "height perturbation; nonlinear: depth of the fluid", "m",
                     SWE_AT_VERTICES, SWE_OF_FLOW, 0.0, 0.0},
    [SWE_FIELD_V1] = {"v1", "covariant velocity along xi1", "m2 s-1", SWE_AT_U1, SWE_OF_FLOW, 0.0,
                      0.0},
    [SWE_FIELD_V2] = {"v2", "covariant velocity along xi2", "m2 s-1", SWE_AT_U2, SWE_OF_FLOW, 0.0,
                      0.0}};

const swe_field_set swe_flow_fields = {SWE_FLOW_FIELDS, fields_of_flow};

const swe_field swe_work_fields[SWE_WORK_COUNT] = {
#define WORK_ROW(name, long_name, units, location, flows, stages)                                  \
    {#name, long_name, units, location, SWE_OF_FLOW, 0.0, 0.0},
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
