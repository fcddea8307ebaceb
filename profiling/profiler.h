/* THE PROFILER: the interface between the solver and all measurements.
 *
 * Regions nest; their kinds are run phase, step, substep and stage. A window is a few steps that
 * are recorded; when it closes, its traces and tables are written to <directory>/step_<first
 * step>/. Steps are numbered from 0, so a window that opens after s steps has the first step s. A
 * NULL profiler is off: a call then costs one branch; functions that must not get NULL say so. No
 * function fails a run: every failure becomes one warning. Unless stated otherwise, functions are
 * called on the main thread. */
#ifndef PROFILING_PROFILER_H
#define PROFILING_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct prof_profiler prof_profiler;

typedef enum prof_mode {
    PROF_OFF,     /* no windows; an attached NVTX tool still records the regions */
    PROF_TRACE,   /* traces, tables, memory, summary */
    PROF_SUMMARY, /* as PROF_TRACE, without trace files */
    PROF_NSYS,    /* record nothing; mark the windows for nsys or ncu */
    PROF_COUNTERS /* as PROF_SUMMARY, with GPU counters by stage in place of the GPU trace */
} prof_mode;

/* Kind of a region, and of the spans that a window records. */
typedef enum prof_kind {
    PROF_PHASE,   /* run phase: setup, warm-up, steps, output */
    PROF_STEP,    /* time step; the first after prof_at_step(step) has the number `step` */
    PROF_SUBSTEP, /* Runge-Kutta substep */
    PROF_STAGE,
    PROF_THREAD /* no region: span of prof_thread_begin, one CPU thread's share of a stage */
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
    PROF_COUNTERS_AUTO, /* if the cores have hardware counters */
    PROF_COUNTERS_ON,
    PROF_COUNTERS_OFF
} prof_counters;

/* A property of the run for the reports: a text, or a number if `text` is NULL. */
typedef struct prof_fact {
    const char *name, *text;
    double number;
} prof_fact;

/* Bytes that one call of a stage reads from a buffer, or writes to it, each value once. A buffer
 * that it updates in place has two accesses, and its bytes count in both. */
typedef struct prof_access {
    const char *buffer;
    double bytes;
    bool writes;
} prof_access;

/* Static cost of one call of a stage. */
typedef struct prof_cost {
    const char *stage; /* name of its region */
    double flops;
    const prof_access *accesses;
    int access_count;
} prof_cost;

/* Peak rates of the device, measured in this run; 0: not measured. */
typedef struct prof_peaks {
    double copy_bandwidth; /* [B/s], bytes read plus bytes written */
    double flops;          /* FP64 [1/s]; a multiply-add counts as two */
} prof_peaks;

typedef struct prof_options {
    prof_mode mode;
    const char *directory;
    int64_t start_step; /* warm-up: steps before the first window, counted from the initial state
                           (not from a restart) */
    int64_t duration;   /* steps in a window */
    int64_t interval;   /* steps from one window's start to the next; 0: one window */
    int64_t last_step;  /* steps of the run, counted in the same way; a window ends there at the
                           latest */
    int64_t max_events; /* most records that a window keeps of each sort: regions; threads' shares;
                           GPU operations plus calls; counter samples. Further ones are dropped,
                           and a warning gives their number */
    unsigned files;     /* prof_trace_file bits */
    prof_counters counters;
    int64_t sampling; /* period of GPU counter samples [ns]; 0: no samples */
    const char *case_name, *version;
    const prof_fact *facts;
    int fact_count;
    const prof_cost *costs;
    int cost_count;
    const prof_region *regions; /* a region's number is its index here */
    int region_count;
    void (*warn)(void *warner, const char *line);
    void *warner;
} prof_options;

/* The device that computes. */
typedef struct prof_device {
    const char *name; /* one line of text */
    const char *pci;  /* "0000:65:00.0"; NULL if it has none or it is not known */
    int index;        /* of CUDA, which CUDA_VISIBLE_DEVICES may renumber; 0 for the CPU */
    bool is_gpu;
    int threads; /* CPU threads that share a stage */
    /* Start or stop an external profiler (cudaProfilerStart, cudaProfilerStop); NULL: none. */
    void (*bracket)(bool begins);
} prof_device;

/* Measurement sources of this build, a static text, such as "perf events, NVML, NVTX, CUPTI". */
const char *prof_sources(void);

/* Create a profiler, before the device is opened. Returns NULL in mode PROF_OFF if no NVTX tool is
 * attached, and if memory is exhausted. The strings, facts, costs and regions of `options` must
 * outlive it. */
prof_profiler *prof_create(const prof_options *options);
/* Set the device, once it is open and before the first step. `*device` is copied; its strings must
 * be valid until prof_finish. */
void prof_attach(prof_profiler *profiler, const prof_device *device);

/* Number of windows written so far. */
int prof_window_count(const prof_profiler *profiler);

/* Whether windows will be recorded, which need peak rates. */
bool prof_needs_peaks(const prof_profiler *profiler);
/* Set the peak rates before the first window. It restarts the high-water mark of memory: release
 * the benchmark's memory first. */
void prof_set_peaks(prof_profiler *profiler, prof_peaks peaks);
/* Add a warning. Before the first window: to all reports; later: to the report of the open window,
 * and to none if no window is open. Only the first call of a run also prints (options->warn). */
void prof_add_warning(prof_profiler *profiler, const char *line);

/* Close an open window at the end of the run: the device is still open, no region is open. */
void prof_finish(prof_profiler *profiler);
/* Release everything and set the pointer to NULL, after the device was closed. */
void prof_destroy(prof_profiler **profiler);

/* Steps from `step` to the next opening or closing of a window after it, or to one step before an
 * opening if a source prepares there; at most `most`, the caller's own limit. */
int64_t prof_steps_to_edge(const prof_profiler *profiler, int64_t step, int64_t most);
/* Steps before the first window; 0 if there are no windows. */
int64_t prof_warm_up(const prof_profiler *profiler);
/* `step` steps are done, and the next one has this number: close, prepare or open a window that is
 * due now. The device is idle and no region is open. The first call also starts the sources. */
void prof_at_step(prof_profiler *profiler, int64_t step);
/* Whether regions are recorded now: a window is open or a tool is attached. Otherwise a caller may
 * run several regions at once without reporting them. */
bool prof_records_regions(const prof_profiler *profiler);
/* First step (numbered from 0) of the last window that was written; -1: none. */
int64_t prof_last_window(const prof_profiler *profiler);

/* FOLDERS OF WINDOWS, for programs that replace results.
 *
 * Whether `name`, an entry of a folder of profiles, is the name of a window's folder, finished or
 * still being written. */
bool prof_window_folder_is_named(const char *name);

/* Whether a folder holds only files that a window writes, or that XProf stores beside its trace.
 * Otherwise `foreign` receives the path of the first other entry. Links are other entries. */
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
 * prof_released before its release. */
void prof_allocated(prof_profiler *profiler, const void *address, size_t bytes, prof_place place);
void prof_released(prof_profiler *profiler, const void *address);

/* Called by the inline functions below; the profiler must not be NULL. */
void prof_region_begin(prof_profiler *profiler, int region);
void prof_region_end(prof_profiler *profiler);

/* Begin and end of CPU thread `thread`'s share of the innermost region, called on that thread. The
 * profiler must not be NULL, so that callers determine the thread's number only when needed. */
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
