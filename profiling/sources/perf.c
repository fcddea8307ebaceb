#define _DEFAULT_SOURCE /* syscall */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sources/sources.h"

/* Events that are counted together and read by one read(); usually there is one such group. */
typedef struct group {
    int leader; /* descriptor */
    int size;
    int counter[PROF_COUNTER_COUNT]; /* in the order of read() */
} group;

typedef struct thread_counters {
    pid_t id; /* of the OS thread that opened them; 0 before that */
    group groups[PROF_COUNTER_COUNT];
    int group_count;
    int descriptor[PROF_COUNTER_COUNT];
    int descriptor_count;
    int error; /* errno of the last counter that could not be opened; 0 */
} thread_counters;

struct prof_perf {
    prof_perf_event events[PROF_COUNTER_COUNT];
    bool wanted[PROF_COUNTER_COUNT];
    const prof_perf_kernel *kernel;
    swe_log *log;
    int threads;
    thread_counters thread[];
};

/* Result of read() for a group with the format below. */
typedef struct reading {
    uint64_t size, enabled, running, value[PROF_COUNTER_COUNT];
} reading;

static const uint64_t reading_format =
    PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

static const prof_perf_event standard_events[PROF_COUNTER_COUNT] = {
    [PROF_COUNTER_task_clock] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
    [PROF_COUNTER_context_switches] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true},
    [PROF_COUNTER_instructions] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    [PROF_COUNTER_cycles] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    [PROF_COUNTER_cache_misses] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false},
};

static int linux_open(struct perf_event_attr *attributes, int leader)
{
    const pid_t calling_thread = 0;
    const int any_core = -1;
    return (int)syscall(SYS_perf_event_open, attributes, calling_thread, any_core, leader,
                        PERF_FLAG_FD_CLOEXEC);
}

static int linux_start(int leader)
{
    return ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
}

const prof_perf_kernel prof_perf_linux = {linux_open, linux_start};

static bool is_denied(int error)
{
    return error == EACCES || error == EPERM;
}

bool prof_perf_has_hardware(void)
{
    struct perf_event_attr attributes = {.size = sizeof attributes,
                                         .type = PERF_TYPE_HARDWARE,
                                         .config = PERF_COUNT_HW_INSTRUCTIONS,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    const int descriptor = linux_open(&attributes, -1);
    if (descriptor < 0)
        return is_denied(errno);
    close(descriptor);
    return true;
}

/* The descriptor, or -1 with errno. */
static int open_event(const prof_perf *perf, int counter, int leader)
{
    const prof_perf_event event = perf->events[counter];
    struct perf_event_attr attributes = {.size = sizeof attributes,
                                         .type = event.type,
                                         .config = event.config,
                                         .disabled = leader == -1,
                                         .read_format = reading_format};
    const int descriptor = perf->kernel->open(&attributes, leader);
    if (descriptor >= 0 || !is_denied(errno) || event.in_kernel)
        return descriptor;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    return perf->kernel->open(&attributes, leader);
}

/* Open a counter in the last group, or in a new one if they cannot be counted together. */
static bool open_counter(const prof_perf *perf, thread_counters *thread, int counter)
{
    group *last = thread->group_count > 0 ? &thread->groups[thread->group_count - 1] : NULL;
    int descriptor = last != NULL ? open_event(perf, counter, last->leader) : -1;
    if (descriptor < 0) {
        descriptor = open_event(perf, counter, -1);
        if (descriptor < 0)
            return false;
        last = &thread->groups[thread->group_count++];
        *last = (group){.leader = descriptor};
    }
    last->counter[last->size++] = counter;
    thread->descriptor[thread->descriptor_count++] = descriptor;
    return true;
}

static void close_counters(thread_counters *thread)
{
    while (thread->descriptor_count > 0)
        close(thread->descriptor[--thread->descriptor_count]);
    thread->group_count = 0;
}

/* Start the groups when they are complete: an event that joins a group that runs may not be counted
 * before the thread's next switch (seen with Linux 6.18). */
static void start_groups(const prof_perf *perf, thread_counters *thread,
                         int errors[PROF_COUNTER_COUNT])
{
    for (int k = 0; k < thread->group_count; k++) {
        group *group = &thread->groups[k];
        if (perf->kernel->start(group->leader) == 0)
            continue;
        while (group->size > 0)
            errors[group->counter[--group->size]] = errno;
    }
}

/* Open the counters of the calling thread; `errors` receives the errno of each wanted one, or 0. */
static void open_counters(const prof_perf *perf, thread_counters *thread,
                          int errors[PROF_COUNTER_COUNT])
{
    for (int counter = 0; counter < PROF_COUNTER_COUNT; counter++)
        errors[counter] = !perf->wanted[counter] || open_counter(perf, thread, counter) ? 0 : errno;
    start_groups(perf, thread, errors);
}

static int paranoid_level(void)
{
    int level = -1;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    if (file == NULL)
        return level;
    if (fscanf(file, "%d", &level) != 1)
        level = -1;
    fclose(file);
    return level;
}

static void describe(int error, char *text, size_t size)
{
    if (is_denied(error))
        snprintf(text, size, "not allowed; perf_event_paranoid is %d", paranoid_level());
    else if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
        snprintf(text, size, "not on this machine");
    else
        snprintf(text, size, "%s", strerror(error));
}

/* One line with every counter that could not be opened, and why. */
static void warn_missing(swe_log *log, const int errors[PROF_COUNTER_COUNT])
{
    char line[SWE_LOG_LENGTH] = "", reason[64]; /* the line has room for all counters' reasons */
    size_t length = 0;
    for (int counter = 0; counter < PROF_COUNTER_COUNT; counter++) {
        if (errors[counter] == 0)
            continue;
        describe(errors[counter], reason, sizeof reason);
        length += (size_t)snprintf(line + length, sizeof line - length, "%s%s (%s)",
                                   length > 0 ? ", " : "", prof_counter_name(counter), reason);
    }
    if (length > 0)
        swe_warn(log, "CPU counters that are not measured: %s", line);
}

/* Find the available counters on the calling thread. */
static bool any_counter(prof_perf *perf)
{
    thread_counters probe = {0};
    int errors[PROF_COUNTER_COUNT];
    open_counters(perf, &probe, errors);
    close_counters(&probe);
    bool any = false;
    for (int counter = 0; counter < PROF_COUNTER_COUNT; counter++) {
        perf->wanted[counter] = errors[counter] == 0;
        any = any || perf->wanted[counter];
    }
    warn_missing(perf->log, errors);
    return any;
}

prof_perf *prof_perf_create_from(const prof_perf_event events[PROF_COUNTER_COUNT],
                                 const prof_perf_kernel *kernel, int threads, swe_log *log)
{
    prof_perf *perf = calloc(1, sizeof *perf + (size_t)threads * sizeof perf->thread[0]);
    if (perf == NULL) {
        swe_warn(log, "CPU counters are not measured: out of memory");
        return NULL;
    }
    perf->kernel = kernel;
    perf->log = log;
    perf->threads = threads;
    for (int counter = 0; counter < PROF_COUNTER_COUNT; counter++) {
        perf->events[counter] = events[counter];
        perf->wanted[counter] = true;
    }
    if (!any_counter(perf))
        prof_perf_destroy(&perf);
    return perf;
}

/* Each counter of each thread is an open file; the run needs further ones. */
static bool raise_file_limit(int threads, swe_log *log)
{
    const rlim_t others = 64, needed = (rlim_t)threads * PROF_COUNTER_COUNT + others;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return true;
    const struct rlimit more = {needed, limit.rlim_max};
    if (needed <= limit.rlim_max && setrlimit(RLIMIT_NOFILE, &more) == 0)
        return true;
    swe_warn(log,
             "CPU counters are not measured: those of %d threads need %llu open files, the limit "
             "is %llu (ulimit -n)",
             threads, (unsigned long long)needed, (unsigned long long)limit.rlim_max);
    return false;
}

prof_perf *prof_perf_create(int threads, swe_log *log)
{
    if (!raise_file_limit(threads, log))
        return NULL;
    return prof_perf_create_from(standard_events, &prof_perf_linux, threads, log);
}

void prof_perf_destroy(prof_perf **pointer)
{
    prof_perf *perf = *pointer;
    if (perf == NULL)
        return;
    int failed = 0, error = 0;
    for (int k = 0; k < perf->threads; k++) {
        close_counters(&perf->thread[k]);
        if (perf->thread[k].error != 0) {
            failed++;
            error = perf->thread[k].error;
        }
    }
    if (failed > 0)
        swe_warn(perf->log, "CPU counters: %d of %d threads could not open all of theirs: %s",
                 failed, perf->threads, strerror(error));
    free(perf);
    *pointer = NULL;
}

/* A count scaled to the time that it was enabled: it runs only part of that time if the processor
 * cannot count all requested events at once. -1 if it never ran. */
static int64_t scaled(uint64_t value, uint64_t enabled, uint64_t running)
{
    if (running >= enabled)
        return (int64_t)value;
    return running > 0 ? (int64_t)((double)value * (double)enabled / (double)running) : -1;
}

static void read_group(const group *group, int64_t counts[PROF_COUNTER_COUNT])
{
    reading now;
    const size_t wanted = sizeof now - sizeof now.value + (size_t)group->size * sizeof now.value[0];
    if (read(group->leader, &now, sizeof now) != (ssize_t)wanted)
        return;
    for (int k = 0; k < group->size; k++)
        counts[group->counter[k]] = scaled(now.value[k], now.enabled, now.running);
}

/* Store the last error; other threads may be writing to the log. */
static void reopen(const prof_perf *perf, thread_counters *thread)
{
    int errors[PROF_COUNTER_COUNT];
    close_counters(thread);
    open_counters(perf, thread, errors);
    for (int counter = 0; counter < PROF_COUNTER_COUNT; counter++)
        if (errors[counter] != 0)
            thread->error = errors[counter];
}

/* Read the counters. True if they already belonged to the calling OS thread. */
static bool read_counters(prof_perf *perf, int number, int64_t counts[PROF_COUNTER_COUNT])
{
    thread_counters *thread = &perf->thread[number];
    const pid_t caller = (pid_t)syscall(SYS_gettid);
    const bool same = thread->id == caller;
    if (!same) {
        reopen(perf, thread);
        thread->id = caller;
    }
    for (int counter = 0; counter < PROF_COUNTER_COUNT; counter++)
        counts[counter] = -1;
    for (int k = 0; k < thread->group_count; k++)
        read_group(&thread->groups[k], counts);
    return same;
}

void prof_perf_read(prof_perf *perf, int thread, int64_t counts[PROF_COUNTER_COUNT])
{
    read_counters(perf, thread, counts);
}

void prof_perf_since(prof_perf *perf, int thread, const int64_t before[PROF_COUNTER_COUNT],
                     int64_t counts[PROF_COUNTER_COUNT])
{
    int64_t now[PROF_COUNTER_COUNT];
    const bool same = read_counters(perf, thread, now);
    for (int counter = 0; counter < PROF_COUNTER_COUNT; counter++) {
        const bool known = same && before[counter] >= 0 && now[counter] >= before[counter];
        counts[counter] = known ? now[counter] - before[counter] : -1;
    }
}
