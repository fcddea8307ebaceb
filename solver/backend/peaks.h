/* Measured peak rates of a device for rooflines: copy bandwidth, and floating-point operations.
 *
 * Three microbenchmarks, with the threads and the queue of an execution context:
 *
 *   - Copy: to = from, for arrays larger than all caches. Each value counts as read once and
 *     written once. On x86 the stores bypass the caches, so that this is also the true traffic.
 *     Stages store through the caches, which read a line before it is written (read for
 *     ownership): a stage that writes w of its b bytes reaches at most b / (b + w) of this peak.
 *   - Copy within each cache: the same, repeated, for arrays that fill half of the cache, or more
 *     where the cache before it is nearly as large (on a GPU: of the L2 cache). Its stores stay in
 *     the caches, like the stores of stages.
 *   - FMA: x = a x + b, repeated, for many independent x in registers, in both precisions. Each
 *     counts as two operations, fused or not. It is compiled with the options of the stages.
 *
 * A peak is the best of several repeats, and for FMA of several numbers of chains per thread. The
 * benchmarks are copy_benchmark_* and fma_benchmark_* in cpu/ and cuda/; copy_benchmark_* also
 * choose the sizes of both benchmarks. Peaks that are not reliable are measured again for a
 * while. */
#ifndef SWE_BACKEND_PEAKS_H
#define SWE_BACKEND_PEAKS_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/backend.h"
#include "base/real.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct swe_peaks {
    double copy_bandwidth;        /* [bytes s-1] */
    double flops[SWE_PRECISIONS]; /* [operations s-1] */
    prof_cache caches[PROF_MOST_CACHES];
    int cache_count;
    const char *doubt; /* why the peaks are not reliable; NULL: they are reliable */
} swe_peaks;

/* One of the two reasons; the other reason is swe_doubt_of_waits. */
extern const char swe_peaks_not_ordered[];

/* Why peaks are not reliable, given the share of time that threads waited for cores; NULL: the
 * peaks are reliable. */
const char *swe_peaks_doubt(const swe_peaks *peaks, double waited);

/* Measure the copy bandwidths, and operations in `precisions` (bit 1 << p: swe_precision p), in
 * some tenths of a second. `together`: all ranks call it and measure at the same time, each its own
 * rates, since ranks of a machine share its memory. A peak that is not or cannot be measured stays
 * 0. Errors: SWE_NO_MEMORY, SWE_INTERNAL. */
swe_status swe_peaks_measure(swe_context *ctx, const swe_backend *backend, swe_device *device,
                             const swe_execution *execution, int precisions, bool together,
                             swe_peaks *out);

/* Measure the peaks for the profiler of `execution`: copy bandwidths and operations in a precision.
 * All ranks call it. Where knob peaks of the root is 0 none are measured. A failure is recorded as
 * a warning of the profiler. Peaks that are not
 * reliable are recorded as a warning, too, and are not passed to the profiler. */
void swe_peaks_record(const swe_backend *backend, swe_device *device,
                      const swe_execution *execution, swe_precision precision);

/* A chain of multiply-adds x = a x + b with a + b = 1. It converges to 1, so that x stays in range:
 * after m of them, x - 1 is a^m times its first value. */
/* First value of a chain; it depends on `number`, so that the compiler cannot merge chains. */
SWE_POINT real chain_start(size_t number)
{
    return (real)(2.0 + 0x1p-24 * (double)number);
}

/* One multiply-add. */
SWE_POINT real chain_point(real x)
{
    return (real)(1.0 - 0x1p-20) * x + (real)0x1p-20;
}

#ifdef __cplusplus
}
#endif
#endif
