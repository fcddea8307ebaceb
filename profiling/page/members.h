/* STRUCTURES AS JSON by tables: each names the members of a structure, their kinds and keys.
 *
 *     #define OF point
 *     static const member point_members[] = {IS(TEXT, "name", name), IS(REAL, "x_m", x), END};
 *     #undef OF
 *
 * A table defines OF as its structure. */
#ifndef PROFILING_PAGE_MEMBERS_H
#define PROFILING_PAGE_MEMBERS_H

#include <jansson.h>
#include <stddef.h>

typedef enum member_kind {
    TEXT,      /* const char * */
    REAL,      /* double; null if it is not finite */
    COUNT,     /* int64_t; null below zero */
    FLAG,      /* bool */
    SIZES,     /* int64_t[3] */
    NAME,      /* an enumeration; null where its name is NULL */
    OBJECT,    /* a structure */
    COUNTED,   /* a structure that begins with its int64_t count; null if that is zero */
    LIST,      /* pointer to structures, int count */
    LONG_LIST, /* likewise, int64_t count */
    TEXTS      /* const char **, int count */
} member_kind;

typedef struct member {
    const char *key;
    member_kind kind;
    size_t offset;
    const struct member *members; /* of OBJECT, COUNTED and lists; a NULL key ends them */
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

/* A structure as an object; NULL if there is no memory. */
json_t *prof_json_object(const member *members, const void *structure);

#endif
