/* JSON values of outputs and documents, valid whatever a trace holds.
 *
 * Values are new jansson references. NULL means out of memory; json_pack and the functions here
 * pass a NULL on, so that only the whole document needs a check. */
#ifndef PROFILING_OUTPUTS_JSON_VALUES_H
#define PROFILING_OUTPUTS_JSON_VALUES_H

#include <jansson.h>

#include "record/log.h"
#include "trace/statistics.h"

/* A text; null for NULL. If it is not valid UTF-8, every byte above 0x7f becomes '?'. */
json_t *prof_json_text_or_null(const char *text);
/* The same for the first `length` bytes; `text` is not NULL. */
json_t *prof_json_text_prefix(const char *text, int length);
/* A text; "" for NULL. Only the invalid bytes become '?'. */
json_t *prof_json_text(const char *text);

/* A number; null if it is not finite. */
json_t *prof_json_real(double value);
/* A number; null unless it is positive (the trace's mark of an unknown value is 0). */
json_t *prof_json_positive(double value);
json_t *prof_json_positive_integer(int64_t value);
/* A number; null if it is negative (the trace's mark of an unknown value that may be 0). */
json_t *prof_json_nonnegative(double value);

/* Set a member of an object; append to an array. Out of memory, for the value or here, the
 * container is released and becomes NULL. */
void prof_json_set(json_t **object, const char *key, json_t *value);
void prof_json_append(json_t **array, json_t *value);

/* Statistics of a group (`statistics` in summary.schema.json); null for NULL. */
json_t *prof_json_statistics(const prof_group *group);
/* Statistics of the first of at most one group; destroys the groups. NULL for NULL. */
json_t *prof_json_only_statistics(prof_groups *groups);

/* Write a document to DIRECTORY/NAME and release it; `flags` are json_dumpf's. False after one
 * warning. */
bool prof_json_write(json_t *document, size_t flags, const char *directory, const char *name,
                     prof_log *log);

#endif
