/* THE PROFILER: the interface between the solver and all measurements.
 *
 * Regions nest; their kinds are run phase, step, substep, stage and launch of a graph. A window is
 * a few steps that are recorded; when it closes, its traces and tables are written to
 * <directory>/step_<first step, eight digits>/. Steps are numbered from 0. A window that opens
 * after s steps begins with step s.
 *
 * A NULL profiler is off: a call then costs one branch, and a query answers as without windows.
 * Functions that must not get NULL say so. No call ends the run: a failure adds one warning. Unless
 * stated otherwise, call the functions on the main thread. */
#ifndef PROFILING_PROFILER_H
#define PROFILING_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct prof_profiler prof_profiler;

/* In all modes but PROF_OFF windows open and close. PROF_NSYS only tells an external profiler when
 * they do. The other modes record the windows and write them. */
typedef enum prof_mode {
    PROF_OFF,      /* no windows; an attached NVTX tool still gets the regions */
    PROF_TRACE,    /* traces, tables, memory, summary */
    PROF_SUMMARY,  /* as PROF_TRACE, without trace files */
    PROF_NSYS,     /* mark the windows for nsys or ncu */
    PROF_COUNTERS, /* as PROF_SUMMARY, with GPU counters by stage in place of the GPU's trace,
                      counter samples and gpu_log.csv; on a CPU as PROF_SUMMARY, with a warning */
    PROF_FULL /* as PROF_TRACE, with GPU counters by stage of the first steps of the run, in all
                 of its windows; on a CPU with counters of the threads */
} prof_mode;

/* Kind of a region, and of the spans that a window records: name, text in files, meaning. */
#define PROF_KIND_LIST(KIND)                                                                       \
    KIND(PHASE, "phase", "run phase: setup, warm-up, steps, output")                               \
    KIND(STEP, "step", "time step; prof_at_step sets the number of the next one")                  \
    KIND(SUBSTEP, "part", "Runge-Kutta substep")                                                   \
    KIND(STAGE, "stage", "a stage")                                                                \
    KIND(THREAD, "thread",                                                                         \
         "not a region: one CPU thread's share of a stage, from "                                  \
         "prof_thread_begin to prof_thread_end")                                                   \
    KIND(LAUNCH, "launch", "launch of a captured graph of steps, which have no regions")           \
    KIND(WAIT, "wait", "wait for messages of other ranks, within a stage")

typedef enum prof_kind {
#define PROF_KIND_ENUM(name, text, meaning) PROF_##name,
    PROF_KIND_LIST(PROF_KIND_ENUM)
#undef PROF_KIND_ENUM
        PROF_KINDS
} prof_kind;

typedef struct prof_region {
    const char *name;
    prof_kind kind;
} prof_region;

/* Trace files of a window in mode PROF_TRACE; bit mask. */
typedef enum prof_trace_file {
    PROF_FILE_PERFETTO = 1,
    PROF_FILE_XPLANE = 2,
    PROF_FILE_JSON = 4
} prof_trace_file;

/* Whether perf events of the CPU count each thread's share of a stage; a read costs some
 * microseconds. PROF_COUNTERS is the mode for counters of a GPU. */
typedef enum prof_counters {
    PROF_COUNTERS_AUTO, /* in mode PROF_FULL, and if the cores have hardware counters */
    PROF_COUNTERS_ON,
    PROF_COUNTERS_OFF
} prof_counters;

/* A property of the run for the reports: a text, or a number if `text` is NULL. */
typedef struct prof_fact {
    const char *name, *text;
    double number;
} prof_fact;

/* A buffer: its shape in values of `value_bytes`, slowest dimension first, without padding. */
enum { PROF_MOST_DIMENSIONS = 5 };
typedef struct prof_buffer {
    const char *name;
    int dimensions;
    int64_t shape[PROF_MOST_DIMENSIONS];
    int value_bytes; /* 4 or 8 */
} prof_buffer;

/* Bytes that one call of a stage reads from a buffer, or writes to it, each value once. A buffer
 * that it updates in place has two accesses, and its bytes count in both. */
typedef struct prof_access {
    const char *buffer;
    double bytes;
    bool writes;
} prof_access;

/* Static cost of one call of a stage. */
typedef struct prof_cost {
    const char *stage;  /* name of its region */
    const char *source; /* file of its CUDA kernels, from the root of the sources; NULL: none */
    double flops;       /* in the run's precision; a multiply-add counts as two */
    const prof_access *accesses;
    int access_count;
    int source_line; /* of the first kernel in its file */
} prof_cost;

enum { PROF_MOST_CACHES = 4 };

/* A level of the caches. */
typedef struct prof_cache {
    const char *name; /* "L2" */
    double bytes;     /* that the threads of the run hold in it together */
    double bandwidth; /* [B/s] of copies within it, read plus written; 0 or NAN: unknown */
} prof_cache;

/* A part of a stage: the code of some functions, with what is inlined in them. Code belongs to the
 * first part of its stage that names a function around it. */
typedef struct prof_part {
    const char *stage, *name;
    const char *functions; /* separated by blanks */
} prof_part;

/* A kernel of a GPU by its plain name, and the stage that launches it. */
typedef struct prof_kernel {
    const char *name, *stage;
} prof_kernel;

/* Samples of a part on all threads, or on all multiprocessors of a GPU. A thread is sampled once
 * per `period` of wall time, but once for all periods in which another program has its core. Of a
 * multiprocessor that works, one warp is. */
typedef struct prof_part_samples {
    const char *stage; /* name of its region */
    const char *name;  /* NULL: code of the stage that is in none of its parts */
    int64_t samples;
} prof_part_samples;

/* Samples of a source line within a part, on a GPU. */
typedef struct prof_part_line {
    const char *stage, *part; /* as in prof_part_samples */
    const char *kernel, *file;
    int line;
    int64_t samples;
} prof_part_line;

typedef struct prof_parts {
    prof_part_samples *part; /* [count], by stage in the order of the parts; free() it */
    int count;
    int64_t period;       /* [ns]; 0: unknown */
    prof_part_line *line; /* [line_count], most samples first; free() it. On a CPU: none */
    int line_count;
} prof_parts;

/* Samples of a stage, in all of its parts and outside of them. */
static inline int64_t prof_samples_of(const prof_part_samples *part, int count, const char *stage)
{
    int64_t samples = 0;
    for (int k = 0; k < count; k++)
        if (strcmp(part[k].stage, stage) == 0)
            samples += part[k].samples;
    return samples;
}

/* Peak rates of the device, measured in this run; 0: not measured. */
typedef struct prof_peaks {
    double copy_bandwidth; /* [B/s] of its memory, bytes read plus bytes written */
    double flops;          /* [1/s] in the run's precision; a multiply-add counts as two */
    prof_cache caches[PROF_MOST_CACHES]; /* smallest first */
    int cache_count;
} prof_peaks;

/* The ranks of one computation, as this rank sees them. Each has a profiler with the same options,
 * and windows hold the records of all. Rank 0 has `directory` and writes; the others send it what
 * they recorded. Functions return when the message has been sent or received; messages between two
 * ranks keep their order. */
typedef struct prof_ranks {
    int own, count;
    void (*send)(int to, const void *data, size_t bytes);
    void (*receive)(int from, void *data, size_t bytes);
    /* Rank 0: the other ranks call prof_at_step, or prof_finish, at once. */
    void (*at_step)(int64_t step);
    void (*finish)(void);
} prof_ranks;

typedef struct prof_options {
    prof_mode mode;
    /* Folder of the windows. It is created when it is needed, with its parents. It may be NULL in
     * modes PROF_OFF and PROF_NSYS, and is on ranks other than 0. A window is lost if its folder
     * exists and is not empty; no further windows are then recorded. */
    const char *directory;
    /* Windows start at start_step + k interval, k = 0, 1, ..., counted in steps from the initial
     * state, not from a restart. A restart records the windows that start at its first step or
     * later. */
    int64_t start_step; /* warm-up: steps before the first window */
    int64_t duration;   /* steps in a window, 1 or more */
    int64_t interval;   /* steps from one window's start to the next, `duration` or more;
                           0: one window */
    int64_t last_step;  /* steps of the run, counted in the same way; a window ends there at the
                           latest */
    /* Maximum number of records of a window. It holds for each sort by itself: regions; threads'
     * shares (divided equally among the threads); GPU operations plus calls; counter samples; in
     * mode PROF_COUNTERS the counted stage calls of a step. Further records are dropped, and a
     * warning gives their number. */
    int64_t max_events;
    unsigned files; /* prof_trace_file bits */
    prof_counters counters;
    /* Start the stages one by one where they are recorded, and while a tool is attached; otherwise
     * a device that has graphs launches them as in a run, on one rank (prof_is_eager). */
    bool eager;
    int64_t sampling; /* period of GPU counter samples [ns]; 0: no samples */
    /* For the reports; they may be NULL in modes PROF_OFF and PROF_NSYS, and on ranks other than 0.
     */
    const char *case_name, *version;
    const prof_fact *facts;
    int fact_count;
    const prof_cost *costs;
    int cost_count;
    const prof_buffer *buffers; /* that the costs name; others have no known shape */
    int buffer_count;
    const prof_region *regions; /* a region's number is its index here */
    int region_count;
    /* Parts of stages, by which the code that runs in a window is sampled; NULL: no samples. In
     * mode PROF_OFF only prof_parts_begin starts samples, and only on a CPU. */
    const prof_part *parts;
    int part_count;
    const prof_kernel *kernels; /* all that stages launch */
    int kernel_count;
    const prof_ranks *ranks; /* NULL: one */
    /* Print a warning: one line without a line feed, valid during the call. A warning that recurs
     * is printed once. The main thread calls it, at the latest in prof_destroy. NULL: warnings are
     * in the reports alone. */
    void (*warn)(void *warner, const char *line);
    void *warner; /* first argument of `warn` */
} prof_options;

/* The device that computes. */
typedef struct prof_device {
    const char *name; /* one line of text */
    const char *pci;  /* "0000:65:00.0"; NULL if it has none or it is not known */
    int index;        /* of CUDA, which CUDA_VISIBLE_DEVICES may renumber; 0 for the CPU */
    bool is_gpu;
    int threads; /* CPU threads that share a stage; with a GPU only reported */
    /* Start or stop an external profiler (cudaProfilerStart, cudaProfilerStop); NULL: none. It is
     * called in mode PROF_NSYS when a window opens and when it closes. */
    void (*bracket)(bool begins);
} prof_device;

/* Measurement sources of this build, a static text, such as "perf events, NVML, NVTX, CUPTI". */
const char *prof_sources(void);

/* Create a profiler, before the device is opened. Returns NULL in two cases: memory is exhausted,
 * or the mode is PROF_OFF, no NVTX tool is attached and no parts are sampled. `*options` is copied;
 * all that it points to must outlive the profiler. */
prof_profiler *prof_create(const prof_options *options);
/* Set the device. Call it once, when the device is open, before prof_set_peaks and the first
 * prof_at_step. Regions may begin earlier. `*device` is copied; keep its strings valid until
 * prof_finish. */
void prof_attach(prof_profiler *profiler, const prof_device *device);

/* The options of a profiler, from which the other ranks create their profilers. */
const prof_options *prof_get_options(const prof_profiler *profiler);
/* On rank 0: record windows of rank 0 only, because another rank has no profiler. One warning is
 * printed. */
void prof_leave_ranks(prof_profiler *profiler);
/* Set the share of the work that this rank does; initially 1. The costs in the options are sums
 * over all ranks. */
void prof_set_share(prof_profiler *profiler, double share);

/* Number of windows written so far. */
int prof_window_count(const prof_profiler *profiler);

/* Whether windows will be recorded. If so, measure the peak rates and pass them to prof_set_peaks;
 * otherwise that call is not needed. */
bool prof_needs_peaks(const prof_profiler *profiler);
/* Set the peak rates, after prof_attach and before the first prof_at_step. The call resets the
 * high-water mark of memory: free the memory of the benchmark first. */
void prof_set_peaks(prof_profiler *profiler, prof_peaks peaks);
/* Add a warning; `line` is copied, with its control characters replaced. A warning before the first
 * window goes to every report. A later one goes to the report of the open window, or to none if no
 * window is open. The first call of a run also prints its line through options->warn; later calls
 * do not. The profiler's own warnings do not change this. */
void prof_add_warning(prof_profiler *profiler, const char *line);

/* Close an open window at the end of the run. Call it while the device is open and idle, and no
 * region is open. Do not call prof_at_step afterwards; all other calls are allowed, and a second
 * prof_finish does nothing. */
void prof_finish(prof_profiler *profiler);
/* Release everything and set the pointer to NULL. Call it after the device was closed. A window
 * that is still open is lost. */
void prof_destroy(prof_profiler **profiler);

/* Number of steps after `step` that the caller may run before it calls prof_at_step again. They end
 * at the next opening or closing of a window that comes after `step`, or two steps before an
 * opening if a source must prepare, or where mode PROF_FULL ends to count. The number is 1 or more
 * and at most `most` (1 or more). Windows that end early at last_step are not considered. */
int64_t prof_steps_to_edge(const prof_profiler *profiler, int64_t step, int64_t most);
/* Steps before the first window (start_step); 0 if there are no windows. */
int64_t prof_warm_up(const prof_profiler *profiler);
/* Close, prepare or open the window that is due after `step` steps. The next PROF_STEP region has
 * the number `step`, those after it the numbers that follow. Call it while the device is idle and
 * no region is open, not even a run phase: before the first step, where prof_steps_to_edge ends,
 * and after the last step; elsewhere it is allowed. The first call also starts the sources.
 *
 * If the caller skips an opening, the window is lost. If it skips a closing, the window lasts until
 * the next closing or prof_finish. If it skips a preparation, the window only opens more slowly. */
void prof_at_step(prof_profiler *profiler, int64_t step);
/* Whether the caller must start stages one by one now, with their regions, rather than launch
 * graphs: in a window that has neither a GPU trace nor samples of code (mode PROF_COUNTERS, no
 * CUPTI); in a window of several ranks, which records exchanges; in the steps that mode PROF_FULL
 * counts; and with prof_options.eager in every window, and while an NVTX tool is attached. */
bool prof_is_eager(const prof_profiler *profiler);
/* Begin and end the capture of a graph of steps. The regions between them name its nodes; they are
 * not recorded. */
void prof_capture_begin(prof_profiler *profiler);
void prof_capture_end(prof_profiler *profiler);
/* A graph of `steps` steps was launched: the next PROF_STEP region has a number that is greater by
 * `steps`. Call it within the PROF_LAUNCH region. */
void prof_launched_steps(prof_profiler *profiler, int64_t steps);
/* A stride of `steps` steps took `seconds` on the host, the wait for the device included. Call it
 * after each stride; reports compare strides within windows with those before. */
void prof_add_stride(prof_profiler *profiler, int64_t steps, double seconds);
/* First step (numbered from 0) of the last window that was written; -1: none. */
int64_t prof_last_window(const prof_profiler *profiler);

/* Sample parts of stages outside of windows, in mode PROF_OFF with `parts`, from begin to end. Call
 * prof_at_step before; no stage runs at either call. *parts is empty if nothing could be sampled: a
 * warning tells why. */
void prof_parts_begin(prof_profiler *profiler);
void prof_parts_end(prof_profiler *profiler, prof_parts *parts);

/* FOLDERS OF WINDOWS, for programs that replace results.
 *
 * Whether `name`, an entry of a folder of profiles, is the name of a window's folder, finished or
 * still being written. */
bool prof_window_folder_is_named(const char *name);

/* Whether a folder holds only files that a window writes, or that XProf stores beside its trace.
 * Otherwise `foreign` receives the path of the first other entry, or of the folder that is missing
 * or cannot be read, cut to `size` bytes including the NUL. If the result is true, `foreign`
 * receives `path`. It must not be NULL. Links are other entries. */
bool prof_window_folder_is_own(const char *path, char *foreign, size_t size);

/* Remove a window's folder if it holds only such files, otherwise nothing. False if the folder is
 * still there. */
bool prof_window_folder_remove(const char *path);

/* Source location and purpose of an allocation; the strings outlive the profiler. */
typedef struct prof_place {
    const char *label, *function, *file;
    int line;
} prof_place;
#define PROF_HERE(label) ((prof_place){label, __func__, __FILE__, __LINE__})
/* Call prof_allocated after an allocation on the device that computes (CPU: of host memory),
 * prof_released before its release. Allocations before prof_attach are not recorded. prof_released
 * ignores addresses that are not recorded, and NULL. */
void prof_allocated(prof_profiler *profiler, const void *address, size_t bytes, prof_place place);
void prof_released(prof_profiler *profiler, const void *address);

/* An exchange of messages with other ranks starts, within the innermost region. If the result is
 * true the window records it: add its messages, those received first. The next PROF_WAIT region is
 * the wait for them. */
bool prof_exchange_begin(prof_profiler *profiler);
void prof_exchange_add(prof_profiler *profiler, int rank, size_t bytes, bool is_sent);

/* Called by the inline functions below; the profiler must not be NULL. */
void prof_region_begin(prof_profiler *profiler, int region);
void prof_region_end(prof_profiler *profiler);

/* Begin and end the share of CPU thread `thread`, 0 to prof_device.threads - 1, in the innermost
 * region that is no PROF_WAIT. Call both on that thread. If the main thread reports the region,
 * call them after it begins the region and before it ends it; it may wait meanwhile. Call them also
 * if regions are not recorded: the first call of a thread prepares its counters. The profiler must
 * not be NULL, so that callers determine the thread's number only when needed. */
void prof_thread_begin(prof_profiler *profiler, int thread);
void prof_thread_end(prof_profiler *profiler, int thread);

/* Begin and end of a region. */
static inline void prof_begin(prof_profiler *profiler, int region)
{
    if (profiler != NULL)
        prof_region_begin(profiler, region);
}

static inline void prof_end(prof_profiler *profiler)
{
    if (profiler != NULL)
        prof_region_end(profiler);
}

#ifdef __cplusplus
}
#endif
#endif
