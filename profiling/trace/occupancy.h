/* Theoretical occupancy and FP64 throughput of an NVIDIA multiprocessor, by compute capability.
 *
 * Source: CUDA C++ Programming Guide 13.0. */
#ifndef PROFILING_TRACE_OCCUPANCY_H
#define PROFILING_TRACE_OCCUPANCY_H

#include <stdint.h>

/* Resources of a kernel launch. */
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
