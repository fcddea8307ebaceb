/* What the GPU does and the CUDA calls that make it, of one window, from CUPTI's activity records.
 *
 * CUPTI is loaded when a source is made, so a program that is built with it starts without it. The
 * library is the one that the environment variable CUBESWE_CUPTI_LIBRARY names, otherwise the first
 * of libcupti.so.13, libcupti.so and the file that was there when the program was built. Where the
 * build found no cupti.h, there is no source to make.
 *
 * All functions are for the main thread. A source that is NULL records nothing. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_SOURCE_H
#define PROFILING_SOURCES_CUPTI_CUPTI_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "record/log.h"
#include "trace/trace.h"

typedef struct prof_cupti prof_cupti;

/* CUDA may be in use already. At most `max_events` operations and
 * calls are kept of a window; room for their records is set aside now. NULL after one warning that
 * says why: no library, another profiler attached, not permitted. */
prof_cupti *prof_cupti_create(int64_t max_events, prof_log *log);

/* A window opens after the next step. Records of this step, which CUPTI takes long for as it gets
 * ready, are thrown away. Failures are told when the window opens. */
void prof_cupti_warm_up(prof_cupti *cupti);

/* A window opens; the device is idle. False after a warning. */
bool prof_cupti_start(prof_cupti *cupti, prof_log *log);

/* The thread enters a region: its calls belong to span `span`, an index in the window's trace (-1
 * outside of a window), and graph nodes that it makes are named `name`, which outlives the source.
 * It leaves the innermost one. */
void prof_cupti_push(prof_cupti *cupti, const char *name, int32_t span);
void prof_cupti_pop(prof_cupti *cupti);

/* The window closes; the device is idle. What was recorded is added to the trace: operations and
 * calls with the spans that they belong to, operations of graphs with the names of their nodes as
 * stage, what was dropped, memory that the trace's events do not know, and what CUPTI knows of the
 * trace's device. */
void prof_cupti_stop(prof_cupti *cupti, prof_trace *trace, prof_log *log);

void prof_cupti_destroy(prof_cupti **cupti);

#endif
