/* Values of the summary that are valid JSON whatever the trace holds. A NULL among them means that
 * there is no memory; json_pack passes it on to the whole. */
#ifndef PROFILING_OUTPUTS_SUMMARY_VALUES_H
#define PROFILING_OUTPUTS_SUMMARY_VALUES_H

#include <jansson.h>

#include "trace/statistics.h"

/* A text; null for NULL. Bytes that are not UTF-8 become '?'. */
json_t *summary_text(const char *text);
json_t *summary_text_part(const char *text, int length);
/* A number; null if it is not finite. */
json_t *summary_real(double value);
/* A number; null unless it is more than zero (known). */
json_t *summary_known(double value);
json_t *summary_known_integer(int64_t value);

/* Append to an array; without memory that is destroyed and NULL. */
void summary_append(json_t **array, json_t *value);

/* Statistics of a group (`statistics` of the schema); null for NULL. */
json_t *summary_group(const prof_group *group);
/* Those of the one group that there may be; destroys the groups. NULL for NULL. */
json_t *summary_only_group(prof_groups *groups);

#endif
