#include "outputs/summary/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *summary_text_part(const char *text, int length)
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

json_t *summary_text(const char *text)
{
    return text != NULL ? summary_text_part(text, (int)strlen(text)) : json_null();
}

json_t *summary_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *summary_known(double value)
{
    return value > 0.0 ? summary_real(value) : json_null();
}

json_t *summary_known_integer(int64_t value)
{
    return value > 0 ? json_integer(value) : json_null();
}

void summary_append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}

/* To the nearest integer: fractions of a nanosecond or a byte say nothing. */
static json_int_t whole(double value)
{
    return llround(value);
}

json_t *summary_group(const prof_group *group)
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

json_t *summary_only_group(prof_groups *groups)
{
    if (groups == NULL)
        return NULL;
    json_t *value = summary_group(groups->count > 0 ? &groups->group[0] : NULL);
    prof_groups_destroy(&groups);
    return value;
}
