/* ROWS OF A TABLE OF MEMBERS (base/json.h) of the structure OF, a macro that a table defines. */
#ifndef PROFILING_WINDOW_ROWS_H
#define PROFILING_WINDOW_ROWS_H

#include <stddef.h>

#include "base/json.h"

#define IS(type, key, name)                                                                        \
    {                                                                                              \
        key, &swe_field_types[KIND_##type], offsetof(OF, name)                                     \
    }
#define NESTED(of, key, name, ...)                                                                 \
    {                                                                                              \
        key, &(const field_type){.kind = KIND_##of, __VA_ARGS__}, offsetof(OF, name)               \
    }

/* A number that is recorded as an integer; a member that is recorded and not read. */
#define WHOLE(type, key, name) NESTED(type, key, name, .is_whole = true)
#define NOTED(type, key, name) NESTED(type, key, name, .is_noted = true, .is_whole = true)

/* An enumeration by its names; a structure; statistics; members of another object; a list. */
#define ONE_OF(words, key, name) NESTED(NAME, key, name, .names = words)
#define IN(table, key, name)     NESTED(OBJECT, key, name, .fields = table)
#define IF(table, key, name)                                                                       \
    NESTED(SPREAD, key, name, .fields = table, .size = sizeof(((OF *)NULL)->name))
#define PART(table, key)                                                                           \
    {                                                                                              \
        key, &(const field_type){.kind = KIND_PART, .fields = table}, 0                            \
    }
#define MANY(of, table, key, name, number)                                                         \
    NESTED(of, key, name, .fields = table, .size = sizeof(*((OF *)NULL)->name),                    \
           .count = offsetof(OF, number), .is_long = sizeof(((OF *)NULL)->number) > sizeof(int))
#define LIST(table, key, name, number) MANY(LIST, table, key, name, number)

/* A structure that is null unless a flag is true. */
#define OPTIONAL(table, key, name, flag)                                                           \
    NESTED(OPTIONAL, key, name, .fields = table, .count = offsetof(OF, flag))

#endif
