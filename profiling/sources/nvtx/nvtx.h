/* NVTX ranges of regions, for nsys, ncu and other attached tools.
 *
 * Names are registered strings, as `nsys --capture-range=nvtx` expects. */
#ifndef PROFILING_SOURCES_NVTX_NVTX_H
#define PROFILING_SOURCES_NVTX_NVTX_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler.h"

typedef struct prof_nvtx prof_nvtx;

/* Domain "cubeswe", with the regions' names registered and a category for every kind. NULL if no
 * tool is attached, if there is no memory, or if the build has no NVTX; all functions take a NULL
 * and do nothing with it. */
prof_nvtx *prof_nvtx_create(const prof_region *regions, int count);
void prof_nvtx_destroy(prof_nvtx **nvtx);

/* A range of a region begins or ends on this thread. `number` is its payload; -1: none. */
void prof_nvtx_push(prof_nvtx *nvtx, int region, int64_t number);
void prof_nvtx_pop(prof_nvtx *nvtx);

/* The range "window" begins (its payload is its first step) or ends on this thread, for tools that
 * capture by range. It nests with the regions. */
void prof_nvtx_window(prof_nvtx *nvtx, bool begins, int64_t first_step);

#endif
