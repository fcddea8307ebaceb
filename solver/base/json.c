#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

json_t *swe_json_text_prefix(const char *text, int length)
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

json_t *swe_json_text_or_null(const char *text)
{
    return text != NULL ? swe_json_text_prefix(text, (int)strlen(text)) : json_null();
}

json_t *swe_json_text(const char *text)
{
    char *copy = strdup(text != NULL ? text : "");
    if (copy == NULL)
        return NULL;
    swe_to_utf8(copy); /* a text may be cut within a character */
    json_t *value = json_string(copy);
    free(copy);
    return value;
}

json_t *swe_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *swe_json_positive(double value)
{
    return value > 0.0 ? swe_json_real(value) : json_null();
}

json_t *swe_json_nonnegative(double value)
{
    return value >= 0.0 ? swe_json_real(value) : json_null();
}

json_t *swe_json_positive_integer(int64_t value)
{
    return value > 0 ? json_integer(value) : json_null();
}

/* Release a container after a failure. */
static void check(json_t **container, int failed)
{
    if (failed == 0)
        return;
    json_decref(*container);
    *container = NULL;
}

void swe_json_set(json_t **object, const char *key, json_t *value)
{
    check(object, json_object_set_new(*object, key, value));
}

void swe_json_append(json_t **array, json_t *value)
{
    check(array, json_array_append_new(*array, value));
}

void swe_json_extend(json_t **object, json_t *with)
{
    check(object, with == NULL || json_object_update(*object, with) != 0);
    json_decref(with);
}

/* ---- structures ---- */

#define SIMPLE(of) [of] = {.kind = of}
const field_type swe_field_types[KIND_NAME] = {
    SIMPLE(KIND_TEXT),   SIMPLE(KIND_STAGE),    SIMPLE(KIND_ARRAY),   SIMPLE(KIND_NUMBER),
    SIMPLE(KIND_MOMENT), SIMPLE(KIND_POSITIVE), SIMPLE(KIND_AMOUNT),  SIMPLE(KIND_SIGNED),
    SIMPLE(KIND_KNOWN),  SIMPLE(KIND_COUNT),    SIMPLE(KIND_INTEGER), SIMPLE(KIND_NATURAL),
    SIMPLE(KIND_FLAG),   SIMPLE(KIND_SIZES),    SIMPLE(KIND_DERIVED)};
#undef SIMPLE

static json_t *object_of(const field *fields, const void *from, bool recorded);

static json_t *text_of(const char *text, bool recorded)
{
    if (recorded)
        return swe_json_text_or_null(text != NULL && text[0] != '\0' ? text : NULL);
    return swe_json_text(text);
}

static json_t *list_of(const field *f, const void *from, bool recorded)
{
    const void *number = (const char *)from + f->type->count;
    const char *item;
    memcpy(&item, (const char *)from + f->offset, sizeof item);
    const int64_t count = f->type->is_long ? *(const int64_t *)number : *(const int *)number;
    json_t *all = json_array();
    for (int64_t k = 0; k < count && all != NULL; k++, item += f->type->size)
        swe_json_append(&all, f->type->kind == KIND_TEXTS
                                  ? text_of(*(const char *const *)(const void *)item, recorded)
                                  : object_of(f->type->fields, item, recorded));
    return all;
}

static json_t *number_of(const field_type *type, double value, bool recorded)
{
    if (!recorded)
        return swe_json_real(value);
    if (type->is_whole && isfinite(value))
        return json_integer(llround(value));
    return type->kind == KIND_POSITIVE ? swe_json_positive(value)
           : type->kind == KIND_AMOUNT ? swe_json_nonnegative(value)
                                       : swe_json_real(value);
}

static json_t *value_of(const field *f, const void *from, bool recorded)
{
    const void *at = (const char *)from + f->offset;
    const int64_t *integers = at;
    const char *name;
    switch (f->type->kind) {
    case KIND_TEXT:
    case KIND_STAGE:
    case KIND_ARRAY:
        return text_of(*(const char *const *)at, recorded);
    case KIND_MOMENT:
        return recorded ? json_integer(integers[0]) : swe_json_real((double)integers[0]);
    case KIND_COUNT:
    case KIND_INTEGER:
        return integers[0] < 0 ? json_null() : json_integer(integers[0]);
    case KIND_NATURAL:
        return integers[0] < (recorded ? 1 : 0) ? json_null() : json_integer(integers[0]);
    case KIND_FLAG:
        return json_boolean(*(const bool *)at);
    case KIND_SIZES:
        return json_pack("[I, I, I]", (json_int_t)integers[0], (json_int_t)integers[1],
                         (json_int_t)integers[2]);
    case KIND_NAME:
        name = f->type->names[*(const int *)at];
        return name != NULL ? json_string(name) : json_null();
    case KIND_SPREAD:
        return integers[0] <= 0 ? json_null() : object_of(f->type->fields, at, recorded);
    case KIND_OPTIONAL:
        if (!*((const bool *)from + f->type->count))
            return json_null();
        return object_of(f->type->fields, at, recorded);
    case KIND_PART:
    case KIND_OBJECT:
        return object_of(f->type->fields, at, recorded);
    case KIND_LIST:
    case KIND_TEXTS:
        return list_of(f, from, recorded);
    default:
        return number_of(f->type, *(const double *)at, recorded);
    }
}

static json_t *object_of(const field *fields, const void *from, bool recorded)
{
    json_t *object = json_object();
    for (const field *f = fields; f->key != NULL && object != NULL; f++) {
        const bool is_other = recorded ? f->type->kind == KIND_DERIVED || f->type->kind == KIND_NAME
                                       : f->type->is_noted;
        if (!recorded && f->type->kind == KIND_PART)
            swe_json_extend(&object, object_of(f->type->fields, from, false));
        else if (!is_other)
            swe_json_set(&object, f->key, value_of(f, from, recorded));
    }
    return object;
}

json_t *swe_json_object(const field *fields, const void *from)
{
    return object_of(fields, from, false);
}

json_t *swe_json_record(const field *fields, const void *from)
{
    return object_of(fields, from, true);
}
