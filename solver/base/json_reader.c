#include "base/json_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"

/* ---- the pool ---- */

pool *pool_create(void)
{
    return calloc(1, sizeof(pool));
}

void pool_destroy(pool **pointer)
{
    pool *p = *pointer;
    if (p == NULL)
        return;
    for (size_t k = 0; k < p->count; k++)
        free(p->block[k]);
    free(p->block);
    free(p);
    *pointer = NULL;
}

/* Make room for one more block. */
static bool grow(pool *p)
{
    if (p->count < p->size)
        return true;
    const size_t size = p->size > 0 ? 2 * p->size : 64;
    void **block = realloc(p->block, size * sizeof *block);
    if (block == NULL)
        return false;
    p->block = block;
    p->size = size;
    return true;
}

void *pool_array(pool *p, size_t count, size_t size)
{
    if (count == 0)
        return NULL;
    void *block = grow(p) ? calloc(count, size) : NULL;
    if (block == NULL)
        p->failed = true;
    else
        p->block[p->count++] = block;
    return block;
}

const char *pool_vtext(pool *p, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length >= 0 ? pool_array(p, (size_t)length + 1, 1) : NULL;
    if (text == NULL)
        return "";
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

const char *pool_text(pool *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = pool_vtext(p, format, arguments);
    va_end(arguments);
    return text;
}

/* ---- files and values ---- */

enum { PATH_SIZE = 256 };

static void refuse_file(reader *r, swe_load status, const char *why)
{
    swe_warn(r->log, "%s: %s", r->file, why);
    r->status = status;
}

/* Append the path of a node, such as "kernels[3].time_ns.median", to `path` (PATH_SIZE bytes). */
static void append_path(const node *n, char *path)
{
    if (n->parent != NULL)
        append_path(n->parent, path);
    const size_t length = strlen(path);
    if (n->key != NULL)
        snprintf(path + length, PATH_SIZE - length, "%s%s", length > 0 ? "." : "", n->key);
    else if (n->parent != NULL)
        snprintf(path + length, PATH_SIZE - length, "[%zu]", n->index);
}

void reader_refuse(reader *r, const node *n, const char *why)
{
    char path[PATH_SIZE] = "";
    if (r->status != SWE_LOADED)
        return;
    append_path(n, path);
    swe_warn(r->log, "%s: %s: %s", r->file, path, why);
    r->status = SWE_LOAD_BAD;
}

static node member(reader *r, const node *parent, const char *key)
{
    const node n = {json_object_get(parent->value, key), parent, key, 0};
    if (n.value == NULL)
        reader_refuse(r, &n, "is missing");
    return n;
}

/* The name of the schema alone identifies the format of a file. */
bool reader_expect(reader *r, const node *root, const char *schema, int version)
{
    const node name = {json_object_get(root->value, "schema"), root, "schema", 0};
    const char *text = json_string_value(name.value);
    char why[PATH_SIZE];
    snprintf(why, sizeof why,
             "is not %s: this is not of a profile (cubeswe run --profile writes one)", schema);
    if (text == NULL || strcmp(text, schema) != 0) {
        reader_refuse(r, &name, why);
        return false;
    }
    const node number = member(r, root, "schema_version");
    snprintf(why, sizeof why, "is not %d, the version that this program reads", version);
    if (json_integer_value(number.value) != version)
        reader_refuse(r, &number, why);
    return r->status == SWE_LOADED;
}

bool reader_open(reader *r, const char *file, node *root)
{
    char why[SWE_WHY_SIZE];
    r->file = file;
    r->root = swe_input_json(file, swe_input_most, &r->status, why);
    *root = (node){r->root, NULL, NULL, 0};
    if (r->root == NULL)
        refuse_file(r, r->status, why);
    else if (!json_is_object(r->root))
        refuse_file(r, SWE_LOAD_BAD, "no JSON object, so not of a profile");
    return r->status == SWE_LOADED;
}

void reader_close(reader *r)
{
    json_decref(r->root);
    r->root = NULL;
}

const char *reader_text(reader *r, const json_t *value)
{
    return json_is_string(value)   ? pool_text(r->pool, "%s", json_string_value(value))
           : json_is_number(value) ? pool_text(r->pool, "%.15g", json_number_value(value))
                                   : "";
}

static const int64_t most = INT64_C(1) << 60;
static const char beyond[] = "is beyond 2^60, and nothing of a profile is";

static double number_of(reader *r, const node *n, bool or_null)
{
    const double number = json_number_value(n->value);
    if (fabs(number) > (double)most)
        reader_refuse(r, n, beyond);
    else if (json_is_number(n->value))
        return number;
    if (n->value != NULL && !(or_null && json_is_null(n->value)))
        reader_refuse(r, n, or_null ? "is neither a number nor null" : "is no number");
    return NAN;
}

static double amount_of(reader *r, const node *n)
{
    const double amount = number_of(r, n, false);
    if (amount < 0.0)
        reader_refuse(r, n, "is less than zero");
    return amount;
}

/* A time [ns since the epoch], below 2^63: today's times exceed 2^60. */
static int64_t moment_of(reader *r, const node *n)
{
    double moment = json_number_value(n->value);
    if (!(moment > (double)most && moment < 8.0 * (double)most))
        moment = amount_of(r, n);
    return isfinite(moment) ? (int64_t)moment : 0;
}

static int64_t integer_of(reader *r, const node *n, bool or_null)
{
    const int64_t number = json_integer_value(n->value);
    if (number < -most || number > most)
        reader_refuse(r, n, beyond);
    else if (json_is_integer(n->value))
        return number;
    if (n->value != NULL && !(or_null && json_is_null(n->value)))
        reader_refuse(r, n, or_null ? "is neither an integer nor null" : "is no integer");
    return -1;
}

static int64_t count_of(reader *r, const node *n)
{
    const int64_t count = integer_of(r, n, false);
    if (count >= 0)
        return count;
    reader_refuse(r, n, "is less than zero");
    return 0;
}

const char *reader_current(reader *r, swe_named what, const char *name)
{
    const char *note = NULL;
    const char *current = swe_current_name(what, name, &note);
    if (note != NULL)
        swe_log_once(r->log, note);
    return current;
}

static const char *text_of(reader *r, const node *n)
{
    if (json_is_string(n->value))
        return reader_text(r, n->value);
    if (n->value != NULL && !json_is_null(n->value))
        reader_refuse(r, n, "is neither a text nor null");
    return "";
}

static bool flag_of(reader *r, const node *n)
{
    if (n->value != NULL && !json_is_boolean(n->value))
        reader_refuse(r, n, "is neither true nor false");
    return json_is_true(n->value);
}

static void read_sizes(reader *r, const node *n, int64_t out[3])
{
    if (n->value != NULL && json_array_size(n->value) != 3)
        reader_refuse(r, n, "is no array of three integers");
    for (size_t k = 0; k < 3 && r->status == SWE_LOADED; k++)
        out[k] = row_integer(r, n, k);
}

/* Read a structure of statistics (KIND_SPREAD). Null: count 0, values NAN. */
static void read_spread(reader *r, const node *n, const field_type *type, void *out)
{
    const size_t doubles = (type->size - sizeof(int64_t)) / sizeof(double);
    *(int64_t *)out = 0;
    for (size_t k = 0; k < doubles; k++)
        ((double *)((char *)out + sizeof(int64_t)))[k] = NAN;
    if (json_is_object(n->value))
        read_table(r, n, type->fields, out);
    else if (n->value != NULL && !json_is_null(n->value))
        reader_refuse(r, n, "is neither an object nor null");
}

/* Read an array into structures or texts in the pool. `items` receives their address, `number`
 * (int64_t if type->is_long, else int) their count: 0 after a failure. */
static void read_items(reader *r, const node *array, const field_type *type, void *items,
                       void *number)
{
    const size_t size = read_size(array);
    char *all = pool_array(r->pool, size, type->size);
    for (size_t k = 0; k < size && all != NULL && r->status == SWE_LOADED; k++) {
        const node item = read_item(array, k);
        if (type->kind == KIND_TEXTS && json_is_string(item.value))
            ((const char **)(void *)all)[k] = reader_text(r, item.value);
        else if (type->kind != KIND_TEXTS && json_is_object(item.value))
            read_table(r, &item, type->fields, all + k * type->size);
        else
            reader_refuse(r, &item, type->kind == KIND_TEXTS ? "is no text" : "is no object");
    }
    const size_t count = all != NULL && r->status == SWE_LOADED ? size : 0;
    memcpy(items, &all, sizeof all); /* `items` points to a pointer of any type */
    if (type->is_long)
        *(int64_t *)number = (int64_t)count;
    else
        *(int *)number = (int)count;
}

static void read_nested(reader *r, const node *object, const field *f, void *out)
{
    void *place = (char *)out + f->offset;
    const node n = f->type->kind == KIND_LIST || f->type->kind == KIND_TEXTS
                       ? read_array(r, object, f->key)
                   : f->type->kind == KIND_SPREAD
                       ? member(r, object, f->key)
                       : read_object(r, object, f->key, f->type->kind == KIND_OPTIONAL);
    switch (f->type->kind) {
    case KIND_SPREAD:
        read_spread(r, &n, f->type, place);
        break;
    case KIND_LIST:
    case KIND_TEXTS:
        read_items(r, &n, f->type, place, (char *)out + f->type->count);
        break;
    case KIND_OPTIONAL:
        *((bool *)out + f->type->count) = n.value != NULL;
        if (n.value != NULL)
            read_table(r, &n, f->type->fields, place);
        break;
    default:
        read_table(r, &n, f->type->fields, place);
    }
}

static void read_field(reader *r, const node *object, const field *f, void *out)
{
    void *place = (char *)out + f->offset;
    if (f->type->kind == KIND_DERIVED || f->type->kind == KIND_NAME || f->type->is_noted)
        return;
    /* Kinds after KIND_NAME are structures, lists of structures and lists of texts. */
    if (f->type->kind > KIND_NAME) {
        read_nested(r, object, f, out);
        return;
    }
    const node n = member(r, object, f->key);
    switch (f->type->kind) {
    case KIND_TEXT:
        *(const char **)place = text_of(r, &n);
        break;
    case KIND_STAGE:
        *(const char **)place = reader_current(r, SWE_NAMED_STAGE, text_of(r, &n));
        break;
    case KIND_ARRAY:
        *(const char **)place = reader_current(r, SWE_NAMED_ARRAY, text_of(r, &n));
        break;
    case KIND_NUMBER:
        *(double *)place = amount_of(r, &n);
        break;
    case KIND_MOMENT:
        *(int64_t *)place = moment_of(r, &n);
        break;
    case KIND_COUNT:
        *(int64_t *)place = count_of(r, &n);
        break;
    case KIND_INTEGER:
    case KIND_NATURAL:
        *(int64_t *)place = integer_of(r, &n, true);
        break;
    case KIND_FLAG:
        *(bool *)place = flag_of(r, &n);
        break;
    case KIND_SIZES:
        read_sizes(r, &n, place);
        break;
    default:
        *(double *)place =
            number_of(r, &n,
                      f->type->kind == KIND_KNOWN || f->type->kind == KIND_POSITIVE ||
                          f->type->kind == KIND_AMOUNT);
    }
}

void read_fields(reader *r, const node *object, const field *fields, size_t count, void *out)
{
    for (size_t k = 0; k < count; k++)
        read_field(r, object, &fields[k], out);
}

void read_table(reader *r, const node *object, const field *fields, void *out)
{
    for (const field *f = fields; f->key != NULL; f++)
        read_field(r, object, f, out);
}

node read_object(reader *r, const node *parent, const char *key, bool or_null)
{
    node n = member(r, parent, key);
    if (n.value != NULL && !json_is_object(n.value)) {
        if (!or_null || !json_is_null(n.value))
            reader_refuse(r, &n, or_null ? "is neither an object nor null" : "is no object");
        n.value = NULL;
    }
    return n;
}

node read_array(reader *r, const node *parent, const char *key)
{
    node n = member(r, parent, key);
    if (n.value != NULL && !json_is_array(n.value)) {
        reader_refuse(r, &n, "is no array");
        n.value = NULL;
    }
    return n;
}

size_t read_size(const node *array)
{
    return json_array_size(array->value);
}

node read_item(const node *array, size_t index)
{
    return (node){json_array_get(array->value, index), array, NULL, index};
}

void *read_list(reader *r, const node *parent, const char *key, const field *fields, size_t size,
                int *count)
{
    const node array = read_array(r, parent, key);
    const field_type type = {.kind = KIND_LIST, .fields = fields, .size = size};
    void *items = NULL;
    read_items(r, &array, &type, &items, count);
    return items;
}

/* Return the values of `keys` as one JSON text, which the caller frees. NULL: out of memory. */
static char *name_of(const json_t *object, const char *const *keys)
{
    json_t *values = json_array();
    for (; *keys != NULL; keys++) {
        json_t *value = json_object_get(object, *keys);
        json_array_append_new(values, value != NULL ? json_incref(value) : json_null());
    }
    char *name = json_dumps(values, JSON_COMPACT);
    json_decref(values);
    return name;
}

void refuse_duplicates(reader *r, const node *array, const char *const *keys)
{
    json_t *seen = json_object();
    for (size_t k = 0; k < read_size(array) && r->status == SWE_LOADED; k++) {
        const node item = read_item(array, k);
        char *name = name_of(item.value, keys);
        if (name != NULL && json_object_get(seen, name) != NULL)
            reader_refuse(r, &item, "is there twice");
        else if (name == NULL || json_object_set_new(seen, name, json_null()) != 0)
            r->status = SWE_LOAD_NO_MEMORY;
        free(name);
    }
    json_decref(seen);
}

/* Return an item of a row. Refuse a missing item: the row is too short or has no value. */
static node cell(reader *r, const node *row, size_t index)
{
    const node n = read_item(row, index);
    if (n.value == NULL)
        reader_refuse(r, &n, "is missing");
    return n;
}

int64_t row_integer(reader *r, const node *row, size_t index)
{
    const node n = cell(r, row, index);
    return integer_of(r, &n, false);
}

double row_known(reader *r, const node *row, size_t index)
{
    const node n = cell(r, row, index);
    return number_of(r, &n, true);
}
