/* GPU TRACE: operations of the GPU and CUDA calls of one window, from CUPTI's activity records.
 *
 * CUPTI is loaded when a source is created: the library that the environment variable
 * CUBESWE_CUPTI_LIBRARY names, otherwise the first of libcupti.so.13, libcupti.so and the path
 * found at build time. Builds without cupti.h have no source. All functions are called on the main
 * thread; a NULL source records nothing. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_SOURCE_H
#define PROFILING_SOURCES_CUPTI_CUPTI_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "record/log.h"
#include "trace/trace.h"

typedef struct prof_cupti prof_cupti;

/* Create the source and allocate buffers for `max_events` operations and calls per window. CUDA may
 * already be in use. NULL after one warning: no library, another profiler attached, no permission.
 */
prof_cupti *prof_cupti_create(int64_t max_events, prof_log *log);

/* Enable recording one step before a window, so that CUPTI initialises outside of it; the records
 * of that step are discarded. prof_cupti_start reports failures. */
void prof_cupti_warm_up(prof_cupti *cupti);

/* Open a window; the device is idle. False after a warning. */
bool prof_cupti_start(prof_cupti *cupti, prof_log *log);

/* Enter and leave a region. Calls in it belong to `span`, an index of the window's trace (-1
 * outside of windows); graph nodes created in it are named `name`, which must outlive the source.
 */
void prof_cupti_push(prof_cupti *cupti, const char *name, int32_t span);
void prof_cupti_pop(prof_cupti *cupti);

/* Close the window; the device is idle. Adds to the trace: operations and calls with their spans,
 * operations of graphs with their nodes' names as stage, numbers of dropped records, allocations
 * that the trace does not list, and the properties of the device. */
void prof_cupti_stop(prof_cupti *cupti, prof_trace *trace, prof_log *log);

void prof_cupti_destroy(prof_cupti **cupti);

#endif
