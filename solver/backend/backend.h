/* A backend: memory, transfers, stages and loads, behind one table of functions.
 *
 * Chosen by name: "cpu", "cuda", "cuda:1", "auto". Array arguments are named for where they live:
 * `host` or `device` (the backend's memory, which on the CPU is the host's). */
#ifndef SWE_BACKEND_BACKEND_H
#define SWE_BACKEND_BACKEND_H

#include <stddef.h>

#include "base/context.h"
#include "base/real.h"
#include "grid/layout.h"
#include "stages/execution.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a backend has opened: a device and its queue. */
typedef struct swe_device swe_device;

/* Stages recorded once and replayed at the cost of one call (a CUDA graph). */
typedef struct swe_graph swe_graph;

/* Work that takes a device to its peaks (backend/peaks.h says what is counted). A load starts
 * its work and returns, as a stage does. */
enum { SWE_COPY_BLOCK = 1024, SWE_MOST_WIDTHS = 4 };

typedef struct swe_benchmark_sizes {
    size_t values; /* of an array to copy, whole blocks: several times what caches hold */
    size_t groups; /* of chains, to fill the device */
} swe_benchmark_sizes;

typedef struct swe_copy_benchmark {
    /* Errors: SWE_NO_MEMORY (caches would hold the arrays that there is memory for),
     * SWE_INTERNAL. */
    swe_status (*sizes)(swe_context *ctx, const swe_execution *execution, swe_benchmark_sizes *out);
    /* array[i] = i, and to = from; both for whole blocks of SWE_COPY_BLOCK values. */
    void (*fill)(const swe_execution *execution, size_t values, double *array);
    void (*copy)(const swe_execution *execution, size_t values, const double *from, double *to);
} swe_copy_benchmark;

/* Multiply-adds, in one precision. */
typedef struct swe_fma_benchmark {
    /* `length` multiply-adds of every chain; last (groups, width): where chains ended. */
    void (*run)(const swe_execution *execution, int width, size_t groups, long length, void *last);
    int widths[SWE_MOST_WIDTHS]; /* chains that one thread may run at a time; 0: no more */
    long least_length;           /* of chains, that is worth a start */
} swe_fma_benchmark;

typedef struct swe_backend {
    const char *name;
    /* A swe_stage_table for each precision; state/stepper.c takes its own. */
    const void *stages[SWE_PRECISIONS];
    bool inner_first; /* sweeps make v of inner cells before that of others (stages/cost.h) */
    const swe_copy_benchmark *copy_benchmark;
    const swe_fma_benchmark *fma_benchmark[SWE_PRECISIONS];

    /* Number of devices; 0 with ctx->message saying why when there is none that works. */
    int (*device_count)(swe_context *ctx);
    /* Whether this machine has a driver of such devices, so that one is to be expected. */
    bool (*has_driver)(void);
    /* One line that names a device, at most `size` bytes. */
    void (*describe)(int index, char *text, size_t size);

    /* Open device `index` with `threads` CPU threads (0: as many as pay off).
     * Errors: SWE_UNAVAILABLE. */
    swe_status (*open)(swe_context *ctx, int index, int threads, swe_device **out);
    void (*close)(swe_device **device);
    /* The threads and the queue that do the work for fields of a layout. */
    void (*bind)(const swe_device *device, const swe_layout *layout, swe_execution *out);
    /* Tell a profiler (NULL: none) which device this is, and from now on of its memory. */
    void (*attach)(swe_device *device, const swe_execution *execution, prof_profiler *profiler);

    /* Bytes that there are for models: of a GPU what is free, of the CPU half of the machine's.
     * Errors: SWE_INTERNAL. */
    swe_status (*memory)(swe_context *ctx, swe_device *device, size_t *bytes);
    /* `count` values of `size` bytes of device memory, all zero; `place` says what for (PROF_HERE).
     * Errors: SWE_NO_MEMORY. */
    swe_status (*allocate)(swe_context *ctx, swe_device *device, size_t count, size_t size,
                           prof_place place, void **out);
    /* The same, not zero: on the CPU not even touched, so that a page goes to the memory of the
     * thread that first writes to it. */
    swe_status (*reserve)(swe_context *ctx, swe_device *device, size_t count, size_t size,
                          prof_place place, void **out);
    void (*release)(swe_device *device, void *memory);
    /* Host memory, anything, that a download fills at the full speed of the device (CUDA: pinned,
     * so that no other memory is in between; where that is refused, with a warning, other memory).
     * Errors: SWE_NO_MEMORY. */
    swe_status (*allocate_host)(swe_context *ctx, swe_device *device, size_t bytes, void **out);
    /* Release it; NULL is fine. */
    void (*release_host)(swe_device *device, void *host);
    /* Do work(argument), which starts stages and nothing else. On the CPU the threads of
     * `execution` do it together: all of them call it, and share each stage. */
    void (*share)(const swe_execution *execution, void (*work)(void *argument), void *argument);
    /* Copies; they wait for all earlier work. Errors: SWE_INTERNAL. */
    swe_status (*upload)(swe_context *ctx, swe_device *device, const void *host, void *to_device,
                         size_t bytes);
    swe_status (*download)(swe_context *ctx, swe_device *device, const void *on_device, void *host,
                           size_t bytes);
    /* Wait for all stages started. Errors: SWE_INTERNAL if one of them failed. */
    swe_status (*synchronize)(swe_context *ctx, swe_device *device);

    /* Sequences; all three are NULL where the backend has none (CPU). */

    /* Record the stages that `work(argument)` starts, arguments included, without running them. It
     * starts nothing else, waits for nothing, and has been run before, so that the device has its
     * code. Errors: SWE_INTERNAL, SWE_NO_MEMORY; the device works on. */
    swe_status (*capture)(swe_context *ctx, swe_device *device, void (*work)(void *argument),
                          void *argument, swe_graph **out);
    /* Start all of a graph and return, as a stage does; synchronize tells of a failure. */
    void (*launch)(swe_device *device, swe_graph *graph);
    /* Release a graph that is not running and null the pointer. */
    void (*destroy_graph)(swe_device *device, swe_graph **graph);
} swe_backend;

extern const swe_copy_benchmark swe_copy_benchmark_cpu, swe_copy_benchmark_cuda;
extern const swe_fma_benchmark swe_fma_benchmark_cpu, swe_fma_benchmark_cuda;
extern const swe_backend swe_backend_cpu;
extern const swe_backend swe_backend_cuda;

/* Backends of this build, NULL after the last. */
const swe_backend *swe_backend_at(int index);

/* Find a backend and a device by name. "auto" takes the first GPU that works, and otherwise
 * the CPU, with a warning where the machine has a GPU's driver.
 * Errors: SWE_UNAVAILABLE (not built, no device), SWE_USAGE (no such name). */
swe_status swe_backend_find(swe_context *ctx, const char *name, const swe_backend **out,
                            int *device_index);

#ifdef __cplusplus
}
#endif
#endif
