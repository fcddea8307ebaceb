#include "fields/fields.h"

#include "grid/topology.h"

static const swe_field prognostic[SWE_FIELD_COUNT] = {
    [SWE_FIELD_H] = {"h", "height perturbation; nonlinear: depth of the fluid", "m",
                     SWE_AT_VERTICES},
    [SWE_FIELD_V1] = {"v1", "covariant velocity along xi1", "m2 s-1", SWE_AT_U1},
    [SWE_FIELD_V2] = {"v2", "covariant velocity along xi2", "m2 s-1", SWE_AT_U2}};

const swe_field_set swe_prognostic = {SWE_FIELD_COUNT, prognostic};

const swe_field swe_work_fields[SWE_WORK_COUNT] = {
#define WORK_ROW(name, long_name, units, location, flows, pipelines)                               \
    {#name, long_name, units, location},
    SWE_WORK_LIST(WORK_ROW)
#undef WORK_ROW
};

static const struct {
    int flows, pipelines;
} work_needed[SWE_WORK_COUNT] = {
#define WORK_NEEDED(name, long_name, units, location, flows, pipelines) {flows, pipelines},
    SWE_WORK_LIST(WORK_NEEDED)
#undef WORK_NEEDED
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

bool swe_work_is_needed(int work, swe_flow flow, int pipelines)
{
    return (work_needed[work].flows & 1 << flow) != 0 &&
           (work_needed[work].pipelines & pipelines) != 0;
}
