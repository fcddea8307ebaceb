/* Hardware counters of a GPU over time: a member of the trace. */
#ifndef PROFILING_TRACE_SAMPLED_H
#define PROFILING_TRACE_SAMPLED_H

#include <stdint.h>

/* Quantities: name, track title, unit, meaning. */
#define PROF_SAMPLED_LIST(QUANTITY)                                                                \
    QUANTITY(sm_active_percent, "SMs active", "%", "time that a multiprocessor had a warp")        \
    QUANTITY(warps_active_percent, "warps active", "%",                                            \
             "warps on the multiprocessors, of the most that they hold")                           \
    QUANTITY(fp64_active_percent, "FP64 pipe active", "%", "time that FP64 units worked")          \
    QUANTITY(dram_read_bytes_per_s, "DRAM read", "B/s", "read from device memory")                 \
    QUANTITY(dram_written_bytes_per_s, "DRAM written", "B/s", "written to device memory")          \
    QUANTITY(l2_hit_percent, "L2 hits", "%", "what L2 had, of what was requested of it")

enum {
#define PROF_SAMPLED_ENUM(name, title, unit, meaning) PROF_SAMPLED_##name,
    PROF_SAMPLED_LIST(PROF_SAMPLED_ENUM)
#undef PROF_SAMPLED_ENUM
        PROF_SAMPLED_COUNT
};

/* Means over [start, end] [ns] and over the whole GPU. */
typedef struct prof_sampled_interval {
    int64_t start, end;
    double value[PROF_SAMPLED_COUNT]; /* negative: unknown */
} prof_sampled_interval;

/* Consecutive intervals within the window. */
typedef struct prof_sampled {
    const char *chip; /* "GH100"; NULL if nothing was sampled */
    int64_t period;   /* requested [ns] */
    prof_sampled_interval *intervals;
    int64_t count;
} prof_sampled;

#endif
