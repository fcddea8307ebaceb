/* Names of open regions, of graph nodes and of kernels; a map from 64-bit keys to values. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_NAMES_H
#define PROFILING_SOURCES_CUPTI_CUPTI_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "window/trace.h"

typedef struct prof_cupti_entry {
    uint64_t key;
    const void *value;
} prof_cupti_entry;

/* A search tree; zero-initialised. The values are not owned. */
typedef struct prof_cupti_map {
    void *tree; /* of tsearch */
    size_t count;
} prof_cupti_map;

enum { PROF_CUPTI_MAP_MOST = 1 << 20 };

/* Set the value of a key; false if the map is full or without memory. */
bool prof_cupti_map_set(prof_cupti_map *map, uint64_t key, const void *value);

/* Value of a key, which may be NULL; `found`, if not NULL, receives whether the key is there. */
const void *prof_cupti_map_get(const prof_cupti_map *map, uint64_t key, bool *found);

void prof_cupti_map_free(prof_cupti_map *map);

enum { PROF_CUPTI_DEPTH = 64 };

/* An open region of the main thread. */
typedef struct prof_cupti_region {
    const char *name;
    prof_kind kind;
    bool linked; /* its span was passed to CUPTI as external correlation id */
} prof_cupti_region;

/* Label of a graph node: the innermost region at its creation, the step within the capture, and the
 * call of a stage within it, both from 1; 0: none. */
typedef struct prof_cupti_label {
    const char *name;
    int32_t step, call;
    struct prof_cupti_label *next;
} prof_cupti_label;

/* The stack of open regions. Regions deeper than PROF_CUPTI_DEPTH share the deepest kept name. */
typedef struct prof_cupti_names {
    prof_cupti_region region[PROF_CUPTI_DEPTH];
    int depth;
    int64_t steps, calls;     /* begun since the capture began */
    prof_cupti_map nodes;     /* node id to its label; NULL: created in no region */
    prof_cupti_label *labels; /* one for all nodes of a call; the newest first */
    int64_t nameless;         /* nodes that the map has no capacity for */
} prof_cupti_names;

/* Begin a capture: number its steps and calls of stages from 1. */
void prof_cupti_names_capture(prof_cupti_names *names);

/* Push a region; pop the innermost one, true if it was linked. */
void prof_cupti_names_push(prof_cupti_names *names, prof_cupti_region region);
bool prof_cupti_names_pop(prof_cupti_names *names);

/* Name a new graph node by the innermost region, or as its original: instantiation copies graphs.
 * CUPTI reports a copy first as new, then as a copy. */
void prof_cupti_names_node(prof_cupti_names *names, uint64_t node);
void prof_cupti_names_copy(prof_cupti_names *names, uint64_t node, uint64_t original);

/* Label of a graph node; NULL: none. */
const prof_cupti_label *prof_cupti_names_of_node(const prof_cupti_names *names, uint64_t node);

/* Free the labels and the map of the nodes. */
void prof_cupti_names_free(prof_cupti_names *names);

/* The C++ runtime's __cxa_demangle. */
typedef char *prof_cupti_demangle(const char *mangled, char *room, size_t *length, int *status);

/* Find it in the process or in libstdc++.so.6; NULL if absent. */
prof_cupti_demangle *prof_cupti_demangle_find(void);

/* Demangled name of a kernel, interned in the trace; the mangled name if `demangle` is NULL. */
const char *prof_cupti_demangled_name(prof_cupti_demangle *demangle, const char *mangled,
                                      prof_trace *trace);

#endif
