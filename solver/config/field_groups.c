#include "config/field_groups.h"

#include <stdlib.h>

static const swe_field_group *const groups[] = {
#define GROUP_ROW(name) &swe_group_##name,
    SWE_FIELD_GROUPS(GROUP_ROW)
#undef GROUP_ROW
};

enum { GROUPS = sizeof groups / sizeof groups[0] };

swe_status swe_field_groups_list(swe_context *ctx, swe_config *config)
{
    int count = 0;
    for (int g = 0; g < GROUPS; g++)
        count += groups[g]->count(config);
    swe_field *fields = calloc((size_t)count, sizeof *fields);
    if (fields == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the list of fields");
    config->fields = (swe_field_set){count, fields};
    for (int g = 0; g < GROUPS; g++)
        for (int k = 0; k < groups[g]->count(config); k++)
            *fields++ = groups[g]->field(config, k);
    return SWE_OK;
}

swe_status swe_field_groups_check(const swe_checker *c, const swe_config *config)
{
    for (int g = 0; g < GROUPS; g++)
        SWE_TRY(groups[g]->check(c, config));
    return SWE_OK;
}

swe_status swe_field_groups_start(swe_context *ctx, const swe_config *config,
                                  const swe_start *start, const swe_host_fields *state)
{
    int first = 0;
    for (int g = 0; g < GROUPS; g++) {
        SWE_TRY(groups[g]->start(ctx, start, first, state));
        first += groups[g]->count(config);
    }
    return SWE_OK;
}
