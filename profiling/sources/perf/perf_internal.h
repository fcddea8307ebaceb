/* Events and system calls of perf.c, which its tests replace. */
#ifndef PROFILING_SOURCES_PERF_PERF_INTERNAL_H
#define PROFILING_SOURCES_PERF_PERF_INTERNAL_H

#include <linux/perf_event.h>

#include "sources/perf/perf.h"

typedef struct prof_perf_event {
    uint32_t type, config; /* as in perf_event_attr */
    bool in_kernel;        /* happens in the kernel only: nothing is left of it in user space */
} prof_perf_event;

/* The kernel, or what stands in for it. */
typedef struct prof_perf_kernel {
    /* Open an event of the calling thread, in the group of a leader unless that is -1. A group is
     * stopped until its leader is started. The descriptor, or -1 with errno. */
    int (*open)(struct perf_event_attr *attributes, int leader);
    /* 0, or -1 with errno. */
    int (*start)(int leader);
} prof_perf_kernel;

extern const prof_perf_kernel prof_perf_linux;

prof_perf *prof_perf_create_from(const prof_perf_event events[PROF_COUNTER_COUNT],
                                 const prof_perf_kernel *kernel, int threads, prof_log *log);

#endif
