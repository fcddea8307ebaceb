/* THE PROFILER, as the solver sees it: the one header to include.
 *
 * Regions nest and are named by stage, step and run phase. A window is a few steps during which
 * everything is recorded; when it closes, its traces and tables are written to
 * <directory>/step_<first step>/. A profiler that is NULL is off: every call below costs one branch
 * then. Nothing here ever fails a run: what goes wrong becomes one warning. */
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
    PROF_OFF,     /* no windows; regions are seen by an NVTX tool that is attached */
    PROF_TRACE,   /* everything: traces, tables, memory, summary */
    PROF_SUMMARY, /* the same without traces */
    PROF_NSYS,    /* collect nothing, bracket the window for nsys or ncu */
    PROF_COUNTERS /* counters of a GPU by stage instead of its work; no traces */
} prof_mode;

/* What a region is. */
typedef enum prof_kind {
    PROF_PHASE, /* of a run: setup, warm-up, steps, output */
    PROF_STEP,  /* a time step; numbered */
    PROF_PART,  /* of a step: the right-hand side */
    PROF_STAGE,
    PROF_THREAD /* what one CPU thread does of a stage */
} prof_kind;

typedef struct prof_region {
    const char *name;
    prof_kind kind;
} prof_region;

/* Trace files of a window in mode PROF_TRACE; bits. */
typedef enum prof_trace_file {
    PROF_FILE_PERFETTO = 1,
    PROF_FILE_XPLANE = 2,
    PROF_FILE_JSON = 4
} prof_trace_file;

/* Whether perf events count what every CPU thread does of a stage, at some microseconds for each.
 */
typedef enum prof_counters {
    PROF_COUNTERS_AUTO, /* where the cores have counters */
    PROF_COUNTERS_ON,
    PROF_COUNTERS_OFF
} prof_counters;

/* Something that reports should know of the run: a text, or a number where that is NULL. */
typedef struct prof_fact {
    const char *name, *text;
    double number;
} prof_fact;

/* What one call of a stage must do, by its formulas: the buffers that it reads and writes, each
 * value once, and floating-point operations. */
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

/* What the device reaches at most, as measured in this run; 0: not measured. */
typedef struct prof_ceilings {
    double copy_bandwidth; /* B/s, what is read and what is written together */
    double flops;          /* FP64, 1/s, a multiply-add being two */
} prof_ceilings;

typedef struct prof_options {
    prof_mode mode;
    const char *directory;
    int64_t start_step; /* steps to warm up, before the first window */
    int64_t duration;   /* steps in a window */
    int64_t interval;   /* steps from one window to the next; 0: one window */
    int64_t last_step;  /* steps of the run; a window ends there at the latest */
    int64_t max_events; /* most regions, and most GPU operations and calls, kept in a window */
    unsigned files;     /* prof_trace_file bits */
    prof_counters counters;
    int64_t sampling; /* ns from one sample of a GPU's counters to the next; 0: none are taken */
    const char *case_name, *version;
    const prof_fact *facts;
    int fact_count;
    const prof_cost *costs;
    int cost_count;
    const prof_region *regions; /* a region's number is its place here */
    int region_count;
    void (*warn)(void *warner, const char *line);
    void *warner;
} prof_options;

/* The device that computes. */
typedef struct prof_device {
    const char *name; /* one line */
    const char *pci;  /* "0000:65:00.0"; NULL if it has none or it is not known */
    int index;
    bool is_gpu;
    int threads; /* CPU threads that share a stage */
    /* Tell an outside profiler that a window begins or ends (cudaProfilerStart and Stop); NULL if
     * there is none such. */
    void (*bracket)(bool begins);
} prof_device;

/* What this build can measure with: "perf events, NVML, NVTX, CUPTI". */
const char *prof_sources(void);

/* A profiler; NULL if there is nothing to do: mode PROF_OFF and no NVTX tool attached, or no
 * memory. The options' strings, facts, costs and regions must outlive it. To be made before the
 * device is open.
 */
prof_profiler *prof_create(const prof_options *options);
void prof_attach(prof_profiler *profiler, const prof_device *device);
/* Windows that were written so far. */
int prof_window_count(const prof_profiler *profiler);

/* Whether windows are recorded, so that ceilings are wanted; and what they are, before a window,
 * once the memory that measuring them took is released: the most memory in use counts anew. */
bool prof_wants_ceilings(const prof_profiler *profiler);
void prof_set_ceilings(prof_profiler *profiler, prof_ceilings ceilings);
/* Something went wrong that windows should tell: one warning. */
void prof_tell(prof_profiler *profiler, const char *line);

/* The run is over, the device still open, no region begun: close a window that is open. */
void prof_finish(prof_profiler *profiler);
/* Release everything and null the pointer; the device is closed, its memory was released. */
void prof_destroy(prof_profiler **profiler);

/* Steps from `step` to the next place where a window opens or closes, at most `most`. */
int64_t prof_steps_to_edge(const prof_profiler *profiler, int64_t step, int64_t most);
/* Steps before the first window; 0 if there are no windows. */
int64_t prof_warm_up(const prof_profiler *profiler);
/* `step` steps are done, the device is idle and no region is begun: open or close a window that
 * begins or ends here. The first call also starts what else is measured. */
void prof_at_step(prof_profiler *profiler, int64_t step);
/* Whether somebody hears of regions now: a window is open, or a tool is attached. Otherwise a
 * caller may start many at once that are then not told of. */
bool prof_wants_regions(const prof_profiler *profiler);
/* First step of the last window whose folder was written; -1: none was. */
int64_t prof_last_window(const prof_profiler *profiler);

/* Device memory was allocated, or is about to be released. */
typedef struct prof_place {
    const char *label, *function, *file;
    int line;
} prof_place;
#define PROF_HERE(label) ((prof_place){label, __func__, __FILE__, __LINE__})
void prof_allocated(prof_profiler *profiler, const void *address, size_t bytes, prof_place place);
void prof_released(prof_profiler *profiler, const void *address);

/* Called by the inline functions below when there is a profiler. */
void prof_region_begin(prof_profiler *profiler, int region);
void prof_region_end(prof_profiler *profiler);

/* What CPU thread `thread` does of the region that the main thread is in, called on that thread.
 * The profiler is not NULL: test it before asking for the thread's number. */
void prof_part_begin(prof_profiler *profiler, int thread);
void prof_part_end(prof_profiler *profiler, int thread);

/* A region, on the main thread; regions nest. */
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
