/* Conversion of structures to JSON by their tables. */
#include "page/members.h"

#include <stdbool.h>
#include <stdint.h>

#include "page/page.h"

static int64_t count_of(const member *m, const void *from)
{
    const char *at = (const char *)from + m->count;
    return m->kind == LONG_LIST ? *(const int64_t *)(const void *)at
                                : *(const int *)(const void *)at;
}

static json_t *list_of(const member *m, const void *from)
{
    const void *address = (const char *)from + m->offset;
    const char *item = *(const char *const *)address;
    const int64_t count = count_of(m, from);
    json_t *all = json_array();
    for (int64_t k = 0; k < count && all != NULL; k++, item += m->size)
        prof_json_append(&all, m->kind == TEXTS
                                   ? prof_json_text(*(const char *const *)(const void *)item)
                                   : prof_json_object(m->members, item));
    return all;
}

static json_t *name_of(const member *m, const void *at)
{
    const char *name = m->names[*(const int *)at];
    return name != NULL ? json_string(name) : json_null();
}

static json_t *value_of(const member *m, const void *from)
{
    const void *at = (const char *)from + m->offset;
    const int64_t *integers = at;
    switch (m->kind) {
    case TEXT:
        return prof_json_text(*(const char *const *)at);
    case REAL:
        return prof_json_real(*(const double *)at);
    case COUNT:
        return integers[0] < 0 ? json_null() : json_integer(integers[0]);
    case FLAG:
        return json_boolean(*(const bool *)at);
    case NAME:
        return name_of(m, at);
    case SIZES:
        return json_pack("[I, I, I]", (json_int_t)integers[0], (json_int_t)integers[1],
                         (json_int_t)integers[2]);
    case COUNTED:
        return integers[0] <= 0 ? json_null() : prof_json_object(m->members, at);
    case OBJECT:
        return prof_json_object(m->members, at);
    default:
        return list_of(m, from);
    }
}

json_t *prof_json_object(const member *members, const void *from)
{
    json_t *object = json_object();
    for (const member *m = members; m->key != NULL; m++)
        prof_json_set(&object, m->key, value_of(m, from));
    return object;
}
