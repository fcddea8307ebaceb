/* THE ROOFLINE MODEL: the lower bound of a stage's time, and the resource that limits it. Dataflow
 * and report share it. */
#ifndef PROFILING_TRACE_ROOFLINE_H
#define PROFILING_TRACE_ROOFLINE_H

#include "profiler.h"

typedef enum prof_bound {
    PROF_BOUND_UNKNOWN, /* costs, time or a peak are unknown */
    PROF_BOUND_MEMORY,
    PROF_BOUND_COMPUTE,
    PROF_BOUND_LATENCY /* launch and synchronisation dominate */
} prof_bound;

/* A stage is latency-bound if its roofline time is below `prof_latency`, about the cost of a few
 * launches (GPU) or barriers (CPU), and below the share `prof_latency_share` of its time. */
static const double prof_latency = 5e3; /* [ns] */
static const double prof_latency_share = 0.5;

/* Times [ns]; 0 where unknown. */
typedef struct prof_roofline {
    double moving, computing; /* time of the bytes and of the operations at the peak rates */
    double time;              /* the larger of the two: lower bound of the stage's time */
    prof_bound bound;
} prof_roofline;

/* Roofline of a call with `bytes`, `flops` (NAN: unknown) and a time [ns] (0 or NAN: unknown). */
prof_roofline prof_roofline_of(double bytes, double flops, double time, prof_peaks peaks);

#endif
