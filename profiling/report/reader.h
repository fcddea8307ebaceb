/* Strict reader of JSON files. The first missing or mistyped member is logged once with file and
 * key; every later read returns an empty value. No number is beyond 2^60 (in ns 36 years): sums of
 * a few do not overflow. */
#ifndef PROFILING_REPORT_READER_H
#define PROFILING_REPORT_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/former_names.h"
#include "record/log.h"
#include "report/pool.h"
#include "report/report.h"

typedef struct reader {
    const char *file;
    prof_log *log;
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

/* Type of a JSON member and of the structure member that stores it. */
typedef enum field_kind {
    FIELD_TEXT,    /* const char *; "" for null */
    FIELD_STAGE,   /* const char *: today's name of a stage or another region; "" for null */
    FIELD_ARRAY,   /* const char *: today's name of an array; "" for null */
    FIELD_NUMBER,  /* double, at least 0 */
    FIELD_MOMENT,  /* double, ns since the epoch */
    FIELD_SIGNED,  /* double */
    FIELD_KNOWN,   /* double; NAN for null */
    FIELD_COUNT,   /* int64_t, at least 0 */
    FIELD_INTEGER, /* int64_t; -1 for null */
    FIELD_FLAG,    /* bool */
    FIELD_SPREAD,  /* prof_spread of what is at least 0; no values for null */
    FIELD_DELAYS,  /* prof_spread of what may be negative; likewise */
    FIELD_SIZES    /* int64_t[3] */
} field_kind;

typedef struct field {
    const char *key;
    field_kind kind;
    size_t offset;
} field;

#define FIELDS(list) (list), sizeof(list) / sizeof((list)[0])

/* Read members of an object into a structure. */
void read_fields(reader *reader, const node *object, const field *fields, size_t count, void *out);

/* A member that is an object or an array; with `or_null` it may be null and has no value then. */
node read_object(reader *reader, const node *parent, const char *key, bool or_null);
node read_array(reader *reader, const node *parent, const char *key);

/* Number of items of an array, and one of them. */
size_t read_size(const node *array);
node read_item(const node *array, size_t index);

/* The objects of an array, each with these members, as an array of structures in the pool; none
 * after a failure. */
void *read_list(reader *reader, const node *parent, const char *key, const field *fields,
                size_t field_count, size_t size, int *count);

/* Refuse an array in which two objects have the same values under all these keys; NULL ends them.
 */
void refuse_duplicates(reader *reader, const node *array, const char *const *keys);
#define UNIQUE(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Item `index` of a row: an integer, a number or null (NAN), a text. */
int64_t row_integer(reader *reader, const node *row, size_t index);
double row_known(reader *reader, const node *row, size_t index);
const char *row_text(reader *reader, const node *row, size_t index);

/* Log that a value is wrong, unless an error was logged before. */
void reader_refuse(reader *reader, const node *node, const char *why);

/* Today's name of what an earlier version may have named otherwise; then with a note in the log. */
const char *reader_current(reader *reader, swe_named what, const char *name);

/* A text or a number as text, in the pool; "" for anything else. */
const char *reader_text(reader *reader, const json_t *value);

#endif
