#include "outputs/json_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/output.h"
#include "base/text.h"

json_t *prof_json_text_prefix(const char *text, int length)
{
    json_t *value = json_stringn(text, (size_t)length);
    char *ascii = value == NULL ? strndup(text, (size_t)length) : NULL;
    if (ascii == NULL)
        return value;
    for (char *c = ascii; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = json_string(ascii);
    free(ascii);
    return value;
}

json_t *prof_json_text_or_null(const char *text)
{
    return text != NULL ? prof_json_text_prefix(text, (int)strlen(text)) : json_null();
}

json_t *prof_json_text(const char *text)
{
    char *copy = strdup(text != NULL ? text : "");
    if (copy == NULL)
        return NULL;
    swe_to_utf8(copy); /* texts of a profile may be cut within a character */
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

json_t *prof_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *prof_json_positive(double value)
{
    return value > 0.0 ? prof_json_real(value) : json_null();
}

json_t *prof_json_nonnegative(double value)
{
    return value >= 0.0 ? prof_json_real(value) : json_null();
}

json_t *prof_json_positive_integer(int64_t value)
{
    return value > 0 ? json_integer(value) : json_null();
}

void prof_json_set(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) == 0)
        return;
    json_decref(*object);
    *object = NULL;
}

void prof_json_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}

/* The nearest integer: fractions of a nanosecond or of a byte are below the resolution. */
static json_int_t whole(double value)
{
    return llround(value);
}

json_t *prof_json_statistics(const prof_group *group)
{
    if (group == NULL)
        return json_null();
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "count",
                     (json_int_t)group->count, "total", (json_int_t)group->total, "mean",
                     whole(group->mean), "median", whole(group->median), "lower_quartile",
                     whole(group->low), "upper_quartile", whole(group->high), "min",
                     (json_int_t)group->min, "max", (json_int_t)group->max, "deviation",
                     whole(group->deviation));
}

json_t *prof_json_only_statistics(prof_groups *groups)
{
    if (groups == NULL)
        return NULL;
    json_t *value = prof_json_statistics(groups->count > 0 ? &groups->group[0] : NULL);
    prof_groups_destroy(&groups);
    return value;
}

bool prof_json_write(json_t *document, size_t flags, const char *directory, const char *name,
                     prof_log *log)
{
    FILE *file = prof_file_open(directory, name, log);
    if (file == NULL) {
        json_decref(document);
        return false;
    }
    const bool complete = document != NULL && json_dumpf(document, file, flags) == 0;
    json_decref(document);
    putc('\n', file);
    if (!complete && ferror(file) == 0)
        prof_warn(log, "%s/%s: out of memory", directory, name);
    return prof_file_close(file, directory, name, log) && complete;
}
