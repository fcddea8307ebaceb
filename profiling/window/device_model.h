/* Models of a device: the roofline, which dataflow and report share, and the theoretical occupancy
 * and FP64 throughput of an NVIDIA multiprocessor.
 *
 * Source of the occupancy: CUDA C++ Programming Guide 13.0. */
#ifndef PROFILING_WINDOW_DEVICE_MODEL_H
#define PROFILING_WINDOW_DEVICE_MODEL_H

#include <stdint.h>

#include "profiler.h"

/* THE ROOFLINE: the lower bound of a stage's time, and the resource that limits it. */
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

/* Roofline of a call with `bytes`, `flops` (NAN: unknown) and a time [ns] (0 or NAN: unknown),
 * under a bandwidth [B/s] and a peak [1/s] (0 or NAN: unknown). */
prof_roofline prof_roofline_of(double bytes, double flops, double time, double bandwidth,
                               double peak);

/* The smallest cache with a known bandwidth that holds `reach` bytes (window/reach.h), of `count`
 * caches, smallest first. NULL: the memory of the device, also where the reach is unknown (NAN). */
const prof_cache *prof_serving_cache(const prof_cache *caches, int count, double reach);

/* OCCUPANCY. Resources of a kernel launch. */
typedef struct prof_launch {
    int64_t threads;   /* per block */
    int64_t registers; /* per thread */
    int64_t shared;    /* static and dynamic shared memory per block [bytes] */
} prof_launch;

/* Theoretical occupancy [percent]: resident warps of a multiprocessor over the maximum, with the
 * largest configurable shared memory. -1 if the compute capability is unknown or the kernel cannot
 * be launched. */
double prof_occupancy(int major, int minor, prof_launch launch);

/* FP64 multiply-adds that a multiprocessor issues per cycle; 0 if unknown. */
int prof_fp64_units(int major, int minor);

#endif
