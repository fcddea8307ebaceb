/* Hash map from 64-bit keys to texts: names of graph nodes and kernels. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_MAP_H
#define PROFILING_SOURCES_CUPTI_CUPTI_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct prof_cupti_entry {
    uint64_t key; /* 0: free */
    const char *text;
} prof_cupti_entry;

/* Open addressing; zero-initialised. The texts are not owned. */
typedef struct prof_cupti_map {
    prof_cupti_entry *entry; /* `size` of them, a power of two */
    size_t size, count;
} prof_cupti_map;

enum { PROF_CUPTI_MAP_MOST = 1 << 20 };

/* Set the text of a nonzero key; false if the map is full or without memory. */
bool prof_cupti_map_set(prof_cupti_map *map, uint64_t key, const char *text);

/* Get the text of a key, which may be NULL; false if the key is absent. */
bool prof_cupti_map_get(const prof_cupti_map *map, uint64_t key, const char **text);

void prof_cupti_map_free(prof_cupti_map *map);

#endif
