/* A backend: memory, transfers, stages and microbenchmarks of one kind of device, as one table of
 * functions.
 *
 * A backend is selected by name: "cpu", "cuda", "cuda:1", "auto". Names of array arguments state
 * the memory space: `host`, or `device` (on the CPU the same memory). */
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

/* An open device and its queue. */
typedef struct swe_device swe_device;

/* A captured graph of stages that one call launches (a CUDA graph). */
typedef struct swe_graph swe_graph;

/* Name of an array on a device for other processes. */
typedef struct swe_memory_name {
    char bytes[64];
} swe_memory_name;

/* Microbenchmarks that reach the peak rates of a device (backend/peaks.h). Like stages, they
 * start their work and return. */
enum { SWE_COPY_BLOCK = 1024, SWE_MOST_WIDTHS = 4 };

typedef struct swe_benchmark_sizes {
    size_t values; /* of an array to copy, in whole blocks: several times the size of the caches */
    size_t groups; /* of multiply-add chains, enough to fill the device */
    prof_cache caches[PROF_MOST_CACHES]; /* smallest first, without bandwidths; none if unknown */
    int cache_count;
} swe_benchmark_sizes;

typedef struct swe_copy_benchmark {
    /* Choose the sizes. Errors: SWE_NO_MEMORY (the caches would hold the largest arrays that fit in
     * memory), SWE_INTERNAL. */
    swe_status (*sizes)(swe_context *ctx, const swe_execution *execution, swe_benchmark_sizes *out);
    /* Start array[i] = i, and to = from; device arrays of whole blocks of SWE_COPY_BLOCK values. */
    void (*fill)(const swe_execution *execution, size_t values, double *array);
    void (*copy)(const swe_execution *execution, size_t values, const double *from, double *to);
    /* Start to = from `rounds` times, with stores that stay in the caches. */
    void (*copy_in_cache)(const swe_execution *execution, size_t values, long rounds,
                          const double *from, double *to);
} swe_copy_benchmark;

/* Multiply-add (FMA) benchmark in one precision. */
typedef struct swe_fma_benchmark {
    /* Start `length` multiply-adds of each chain; last (groups, width), device memory, receives the
     * final values. */
    void (*run)(const swe_execution *execution, int width, size_t groups, long length, void *last);
    int widths[SWE_MOST_WIDTHS]; /* supported numbers of chains per thread; 0 ends the list */
    long least_length;           /* least multiply-adds of a chain that amortise a start */
} swe_fma_benchmark;

typedef struct swe_backend {
    const char *name;
    /* A swe_stage_table for each precision; state/stepper.c uses the table of its own precision. */
    const void *stages[SWE_PRECISIONS];
    bool inner_first; /* sweeps compute v of inner cells before v of other cells (stages/cost.h) */
    bool has_own_memory; /* models are in memory of the device, which the host cannot read */
    const swe_copy_benchmark *copy_benchmark;
    const swe_fma_benchmark *fma_benchmark[SWE_PRECISIONS];

    /* Number of devices; if 0, ctx->message contains the reason. */
    int (*device_count)(swe_context *ctx);
    /* Whether this machine has a driver for such devices. */
    bool (*has_driver)(void);
    /* Write one line that names a device, at most `size` bytes. */
    void (*describe)(int index, char *text, size_t size);

    /* Open device `index` with `threads` CPU threads (0: chosen by the size of the model). Errors:
     * SWE_UNAVAILABLE, SWE_NO_MEMORY. */
    swe_status (*open)(swe_context *ctx, int index, int threads, swe_device **out);
    /* A text that distinguishes the devices of a machine; "": unknown. NULL: the device is the
     * machine's CPU. */
    const char *(*identity)(const swe_device *device);
    /* Close a device and null the pointer. */
    void (*close)(swe_device **device);
    /* Set the execution context: threads and queue for fields of a layout. */
    void (*bind)(const swe_device *device, const swe_layout *layout, swe_execution *out);
    /* Register the device with a profiler (NULL: none), which then records its allocations. */
    void (*attach)(swe_device *device, const swe_execution *execution, prof_profiler *profiler);

    /* Bytes available for models: the free memory of a GPU, or half of the machine's memory for the
     * CPU. Errors: SWE_INTERNAL. */
    swe_status (*memory)(swe_context *ctx, swe_device *device, size_t *bytes);
    /* Allocate `count` values of `size` bytes of device memory, all zero. `place` labels the
     * allocation for the profiler (PROF_HERE). Errors: SWE_NO_MEMORY. */
    swe_status (*allocate)(swe_context *ctx, swe_device *device, size_t count, size_t size,
                           prof_place place, void **out);
    /* The same, uninitialised. On the CPU pages are untouched, so that a page is placed in the
     * memory node of the thread that first writes to it. */
    swe_status (*reserve)(swe_context *ctx, swe_device *device, size_t count, size_t size,
                          prof_place place, void **out);
    /* Release device memory. */
    void (*release)(swe_device *device, void *memory);
    /* Allocate uninitialised host memory for fast downloads: pinned with CUDA; if the system
     * refuses that, pageable, with a warning. Errors: SWE_NO_MEMORY. */
    swe_status (*allocate_host)(swe_context *ctx, swe_device *device, size_t bytes, void **out);
    /* Release memory of allocate_host; NULL is allowed. */
    void (*release_host)(swe_device *device, void *host);
    /* Call work(argument), which starts stages and nothing else. On the CPU all threads of
     * `execution` call it and share the work of each stage. */
    void (*share)(const swe_execution *execution, void (*work)(void *argument), void *argument);
    /* Copy between host and device memory after all earlier work, and wait. Errors: SWE_INTERNAL.
     */
    swe_status (*upload)(swe_context *ctx, swe_device *device, const void *host, void *to_device,
                         size_t bytes);
    swe_status (*download)(swe_context *ctx, swe_device *device, const void *on_device, void *host,
                           size_t bytes);
    /* Wait for all started stages. Errors: SWE_INTERNAL (a stage failed). */
    swe_status (*synchronize)(swe_context *ctx, swe_device *device);

    /* Memory that another process of the machine copies into. All three are NULL on the CPU. */

    /* The name of an array of `allocate` or `reserve`. Errors: SWE_UNAVAILABLE. */
    swe_status (*name_memory)(swe_context *ctx, swe_device *device, void *memory,
                              swe_memory_name *out);
    /* Map an array that another process has named into the address space of this process. Errors:
     * SWE_UNAVAILABLE (the device cannot reach the array). */
    swe_status (*open_memory)(swe_context *ctx, swe_device *device, const swe_memory_name *name,
                              void **out);
    /* Unmap such an array, before the other process releases it. */
    void (*close_memory)(swe_device *device, void *memory);

    /* Graphs. All three are NULL if the backend has none (CPU). */

    /* Capture the stages that work(argument) starts, with their arguments, without running them.
     * `work` must start nothing else, wait for nothing, and have run before, so that the device has
     * loaded its kernels. Errors: SWE_INTERNAL, SWE_NO_MEMORY; the device stays usable. */
    swe_status (*capture)(swe_context *ctx, swe_device *device, void (*work)(void *argument),
                          void *argument, swe_graph **out);
    /* Launch a graph and return. `synchronize` reports a failure. */
    void (*launch)(swe_device *device, swe_graph *graph);
    /* Destroy a graph that is not running and null the pointer. */
    void (*destroy_graph)(swe_device *device, swe_graph **graph);
} swe_backend;

extern const swe_copy_benchmark swe_copy_benchmark_cpu, swe_copy_benchmark_cuda;
extern const swe_fma_benchmark swe_fma_benchmark_cpu REAL_SYMBOL(swe_fma_benchmark_cpu);
extern const swe_fma_benchmark swe_fma_benchmark_cuda REAL_SYMBOL(swe_fma_benchmark_cuda);
extern const swe_backend swe_backend_cpu;
extern const swe_backend swe_backend_cuda;

/* Backend number `index` of this build; NULL after the last. */
const swe_backend *swe_backend_at(int index);

/* Find a backend and a device by name. "auto" selects the first GPU that works, otherwise the CPU,
 * with a warning if the machine has a GPU driver.
 * Errors: SWE_UNAVAILABLE (not built, no device), SWE_USAGE (no such name). */
swe_status swe_backend_find(swe_context *ctx, const char *name, const swe_backend **out,
                            int *device_index);

#ifdef __cplusplus
}
#endif
#endif
