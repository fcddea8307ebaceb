/* The profiler's state, shared by its source files: profiler.c has the functions that the solver
 * calls, profiler_sources.c starts the sources of measurements, profiler_windows.c opens windows,
 * fills their traces and writes the traces, profiler_ranks.c adds the traces of other ranks. */
#ifndef PROFILING_PROFILER_INTERNAL_H
#define PROFILING_PROFILER_INTERNAL_H

#include "base/clock.h"
#include "base/log.h"
#include "base/samples.h"
#include "record/record.h"
#include "sources/sources.h"

/* The clock of another rank. */
typedef struct prof_clock {
    int64_t difference;  /* clock of that rank minus clock of rank 0 [ns] */
    int64_t uncertainty; /* half of the fastest message there and back [ns] */
} prof_clock;

struct prof_profiler {
    prof_options options;
    prof_device device;
    prof_peaks peaks;
    swe_log log;
    prof_schedule schedule;
    prof_recorder *recorder;
    prof_memory_tracker *memory;
    prof_nvtx *nvtx;   /* NULL: no tool attached */
    prof_cupti *cupti; /* this and the sources below: NULL if unavailable */
    prof_gpu_counters *counters;
    prof_trace *counted;    /* mode PROF_FULL: what they counted, for all windows; NULL: nothing */
    int64_t counting_until; /* mode PROF_FULL: step at which they end; -1: they do not count */
    prof_gpu_sampling *sampling;
    prof_nvml *nvml;
    prof_perf *perf;
    prof_code *code; /* this and the next: NULL: parts of stages are not sampled */
    prof_gpu_code *gpu_code;
    bool is_started, is_open, is_capturing;
    int64_t window_start, window_step; /* of the window that is open */
    int64_t to_wall; /* from swe_clock_ns to the wall clock, as it was when the window opened */
    int64_t sampled_from;              /* just before the window opened */
    int windows, written;              /* so far */
    int64_t last_written;              /* first step of the last written window; -1: none */
    int run_lines;                     /* lines of the log before the first window */
    swe_watch watch;                   /* of the open window */
    swe_samples before, within, since; /* times of a step [s], by stride (prof_tracing) */
    double share;                      /* of the work that this rank does */
    prof_clock *clocks; /* rank 0: of the other ranks, when the window opened; NULL: one rank */
    bool has_stride;    /* one has ended; the first, which is slow, is in none of them */
    bool is_warm;       /* records precede the next window, and will be discarded */
    int64_t warm_up;    /* steps of that kind before the open window */
    int64_t launched;   /* steps of the open window that graphs launched */
};

/* Now, on the clock of the open window's trace. */
static inline int64_t prof_window_clock(const prof_profiler *p)
{
    return swe_clock_ns() + p->to_wall;
}

/* Whether this program records windows, as opposed to an external profiler. */
static inline bool prof_records_windows(const prof_profiler *p)
{
    return p->options.mode != PROF_OFF && p->options.mode != PROF_NSYS;
}

/* Start the sources at the first step, not earlier: a run that is refused prints no other warnings.
 */
void prof_start_sources(prof_profiler *p, int64_t first_step);
/* Sample code of the GPU, from before its kernels are loaded. */
void prof_start_gpu_code(prof_profiler *p);
/* Mode PROF_FULL: end the counted steps; end them, and begin the trace. */
void prof_end_counting(prof_profiler *p);
void prof_begin_trace(prof_profiler *p);

/* Set what a trace has of the run: case, version, facts, buffers, peaks, and the costs of a share
 * of the work. False without memory. */
bool prof_describe_run(const prof_profiler *p, double share, prof_trace *trace);

/* SEVERAL RANKS (profiler_ranks.c). With one rank, prof_compare_clocks and prof_end_traces do
 * nothing, and prof_receive_traces tells whether there is a trace. */

/* Compare the clocks of the ranks. */
void prof_compare_clocks(prof_profiler *p);
/* Send the trace of this rank to rank 0, NULL if it is lost, and learn whether the window was
 * written. */
bool prof_send_trace(const prof_trace *trace, const prof_ranks *ranks);
/* Rank 0: add what the others send to its own trace, NULL if that is lost; false if the trace of
 * any rank is lost. Then let the others know whether the window was written. */
bool prof_receive_traces(prof_profiler *p, prof_trace *trace);
void prof_end_traces(const prof_ranks *ranks, bool is_written);

/* Open a window after `step` steps; close the one that is open, and write it. */
void prof_open_window(prof_profiler *p, int64_t step);
void prof_close_window(prof_profiler *p, int64_t step);

#endif
