/* What a multiprocessor holds, by compute capability. */
#ifndef PROFILING_TRACE_OCCUPANCY_H
#define PROFILING_TRACE_OCCUPANCY_H

#include <stdint.h>

/* What a kernel needs. */
typedef struct prof_launch {
    int64_t threads;   /* of a block */
    int64_t registers; /* of a thread */
    int64_t shared;    /* bytes of a block, static and dynamic */
} prof_launch;

/* Theoretical occupancy: warps that a multiprocessor holds of a kernel at the same time, percent of
 * those that it can hold. Its shared memory is taken as large as it can be made. -1 if the compute
 * capability is unknown or such a kernel cannot run. */
double prof_occupancy(int major, int minor, prof_launch launch);

/* FP64 multiply-adds that a multiprocessor begins per cycle; 0 if unknown. */
int prof_fp64_units(int major, int minor);

#endif
