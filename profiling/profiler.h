/* THE PROFILER: the interface between the solver and all measurements.
 *
 * Regions nest; their kinds are run phase, step, substep and stage. A window is a few steps that
 * are recorded; when it closes, its traces and tables are written to <directory>/step_<first
 * step>/. A NULL profiler is off: every call then costs one branch. No function fails a run: every
 * failure becomes one warning. Unless stated otherwise, functions are called on the main thread. */
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
    PROF_COUNTERS /* GPU counters by stage in place of the GPU trace */
} prof_mode;

/* Kind of a region. */
typedef enum prof_kind {
    PROF_PHASE,   /* run phase: setup, warm-up, steps, output */
    PROF_STEP,    /* time step, numbered */
    PROF_SUBSTEP, /* Runge-Kutta substep */
    PROF_STAGE,
    PROF_THREAD /* one CPU thread's share of a stage */
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

/* Whether perf events count each CPU thread's share of a stage; a read costs some microseconds. */
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

/* Static cost of one call of a stage: buffers read and written, every value once, and
 * floating-point operations. */
typedef struct prof_access {
    const char *buffer;
    double bytes;
    bool writes;
} prof_access;

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
    int64_t start_step; /* warm-up steps before the first window */
    int64_t duration;   /* steps in a window */
    int64_t interval;   /* steps from one window's start to the next; 0: one window */
    int64_t last_step;  /* steps of the run; a window ends there at the latest */
    int64_t max_events; /* capacity of a window: regions, and GPU operations plus calls */
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
    int index;
    bool is_gpu;
    int threads; /* CPU threads that share a stage */
    /* Start or stop an external profiler (cudaProfilerStart, cudaProfilerStop); NULL: none. */
    void (*bracket)(bool begins);
} prof_device;

/* Measurement sources of this build: "perf events, NVML, NVTX, CUPTI". */
const char *prof_sources(void);

/* Create a profiler, before the device is opened. NULL in mode PROF_OFF without an attached NVTX
 * tool, and without memory. The strings, facts, costs and regions of `options` must outlive it. */
prof_profiler *prof_create(const prof_options *options);
/* Set the device, once it is open and before the first step. */
void prof_attach(prof_profiler *profiler, const prof_device *device);

/* Number of windows written so far. */
int prof_window_count(const prof_profiler *profiler);

/* Whether windows will be recorded, so that peak rates are needed; and set these rates, before the
 * first window and after the benchmark's memory was released: the memory high-water mark restarts.
 */
bool prof_needs_peaks(const prof_profiler *profiler);
void prof_set_peaks(prof_profiler *profiler, prof_peaks peaks);
/* Add a warning to the windows' reports. */
void prof_add_warning(prof_profiler *profiler, const char *line);

/* Close an open window at the end of the run: the device is still open, no region is open. */
void prof_finish(prof_profiler *profiler);
/* Release everything and set the pointer to NULL, after the device was closed. */
void prof_destroy(prof_profiler **profiler);

/* Steps from `step` to the next opening or closing of a window, at most `most`. */
int64_t prof_steps_to_edge(const prof_profiler *profiler, int64_t step, int64_t most);
/* Steps before the first window; 0 if there are no windows. */
int64_t prof_warm_up(const prof_profiler *profiler);
/* Open or close a window after `step` steps; the device is idle and no region is open. The first
 * call also starts the sources. */
void prof_at_step(prof_profiler *profiler, int64_t step);
/* Whether regions are recorded now: a window is open or a tool is attached. Otherwise a caller may
 * run several regions at once without reporting them. */
bool prof_records_regions(const prof_profiler *profiler);
/* First step of the last window that was written; -1: none. */
int64_t prof_last_window(const prof_profiler *profiler);

/* FOLDERS OF WINDOWS, for programs that replace results.
 *
 * Whether an entry of a folder of profiles has the name of a window's folder, complete or partial.
 */
bool prof_window_folder_is_named(const char *name);

/* Whether a folder holds only files that a window writes, or that XProf stores beside its trace.
 * Otherwise `foreign` receives the path of the first other entry. Links are other entries. */
bool prof_window_folder_is_own(const char *path, char *foreign, size_t size);

/* Remove a window's folder if it holds only such files. False if any of them remains. */
bool prof_window_folder_remove(const char *path);

/* Source location and purpose of an allocation; the strings outlive the profiler. */
typedef struct prof_place {
    const char *label, *function, *file;
    int line;
} prof_place;
#define PROF_HERE(label) ((prof_place){label, __func__, __FILE__, __LINE__})
/* Record an allocation of device memory, and, before it happens, its release. */
void prof_allocated(prof_profiler *profiler, const void *address, size_t bytes, prof_place place);
void prof_released(prof_profiler *profiler, const void *address);

/* Called by the inline functions below if the profiler is not NULL. */
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
