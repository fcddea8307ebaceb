/* THE ROOFLINE: what bounds work on a device. One answer for dataflow and report. */
#ifndef PROFILING_TRACE_ROOFLINE_H
#define PROFILING_TRACE_ROOFLINE_H

#include "profiler.h"

typedef enum prof_bound {
    PROF_BOUND_UNKNOWN, /* no costs, no time, or a ceiling is not known */
    PROF_BOUND_MEMORY,
    PROF_BOUND_COMPUTE,
    PROF_BOUND_LATENCY /* so little to do that starting and ending it takes most of the time */
} prof_bound;

/* A stage is latency-bound if the device could do its work in less than a few launches (GPU) or
 * barriers (CPU) take, and it does take a multiple of that. */
static const double prof_latency = 5e3;       /* ns */
static const double prof_latency_share = 0.5; /* of the time, that the device would need */

/* Times are ns, 0 where not known. */
typedef struct prof_roofline {
    double moving, computing; /* what the bytes and the operations take at the ceilings */
    double time;              /* the longer of the two: what the ceilings allow */
    prof_bound bound;
} prof_roofline;

/* Of a call that takes `time`; numbers that are not known are 0 or NAN, counts NAN. */
prof_roofline prof_roofline_of(double bytes, double flops, double time, prof_ceilings ceilings);

#endif
