/* The peaks of a device: what it reaches at most, for rooflines. Measured with the threads and
 * the queue of execution by two loads, which are no stages:
 *
 *     copy     to = from, arrays that no cache holds. Counted is every value read and every value
 *              written, once. On x86 the stores bypass the caches, so that this is also what moves.
 *              Stages store through the caches, which first read a line that is written to (read
 *              for ownership): a stage that writes w of its b bytes reaches b / (b + w) of this
 *              peak at most.
 *     chains   x = a x + b, again and again, of many x at a time, in registers. Counted are two
 *              operations, fused or not: as the build has it for the stages, too.
 *
 * A peak is a maximum: the best of several repeats, and of several numbers of chains at a time.
 *
 *     peaks_point.h                       the arithmetic of a chain
 *     cpu/fma_benchmark_cpu.c, cuda/fma_benchmark_cuda.cu  chains on each backend, in both
 * precisions cpu/copy_benchmark_cpu.c, cuda/copy_benchmark_cuda.cu    the other loads */
#ifndef SWE_BACKEND_PEAKS_H
#define SWE_BACKEND_PEAKS_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct swe_peaks {
    double copy_bandwidth;        /* bytes a second */
    double flops[SWE_PRECISIONS]; /* operations a second */
} swe_peaks;

/* Measure, in some tenths of a second; what could not be measured stays 0.
 * Errors: SWE_NO_MEMORY, SWE_INTERNAL. */
swe_status swe_peaks_measure(swe_context *ctx, const swe_backend *backend, swe_device *device,
                             const swe_execution *execution, swe_peaks *out);

/* Measure for the profiler of `execution`, if it wants that; a failure is one of its warnings. Of
 * the operations it hears the rate in double precision. */
void swe_peaks_report(const swe_backend *backend, swe_device *device,
                      const swe_execution *execution);

#ifdef __cplusplus
}
#endif
#endif
