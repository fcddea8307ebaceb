/* JSON VALUES that are valid whatever a text or a number holds, and structures as JSON by tables.
 *
 * Values are new jansson references. NULL means out of memory; json_pack and the functions here
 * pass a NULL on, so that only the whole document needs a check. */
#ifndef SWE_BASE_JSON_H
#define SWE_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text; null for NULL. If it is not valid UTF-8, every byte above 0x7f becomes '?'. */
json_t *swe_json_text_or_null(const char *text);
/* The same for the first `length` bytes; `text` is not NULL. */
json_t *swe_json_text_prefix(const char *text, int length);
/* A text; "" for NULL. Only the invalid bytes become '?'. */
json_t *swe_json_text(const char *text);

/* A number; null unless it is finite, positive, or at least 0. */
json_t *swe_json_real(double value);
json_t *swe_json_positive(double value);
json_t *swe_json_nonnegative(double value);
json_t *swe_json_positive_integer(int64_t value);

/* Set a member of an object; append to an array; set all members of another object, which is
 * released. Out of memory, for the value or here, the container is released and becomes NULL. */
void swe_json_set(json_t **object, const char *key, json_t *value);
void swe_json_append(json_t **array, json_t *value);
void swe_json_extend(json_t **object, json_t *with);

/* TABLES OF MEMBERS: one table of a structure serves to write it (swe_json_object) and to read it
 * (json_reader.h).
 *
 *     static const field point_fields[] = {{"name", FIELD_TEXT, offsetof(point, name)}, ...};
 *
 * A table of nested structures ends with FIELD_END. A structure has two forms: recorded, which is
 * the form that is read, and derived, with members that are written only. */
typedef enum field_kind {
    KIND_TEXT,     /* const char *; read: "" for null */
    KIND_STAGE,    /* as KIND_TEXT: a stage or another region; read: by today's name */
    KIND_ARRAY,    /* as KIND_TEXT: an array; read: by today's name */
    KIND_NUMBER,   /* double; null if it is not finite; read: at least 0 */
    KIND_MOMENT,   /* int64_t, ns since the epoch; read: at least 0 */
    KIND_SIGNED,   /* as KIND_NUMBER, of any sign */
    KIND_KNOWN,    /* as KIND_SIGNED; read: NAN for null */
    KIND_POSITIVE, /* as KIND_KNOWN; recorded: null unless greater than 0 */
    KIND_AMOUNT,   /* as KIND_KNOWN; recorded: null if negative */
    KIND_COUNT,    /* int64_t; null if negative; read: at least 0 */
    KIND_INTEGER,  /* as KIND_COUNT; read: -1 for null */
    KIND_NATURAL,  /* as KIND_INTEGER; recorded: null unless greater than 0 */
    KIND_FLAG,     /* bool */
    KIND_SIZES,    /* int64_t[3] */
    KIND_DERIVED,  /* double, as KIND_KNOWN; written only */
    KIND_NAME,     /* enumeration; null if its name is NULL; written only */
    KIND_OBJECT,   /* structure */
    KIND_SPREAD, /* structure whose first member is an int64_t count, then doubles; null if it is 0
                  */
    KIND_PART,   /* members of the same structure: nested if recorded, otherwise in line */
    KIND_OPTIONAL, /* structure, nested; null unless a bool is true */
    KIND_LIST,     /* pointer to structures in the pool of the reader; NULL: none */
    KIND_TEXTS     /* const char **, likewise */
} field_kind;

typedef struct field_type {
    field_kind kind;
    const struct field *fields; /* of structures and lists */
    const char *const *names;   /* of KIND_NAME */
    size_t size;                /* of a structure, of an item of a list */
    size_t count;  /* of lists: offset of the number of items; of KIND_OPTIONAL: of the bool */
    bool is_long;  /* whether that is an int64_t, not an int */
    bool is_whole; /* of numbers: recorded as the nearest integer */
    bool is_noted; /* only recorded, and not read */
} field_type;

typedef struct field {
    const char *key;
    const field_type *type;
    size_t offset;
} field;

extern const field_type swe_field_types[KIND_NAME];
#define FIELD_TEXT    (&swe_field_types[KIND_TEXT])
#define FIELD_STAGE   (&swe_field_types[KIND_STAGE])
#define FIELD_NUMBER  (&swe_field_types[KIND_NUMBER])
#define FIELD_KNOWN   (&swe_field_types[KIND_KNOWN])
#define FIELD_COUNT   (&swe_field_types[KIND_COUNT])
#define FIELD_INTEGER (&swe_field_types[KIND_INTEGER])
#define FIELD_FLAG    (&swe_field_types[KIND_FLAG])

#define FIELD_END                                                                                  \
    {                                                                                              \
        NULL, NULL, 0                                                                              \
    }

/* The JSON object of a structure by its table, which ends with FIELD_END: derived, with numbers as
 * reals, or recorded, with null for a text that is NULL or empty. NULL: out of memory. */
json_t *swe_json_object(const field *fields, const void *structure);
json_t *swe_json_record(const field *fields, const void *structure);

#endif
