#define _GNU_SOURCE /* gettid, SIGEV_THREAD_ID, registers of a context */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sources/code/code_parts.h"
#include "sources/sources.h"

#ifndef sigev_notify_thread_id /* glibc before 2.38 has no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { CACHE_LINE = 64, NAMES_LENGTH = 1024 };

typedef struct code_sample {
    uint64_t address;
    int32_t region;
} code_sample;

/* Data that one thread and its signal handler write, on separate cache lines. */
typedef struct code_thread {
    _Alignas(CACHE_LINE) int32_t id; /* of the operating system; 0: none yet */
    volatile int32_t region;         /* -1: in no stage */
    code_sample *sample;
    int64_t count, dropped;
    timer_t timer;
    bool has_timer;
    int error; /* errno where it has none */
} code_thread;

struct prof_code {
    const prof_region *regions;
    const prof_part *parts;
    int part_count;
    int64_t room; /* samples of a thread */
    int thread_count;
    code_thread *threads;
    bool samples; /* between start and stop */
    prof_code_names *names;
};

/* The source that samples, and the number of handlers at work: a signal may come after its timer
 * was deleted. */
static prof_code *active;
static int handlers;

static uint64_t program_counter(const void *context)
{
    const ucontext_t *interrupted = context;
#if defined(__x86_64__)
    return (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return interrupted->uc_mcontext.pc;
#else
    (void)interrupted;
    return 0; /* in no function: prof_code_stop warns */
#endif
}

static void take_sample(const prof_code *code, int thread, const void *context)
{
    if (thread < 0 || thread >= code->thread_count || code->threads[thread].id != gettid())
        return; /* of a timer that was deleted */
    code_thread *t = &code->threads[thread];
    if (t->region < 0)
        return;
    if (t->count == code->room)
        t->dropped++;
    else
        t->sample[t->count++] = (code_sample){program_counter(context), t->region};
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    (void)number;
    __atomic_add_fetch(&handlers, 1, __ATOMIC_SEQ_CST);
    const prof_code *code = __atomic_load_n(&active, __ATOMIC_SEQ_CST);
    if (code != NULL && info->si_code == SI_TIMER)
        take_sample(code, info->si_value.sival_int, context);
    __atomic_sub_fetch(&handlers, 1, __ATOMIC_SEQ_CST);
    errno = error;
}

/* Take over SIGPROF, unless somebody else handles it. The handler stays: a late signal would
 * otherwise end the program. */
static bool install_handler(swe_log *log)
{
    struct sigaction old, ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGPROF, NULL, &old);
    if ((old.sa_flags & SA_SIGINFO) != 0 && old.sa_sigaction == on_signal)
        return true;
    if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
        swe_warn(log, "no parts of stages: another profiler uses SIGPROF");
        return false;
    }
    sigaction(SIGPROF, &ours, NULL);
    return true;
}

static bool allocate(prof_code *code, int threads, int64_t most)
{
    code->threads = aligned_alloc(CACHE_LINE, (size_t)threads * sizeof *code->threads);
    if (code->threads == NULL)
        return false;
    memset(code->threads, 0, (size_t)threads * sizeof *code->threads);
    code->thread_count = threads;
    code->room = most;
    bool enough = true;
    for (int k = 0; k < threads; k++) {
        code->threads[k].region = -1;
        /* untouched pages use address space only */
        code->threads[k].sample = malloc((size_t)most * sizeof *code->threads[k].sample);
        enough = enough && code->threads[k].sample != NULL;
    }
    return enough;
}

prof_code *prof_code_create(const prof_region *regions, const prof_part *parts, int part_count,
                            int threads, int64_t most, swe_log *log)
{
    if (!install_handler(log))
        return NULL;
    prof_code *code = calloc(1, sizeof *code);
    if (code == NULL || !allocate(code, threads, most)) {
        swe_warn(log, "no parts of stages: out of memory");
        prof_code_destroy(&code);
        return NULL;
    }
    code->names = prof_code_names_open();
    if (code->names == NULL) {
        swe_warn(log, "no parts of stages: debug information cannot be read (libdw)");
        prof_code_destroy(&code);
        return NULL;
    }
    code->regions = regions;
    code->parts = parts;
    code->part_count = part_count;
    return code;
}

/* A timer for the calling thread, which goes off on its core. It begins with the thread's first
 * share in a window, and interrupts the thread outside of stages, too. */
static void start_timer(int thread, code_thread *t)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    const struct timespec period = {0, PROF_CODE_PERIOD};
    const struct itimerspec times = {period, period};
    event.sigev_value.sival_int = thread;
    event.sigev_notify_thread_id = t->id;
    t->has_timer = timer_create(CLOCK_MONOTONIC, &event, &t->timer) == 0;
    t->error = !t->has_timer || timer_settime(t->timer, 0, &times, NULL) != 0 ? errno : 0;
}

static void stop_timer(code_thread *t)
{
    if (t->has_timer)
        timer_delete(t->timer);
    t->has_timer = false;
}

void prof_code_enter(prof_code *code, int thread, int region)
{
    static _Thread_local int32_t id;
    if (code == NULL || thread >= code->thread_count)
        return;
    code_thread *t = &code->threads[thread];
    id = id != 0 ? id : gettid();
    if (t->id != id) /* another thread had the number */
        stop_timer(t);
    t->id = id;
    if (code->samples && !t->has_timer && t->error == 0)
        start_timer(thread, t);
    t->region = region;
}

void prof_code_leave(prof_code *code, int thread)
{
    if (code != NULL && thread < code->thread_count)
        code->threads[thread].region = -1;
}

void prof_code_start(prof_code *code)
{
    if (code == NULL)
        return;
    for (int k = 0; k < code->thread_count; k++) {
        code->threads[k].count = code->threads[k].dropped = 0;
        code->threads[k].error = 0;
    }
    __atomic_store_n(&active, code, __ATOMIC_SEQ_CST);
    code->samples = true;
}

/* After this no handler reads the source. */
static void stop_timers(prof_code *code)
{
    for (int k = 0; k < code->thread_count; k++)
        stop_timer(&code->threads[k]);
    if (active == code)
        __atomic_store_n(&active, NULL, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&handlers, __ATOMIC_SEQ_CST) > 0)
        ;
}

/* ---- samples by part ------------------------------------------------------------------------- */

static int compare_samples(const void *first, const void *second)
{
    const code_sample *a = first, *b = second;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->region - b->region;
}

/* The samples of all threads, sorted. NULL without memory. */
static code_sample *sorted_samples(const prof_code *code, int64_t *count)
{
    *count = 0;
    for (int k = 0; k < code->thread_count; k++)
        *count += code->threads[k].count;
    code_sample *all = malloc((size_t)(*count + 1) * sizeof *all);
    if (all == NULL)
        return NULL;
    int64_t at = 0;
    for (int k = 0; k < code->thread_count; k++) {
        const code_thread *t = &code->threads[k];
        for (int64_t s = 0; s < t->count; s++)
            all[at++] = t->sample[s];
    }
    qsort(all, (size_t)*count, sizeof *all, compare_samples);
    return all;
}

/* Count sorted samples; answers how many of them are in known functions. */
static int64_t count_samples(const prof_code *code, const code_sample *all, int64_t count,
                             prof_parts *out)
{
    char around[NAMES_LENGTH];
    int64_t known = 0, equal;
    for (int64_t k = 0; k < count; k += equal) {
        for (equal = 1; k + equal < count && compare_samples(&all[k], &all[k + equal]) == 0;)
            equal++;
        prof_code_names_at(code->names, all[k].address, around, sizeof around);
        known += around[0] != '\0' ? equal : 0;
        code_parts_add(code->parts, code->part_count, code->regions[all[k].region].name, around,
                       equal, out);
    }
    return known;
}

/* The parts that the samples are in; empty after a failure, which is a warning. */
static prof_parts parts_of_samples(const prof_code *code, swe_log *log)
{
    prof_parts found = {.period = PROF_CODE_PERIOD};
    int64_t count = 0;
    code_sample *all = sorted_samples(code, &count);
    const char *failure = NULL;
    if (all == NULL || !code_parts_open(code->parts, code->part_count, &found))
        failure = "out of memory";
    else if (count == 0)
        failure = "the stages ran for less than a period of the samples (profile.duration)";
    else if (count_samples(code, all, count, &found) == 0)
        failure = "the program has no debug information (it is stripped)";
    else if (code_parts_close(&found) == 0)
        failure = "the stages that ran have none (scheme.pipeline)";
    if (failure != NULL) {
        swe_warn(log, "no parts of stages: %s", failure);
        found.count = 0;
    }
    free(all);
    return found;
}

/* Warn of samples that are missing. False if a thread has no timer. */
static bool has_all_threads(const prof_code *code, swe_log *log)
{
    int64_t dropped = 0;
    int error = 0;
    for (int k = 0; k < code->thread_count; k++) {
        dropped += code->threads[k].dropped;
        error = code->threads[k].error != 0 ? code->threads[k].error : error;
    }
    if (dropped > 0)
        swe_warn(log, "%lld samples of code are beyond profile.max_events and were dropped",
                 (long long)dropped);
    if (error != 0)
        swe_warn(log, "no parts of stages: a thread has no timer: %s", strerror(error));
    return error == 0;
}

void prof_code_stop(prof_code *code, prof_parts *parts, swe_log *log)
{
    *parts = (prof_parts){.period = PROF_CODE_PERIOD};
    if (code == NULL || !code->samples)
        return;
    code->samples = false;
    stop_timers(code);
    if (has_all_threads(code, log))
        *parts = parts_of_samples(code, log);
}

void prof_code_destroy(prof_code **pointer)
{
    prof_code *code = *pointer;
    if (code == NULL)
        return;
    stop_timers(code);
    for (int k = 0; k < code->thread_count; k++)
        free(code->threads[k].sample);
    free(code->threads);
    prof_code_names_close(&code->names);
    free(code);
    *pointer = NULL;
}
