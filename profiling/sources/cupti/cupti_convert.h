/* Converts CUPTI's activity records to operations and calls of a trace. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_CONVERT_H
#define PROFILING_SOURCES_CUPTI_CUPTI_CONVERT_H

#include "sources/cupti/cupti_library.h"
#include "sources/cupti/cupti_names.h"
#include "window/trace.h"

/* Span, thread and start time of a correlation id. */
typedef struct prof_cupti_link {
    uint32_t correlation;
    int32_t span;   /* -1: unknown */
    int32_t thread; /* of the call; 0: unknown */
    int64_t start;  /* of the call; 0: unknown */
} prof_cupti_link;

enum { PROF_CUPTI_DEVICES = 16 };

typedef struct prof_cupti_capability {
    int32_t device, major, minor;
} prof_cupti_capability;

typedef struct prof_cupti_conversion {
    const prof_cupti_library *library;
    const prof_cupti_names *names;
    prof_cupti_demangle *demangle; /* NULL: kernels keep their mangled names */
    prof_trace *trace;
    uint32_t window; /* number of the window; external ids of others are ignored */
    int64_t most;    /* operations and calls to keep */

    /* set by the functions below */
    int64_t kept;
    bool no_memory; /* some records were lost */
    int64_t early;  /* operations that begin before their call */
    int64_t first_op, first_call;
    int64_t op_room, call_room, link_room; /* capacities */
    prof_cupti_link *links;
    int64_t link_count;
    prof_cupti_map kernels; /* demangled names by the address of the mangled one */
    prof_cupti_capability capability[PROF_CUPTI_DEVICES];
    int capability_count;
} prof_cupti_conversion;

/* External correlation id of a span of a window; windows count from 1. */
static inline uint64_t prof_cupti_external_id(uint32_t window, int32_t span)
{
    return (uint64_t)window << 32 | (uint32_t)span;
}

/* Begin, with the members before `kept` set. */
void prof_cupti_convert_begin(prof_cupti_conversion *conversion);

/* Add the records of a buffer to the trace, without spans. */
void prof_cupti_convert(prof_cupti_conversion *conversion, uint8_t *buffer, size_t bytes);

/* After all buffers: set spans, stages, threads and occupancies, and free the temporary data. */
void prof_cupti_convert_finish(prof_cupti_conversion *conversion);

/* Discard the records of a buffer. */
void prof_cupti_discard(const prof_cupti_library *library, uint8_t *buffer, size_t bytes);

/* Single records (cupti_record.c). */
prof_op prof_cupti_kernel(prof_cupti_conversion *conversion, const CUpti_ActivityKernel10 *record);
prof_op prof_cupti_copy(const CUpti_ActivityMemcpy6 *record);
prof_op prof_cupti_peer_copy(const CUpti_ActivityMemcpyPtoP4 *record);
prof_op prof_cupti_fill(const CUpti_ActivityMemset4 *record);
prof_call prof_cupti_call(prof_cupti_conversion *conversion, const CUpti_ActivityAPI *record);
prof_call prof_cupti_synchronization(const CUpti_ActivitySynchronization2 *record);
prof_call prof_cupti_overhead(const CUpti_ActivityOverhead3 *record);
void prof_cupti_describe(const CUpti_ActivityDevice5 *record, prof_trace *trace);
/* Free the memory that CUPTI allocated for a record and that its client owns. */
void prof_cupti_release(const CUpti_Activity *record);

#endif
