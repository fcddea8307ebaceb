/* Shared by the tests of CPU counters: events that every machine has, a log that keeps its
 * warnings, and work that can be counted. */
#ifndef TESTS_PROFILING_PERF_SUPPORT_H
#define TESTS_PROFILING_PERF_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "sources/sources.h"

enum { COUNTERS = PROF_COUNTER_COUNT };
enum {
    TASK_CLOCK = PROF_COUNTER_task_clock,
    SWITCHES = PROF_COUNTER_context_switches,
    INSTRUCTIONS = PROF_COUNTER_instructions,
    CYCLES = PROF_COUNTER_cycles,
    CACHE_MISSES = PROF_COUNTER_cache_misses
};

#define SOFTWARE(config)                                                                           \
    {                                                                                              \
        PERF_TYPE_SOFTWARE, config, false                                                          \
    }
static const uint32_t no_such_type = 0x7fffffff;

/* Software events in the place of the hardware's, which virtual machines lack. */
static const prof_perf_event software[COUNTERS] = {
    [TASK_CLOCK] = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK),
    [SWITCHES] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    [INSTRUCTIONS] = SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS),
    [CYCLES] = SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS),
    [CACHE_MISSES] = SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MIN),
};

/* A log, the number of its warnings and the last of them. */
typedef struct warning_log {
    swe_log log;
    int count;
    char last[SWE_LOG_LENGTH];
} warning_log;

static inline void record_warning(void *warner, const char *line)
{
    warning_log *t = warner;
    t->count++;
    snprintf(t->last, sizeof t->last, "%s", line);
}

static inline warning_log *new_log(void)
{
    static warning_log t;
    t = (warning_log){.log = {.warn = record_warning, .warner = &t}};
    return &t;
}

static inline void assert_warned(const warning_log *t, int count, const char *words)
{
    if (t->count != count || strstr(t->last, words) == NULL)
        fail_msg("%d warnings, the last one '%s': expected %d, with '%s'", t->count, t->last, count,
                 words);
}

static inline void skip_without_software_events(void)
{
    struct perf_event_attr attributes = {.size = sizeof attributes,
                                         .type = PERF_TYPE_SOFTWARE,
                                         .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
    const int descriptor = prof_perf_linux.open(&attributes, -1);
    if (descriptor < 0) {
        print_message("skipped: perf_event_open: %s\n", strerror(errno));
        skip();
    }
    close(descriptor);
}

static inline int64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static const int64_t a_while = 20000000; /* ns */

static inline void work(int64_t ns)
{
    const int64_t end = cpu_ns() + ns;
    while (cpu_ns() < end) {
    }
}

static inline void sleep_ns(int64_t ns)
{
    const struct timespec time = {0, ns};
    nanosleep(&time, NULL);
}

/* Not from malloc, which may give pages that were touched before. */
static inline void touch_new_pages(int count)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)count * page;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    for (size_t k = 0; k < size; k += page)
        ((volatile char *)memory)[k] = 1;
    munmap(memory, size);
}

#endif
