/* STRICT READER OF JSON FILES. The first missing or mistyped member is logged once with file and
 * key; every later read returns an empty value. Numbers are at most 2^60 (in ns 36 years): sums of
 * a few do not overflow. */
#ifndef SWE_BASE_JSON_READER_H
#define SWE_BASE_JSON_READER_H

#include <stdarg.h>

#include "base/former_names.h"
#include "base/input_file.h"
#include "base/json.h"
#include "base/log.h"

/* THE POOL owns texts and arrays, and releases all of them at once. */
typedef struct swe_pool {
    void **block;
    size_t count, size;
    bool failed; /* an allocation failed: the data are not complete */
} pool;

pool *pool_create(void);
void pool_destroy(pool **pool);

/* Zeroed room for `count` items; NULL for none, or after a failure. */
void *pool_array(pool *pool, size_t count, size_t size);

/* A text; never NULL. */
const char *pool_text(pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *pool_vtext(pool *pool, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

typedef struct reader {
    const char *file;
    swe_log *log;
    pool *pool;
    json_t *root;
    swe_load status;
} reader;

/* A value and where it stands; the parent's outlives it. `value` is NULL where there is none. */
typedef struct node {
    json_t *value;
    const struct node *parent; /* NULL: the whole file */
    const char *key;           /* NULL: item `index` of an array */
    size_t index;
} node;

/* Open a file that holds an object. False, with the reader's status, after one line of the log. */
bool reader_open(reader *reader, const char *file, node *root);
/* Whether it is of a schema; false likewise. */
bool reader_expect(reader *reader, const node *root, const char *schema, int version);
void reader_close(reader *reader);

#define FIELDS(list) (list), sizeof(list) / sizeof((list)[0])

/* Read members of an object into a structure: `count` of them, or a table that ends with
 * FIELD_END. */
void read_fields(reader *reader, const node *object, const field *fields, size_t count, void *out);
void read_table(reader *reader, const node *object, const field *fields, void *out);

/* A member that is an object or an array; with `or_null` it may be null and has no value then. */
node read_object(reader *reader, const node *parent, const char *key, bool or_null);
node read_array(reader *reader, const node *parent, const char *key);

/* Number of items of an array, and one of them. */
size_t read_size(const node *array);
node read_item(const node *array, size_t index);

/* The objects of an array, each with the members of a table, as an array of structures of `size`
 * bytes in the pool; none after a failure. */
void *read_list(reader *reader, const node *parent, const char *key, const field *fields,
                size_t size, int *count);

/* Refuse an array in which two objects have the same values under all these keys; NULL ends them.
 */
void refuse_duplicates(reader *reader, const node *array, const char *const *keys);
#define UNIQUE(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Item `index` of a row: an integer, a number or null (NAN). */
int64_t row_integer(reader *reader, const node *row, size_t index);
double row_known(reader *reader, const node *row, size_t index);

/* Log that a value is wrong, unless an error was logged before. */
void reader_refuse(reader *reader, const node *node, const char *why);

/* Return today's name of a stage, an array or a closure of an earlier version. A change of name is
 * noted in the log. */
const char *reader_current(reader *reader, swe_named what, const char *name);

/* A text or a number as text, in the pool; "" for anything else. */
const char *reader_text(reader *reader, const json_t *value);

#endif
