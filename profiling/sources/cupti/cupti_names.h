/* Names: of the regions that the main thread is in, of graph nodes, of kernels. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_NAMES_H
#define PROFILING_SOURCES_CUPTI_CUPTI_NAMES_H

#include "sources/cupti/cupti_map.h"
#include "trace/trace.h"

enum { PROF_CUPTI_DEPTH = 64 };

/* A region that the main thread is in. */
typedef struct prof_cupti_region {
    const char *name;
    bool linked; /* CUPTI was told its span */
} prof_cupti_region;

/* Regions deeper than PROF_CUPTI_DEPTH are counted and count as the deepest one that is kept. */
typedef struct prof_cupti_names {
    prof_cupti_region region[PROF_CUPTI_DEPTH];
    int depth;
    prof_cupti_map nodes; /* by the node's number: the innermost region as it was made */
    int64_t nameless;     /* nodes that found no room */
} prof_cupti_names;

/* Enter a region. Leave the innermost one: true if it was linked. */
void prof_cupti_names_push(prof_cupti_names *names, prof_cupti_region region);
bool prof_cupti_names_pop(prof_cupti_names *names);

/* A graph node was made in the innermost region, or as a copy of another one, as graphs are when
 * they are instantiated. CUPTI tells of a copy both ways, the second one last. */
void prof_cupti_names_node(prof_cupti_names *names, uint64_t node);
void prof_cupti_names_copy(prof_cupti_names *names, uint64_t node, uint64_t original);

/* The name of a graph node; NULL if it has none. */
const char *prof_cupti_names_of_node(const prof_cupti_names *names, uint64_t node);

/* The C++ runtime's __cxa_demangle. */
typedef char *prof_cupti_demangle(const char *mangled, char *room, size_t *length, int *status);

/* The process's own, or that of libstdc++.so.6; NULL if there is neither. */
prof_cupti_demangle *prof_cupti_demangle_find(void);

/* A kernel's name as in the source, which lives as long as the trace; the mangled one without
 * `demangle` (NULL). */
const char *prof_cupti_plain_name(prof_cupti_demangle *demangle, const char *mangled,
                                  prof_trace *trace);

#endif
