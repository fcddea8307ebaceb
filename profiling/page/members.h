/* Structures as JSON, by tables that give the key, kind and offset of each member.
 *
 *     #define OF point
 *     static const member point_members[] = {IS(TEXT, "name", name), IS(REAL, "x_m", x), END};
 *     #undef OF
 *
 * OF is the structure of the table that follows. Entries: IS (a value), ONE_OF (an enumeration), IN
 * (a nested structure), IF (one that may be absent), ALL (a list), END (the end of the table). */
#ifndef PROFILING_PAGE_MEMBERS_H
#define PROFILING_PAGE_MEMBERS_H

#include <jansson.h>
#include <stddef.h>

typedef enum member_kind {
    TEXT,      /* const char * */
    REAL,      /* double; null if it is not finite */
    COUNT,     /* int64_t; null if negative */
    FLAG,      /* bool */
    SIZES,     /* int64_t[3] */
    NAME,      /* enumeration; null if its name is NULL */
    OBJECT,    /* structure */
    COUNTED,   /* structure whose first member is an int64_t count; null if it is 0 */
    LIST,      /* pointer to structures, int count */
    LONG_LIST, /* pointer to structures, int64_t count */
    TEXTS      /* const char **, int count */
} member_kind;

typedef struct member {
    const char *key;
    member_kind kind;
    size_t offset;
    const struct member *members; /* of OBJECT, COUNTED and lists; ends with a NULL key */
    size_t size;                  /* of an item of a list */
    size_t count;                 /* offset of the number of items */
    const char *const *names;     /* of NAME */
} member;

#define END                                                                                        \
    {                                                                                              \
        NULL, TEXT, 0, NULL, 0, 0, NULL                                                            \
    }
#define IS(kind, key, name)                                                                        \
    {                                                                                              \
        key, kind, offsetof(OF, name), NULL, 0, 0, NULL                                            \
    }
#define ONE_OF(names, key, name)                                                                   \
    {                                                                                              \
        key, NAME, offsetof(OF, name), NULL, 0, 0, names                                           \
    }
#define IN(key, name, members)                                                                     \
    {                                                                                              \
        key, OBJECT, offsetof(OF, name), members, 0, 0, NULL                                       \
    }
#define IF(key, name, members)                                                                     \
    {                                                                                              \
        key, COUNTED, offsetof(OF, name), members, 0, 0, NULL                                      \
    }
#define ALL(kind, key, name, number, members)                                                      \
    {                                                                                              \
        key, kind, offsetof(OF, name), members, sizeof(*((OF *)NULL)->name), offsetof(OF, number), \
            NULL                                                                                   \
    }

/* The JSON object of a structure. NULL: out of memory. */
json_t *prof_json_object(const member *members, const void *structure);

#endif
