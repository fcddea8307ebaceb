/* Shared by tests of whole sessions over the stand-in for CUPTI. */
#ifndef TESTS_PROFILING_CUPTI_SESSION_H
#define TESTS_PROFILING_CUPTI_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cupti_emulation.h"
#include "base/log.h"
#include "window/trace.h"

/* A trace as new, in place of another. */
static inline prof_trace *session_trace(prof_trace **trace)
{
    prof_trace_destroy(trace);
    *trace = prof_trace_create();
    assert_non_null(*trace);
    return *trace;
}

/* The result of a teardown: nothing may be left enabled, on, pushed or subscribed, and no buffer
 * handed out with something in it. */
static inline int session_left(void)
{
    const cupti_emulation_state left = cupti_emulation_look();
    return left.subscribers == 0 && left.kinds == 0 && left.external == 0 && left.unbalanced == 0 &&
                   left.dirty == 0 && left.hosts == 0 && left.profilers == 0 && left.samplers == 0
               ? 0
               : -1;
}

/* One launch of the runtime. */
static inline void session_launch(const char *kernel, uint32_t stream, int blocks, int threads)
{
    cupti_emulation_call_begin("cudaLaunchKernel_v7000");
    cupti_emulation_place(stream, 0, 0);
    cupti_emulation_kernel(kernel, (const int[]){blocks, 1, 1}, (const int[]){threads, 1, 1});
    cupti_emulation_call_end(0);
}

/* There was one warning, with each of the texts. */
static inline void session_warned(const swe_log *log, const char *first, const char *second)
{
    assert_int_equal(log->count, 1);
    if (strstr(log->line[0], first) == NULL || strstr(log->line[0], second) == NULL)
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", log->line[0], first, second);
}

/* Refuse a call of CUPTI's profilers from now on. Returns its part of the warning:
 * "(cuptiRangeProfilerStart: 9)". */
static inline const char *session_refuse(const char *call, int result)
{
    static char text[128];
    snprintf(text, sizeof text, "%s:%d", call, result);
    setenv("CUPTI_EMULATION_REFUSED_CALL", text, 1);
    snprintf(text, sizeof text, "(%s: %d)", call, result);
    return text;
}

static inline void session_allow(void)
{
    unsetenv("CUPTI_EMULATION_REFUSED_CALL");
}

#endif
