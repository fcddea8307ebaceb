/* The groups of prognostic fields (SWE_FIELD_GROUPS): a configuration decides the fields of each,
 * checks its keys, and defines its initial values. A new group is a line of that list and a source
 * that defines its swe_group_<name>. */
#ifndef SWE_CONFIG_FIELD_GROUPS_H
#define SWE_CONFIG_FIELD_GROUPS_H

#include "cases/case.h"
#include "config/internal.h"
#include "state/host_fields.h"

/* Everything that initial values depend on (run/start.h). */
typedef struct swe_start swe_start;

typedef struct swe_field_group {
    /* Number of fields, and field number k of them. */
    int (*count)(const swe_config *config);
    swe_field (*field)(const swe_config *config, int k);
    /* Check the keys against each other. Errors: SWE_CONFIG. */
    swe_status (*check)(const swe_checker *c, const swe_config *config);
    /* Compute the fields of the group at t = 0, from field number `first` of the state on. These
     * fields are 0 before; earlier groups have computed their fields. Errors: SWE_NO_INPUT,
     * SWE_DATA, SWE_CONFIG, SWE_NO_MEMORY. */
    swe_status (*start)(swe_context *ctx, const swe_start *start, int first,
                        const swe_host_fields *state);
} swe_field_group;

#define SWE_GROUP_DECLARE(name) extern const swe_field_group swe_group_##name;
SWE_FIELD_GROUPS(SWE_GROUP_DECLARE)
#undef SWE_GROUP_DECLARE

/* Set config->fields to the fields of all groups, in the order of the list. Errors:
 * SWE_NO_MEMORY. */
swe_status swe_field_groups_list(swe_context *ctx, swe_config *config);

/* Run `check` and `start` of all groups. */
swe_status swe_field_groups_check(const swe_checker *c, const swe_config *config);
swe_status swe_field_groups_start(swe_context *ctx, const swe_config *config,
                                  const swe_start *start, const swe_host_fields *state);

#endif
