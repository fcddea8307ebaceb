/* Times and properties of one profiled run, read from the files of its profile. Times are us. */
#ifndef PROFILING_COMPARE_RUN_TIMES_H
#define PROFILING_COMPARE_RUN_TIMES_H

#include "compare/significance.h"
#include "base/input_file.h"
#include "base/log.h"
#include "profiler.h"

/* Time of one call of a step, a substep, a stage, a wait or a phase, on the host or on the GPU.
 * With several ranks it is the time of rank 0; the regions "ranks: step" and "ranks: waits" have
 * the times of all ranks. */
typedef struct prof_timed_region {
    char name[64];
    prof_kind kind;
    bool on_gpu;  /* from the start of the first to the end of the last operation of a call */
    double share; /* of the time of all steps, there; mean over the windows */
    prof_medians medians;
} prof_timed_region;

/* A property of a run other than time: case, build, device. */
typedef struct prof_run_property {
    char name[32];
    char text[256];
    bool is_task; /* runs that differ in it did different work */
} prof_run_property;

typedef struct prof_run_times {
    char path[256]; /* as it was named */
    prof_run_property *properties;
    int property_count;
    prof_timed_region *regions;
    int region_count;
    int windows;         /* 0: a study of components (profile.json) */
    long long ranks;     /* 0: one, or unknown */
    long long last_step; /* where the last window ends */
    int warnings;        /* of the profiler, in all windows */
    char warning[256];   /* the first of them */
} prof_run_times;

/* Read the profile at a path: a folder of results, of profiles or of one window, profile.json or
 * summary.json. To be destroyed. Otherwise NULL, and one line of the log. */
swe_load prof_run_times_load(const char *path, swe_log *log, prof_run_times **out);
void prof_run_times_destroy(prof_run_times **measured);

/* The quantity of that name and place; NULL if there is none. */
const prof_timed_region *prof_run_times_find(const prof_run_times *measured, const char *name,
                                             prof_kind kind, bool on_gpu);

#endif
