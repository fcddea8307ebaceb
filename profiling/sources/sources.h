/* MEASUREMENT SOURCES: each fills members of the trace when a window closes.
 *
 * A source is an opaque handle with functions to create it, to open and close a window, and to
 * destroy it (which nulls the pointer). Creation returns NULL after one warning if the source is
 * unavailable; the other functions ignore NULL, except for reads of CPU counters. All are called on
 * the main thread unless stated otherwise. CUPTI is the library that the environment variable
 * CUBESWE_CUPTI_LIBRARY names, otherwise the first of libcupti.so.13, libcupti.so and the path
 * found at build time. Libraries are loaded when a source is created; builds without their headers
 * have no such source (absent.c). */
#ifndef PROFILING_SOURCES_SOURCES_H
#define PROFILING_SOURCES_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler.h"
#include "base/log.h"
#include "window/trace.h"

struct perf_event_attr; /* of linux/perf_event.h */

/* CPU COUNTERS: hardware and software counters of CPU threads, from Linux perf events.
 *
 * Counters cover user space and kernel, or user space only if perf_event_paranoid requires that. */

typedef struct prof_perf prof_perf;

/* Whether the cores have hardware counters, permitted or not; virtual machines often have none. */
bool prof_perf_has_hardware(void);

/* Counters for the threads 0 to threads - 1. One warning names those that the machine does not have
 * or does not allow, which read as -1; NULL if that is all of them, or if there is no memory. The
 * log must outlive it. */
prof_perf *prof_perf_create(int threads, swe_log *log);

/* Also warns if a thread could not open its counters. No thread is reading. */
void prof_perf_destroy(prof_perf **perf);

/* Counts of the calling thread, which goes by the number `thread`, since its first call; that one
 * opens the counters. Numbers are independent of each other; one has one caller at a time.
 *
 * A number's OS thread may change, as in a pool. Its counters are then opened anew and count from
 * zero: use prof_perf_since for differences. A read of the software's counters took 0.8 to 1.5
 * microseconds on a virtual machine (test_perf --bench). */
void prof_perf_read(prof_perf *perf, int thread, int64_t counts[PROF_COUNTER_COUNT]);

/* Counts since a read with the same number. -1 if unknown: not measured, the OS thread of the
 * number has changed, or counters shared with other events were scaled too roughly. */
void prof_perf_since(prof_perf *perf, int thread, const int64_t before[PROF_COUNTER_COUNT],
                     int64_t counts[PROF_COUNTER_COUNT]);

/* Events and system calls of the source, which its tests replace. */
typedef struct prof_perf_event {
    uint32_t type, config; /* as in perf_event_attr */
    bool in_kernel;        /* occurs in the kernel only, never in user space */
} prof_perf_event;

/* The kernel, or its replacement in tests. */
typedef struct prof_perf_kernel {
    /* Open an event of the calling thread, in the group of a leader unless that is -1. A group is
     * stopped until its leader is started. The descriptor, or -1 with errno. */
    int (*open)(struct perf_event_attr *attributes, int leader);
    /* 0, or -1 with errno. */
    int (*start)(int leader);
} prof_perf_kernel;

extern const prof_perf_kernel prof_perf_linux;

prof_perf *prof_perf_create_from(const prof_perf_event events[PROF_COUNTER_COUNT],
                                 const prof_perf_kernel *kernel, int threads, swe_log *log);

/* CODE SAMPLES: parts of stages, by the program counter of the threads that share stages.
 *
 * Each thread has a timer, which interrupts it once per PROF_CODE_PERIOD of wall time (SIGPROF).
 * The handler keeps the program counter and the stage. When sampling stops, the debug information
 * of the program (-g1, read by libdw) tells the functions around each program counter, inlined ones
 * included. A build without libdw, or a stripped program, has no parts. */

/* Some 500 samples a second (validation/profile_overhead has their cost). The period is a prime
 * number of microseconds, so that it keeps no step with the loops that it samples. */
enum { PROF_CODE_PERIOD = 1997000 }; /* [ns] */

typedef struct prof_code prof_code;

/* Samples of `threads` threads, 0 to threads - 1; a thread keeps at most `most`. The parts, and the
 * regions that their stages name, must outlive it. One process has one such source at a time. NULL
 * after one warning. */
prof_code *prof_code_create(const prof_region *regions, const prof_part *parts, int part_count,
                            int threads, int64_t most, swe_log *log);

/* A thread's share of a stage begins or ends, on that thread. While the source samples, the first
 * call starts the thread's timer. */
void prof_code_enter(prof_code *code, int thread, int region);
void prof_code_leave(prof_code *code, int thread);

/* Start to sample; stop, and count the samples within stages by their parts. A failure is one
 * warning, and leaves no parts. No thread is in a stage at either call. */
void prof_code_start(prof_code *code);
void prof_code_stop(prof_code *code, prof_parts *parts, swe_log *log);

void prof_code_destroy(prof_code **code);

/* Names of the functions around addresses of this program. */
typedef struct prof_code_names prof_code_names;

/* NULL: this build has no libdw, or the program cannot be read. */
prof_code_names *prof_code_names_open(void);

/* Write the names of the functions around an address, innermost first, separated by blanks; those
 * that do not fit are left out. Empty where the program has no debug information of it. */
void prof_code_names_at(prof_code_names *names, uint64_t address, char *out, size_t size);

void prof_code_names_close(prof_code_names **names);

/* CODE SAMPLES OF A GPU: parts of stages, by the program counters of warps, from CUPTI's PC
 * sampling and the line tables of the kernels (-lineinfo, read by libelf). */

typedef struct prof_gpu_code prof_gpu_code;

/* The parts and kernels of the options must outlive it. CUDA's context is current, and no kernel of
 * a stage is loaded yet: kernels that are would not be seen. One process has one such source at a
 * time; while it exists, CUPTI refuses to trace kernels, to count and to sample counters. NULL
 * after one warning. */
prof_gpu_code *prof_gpu_code_create(const prof_options *options, swe_log *log);

/* Start to sample; stop, and store the parts in the trace, which has the samples of NVML already.
 * The device is idle. A failure is one warning, and leaves no parts. */
void prof_gpu_code_start(prof_gpu_code *code, swe_log *log);
void prof_gpu_code_stop(prof_gpu_code *code, prof_trace *trace, swe_log *log);

void prof_gpu_code_destroy(prof_gpu_code **code);

/* GPU STATE: samples by NVML: utilisation, clocks, memory, power, temperature.
 *
 * NVML is the driver's libnvidia-ml.so.1, or the library that the environment variable
 * CUBESWE_NVML_LIBRARY names. An unavailable value is -1 in a sample and '-' in the log. */

/* Capacity of the ring of latest samples for windows; the log has all samples. */
enum { PROF_NVML_KEPT = 4096 };

/* Utilisation and, since Hopper, power are means over at most this time before a sample [ns]. */
enum { PROF_NVML_MEAN = 1000000000 };

typedef struct prof_nvml prof_nvml;

/* Start sampling a GPU now and every `period` seconds (> 0) on a background thread. Each sample is
 * written to the CSV file `path` at once (NULL: to none). The GPU is the one with CUDA's bus id
 * `pci`, or NVML's number `index` if `pci` is NULL; samples store `index`. NULL after one warning.
 */
prof_nvml *prof_nvml_start(const char *path, const char *pci, int index, double period,
                           swe_log *log);

/* Failures of the background thread are reported by the next call with a log. */

/* Take a sample now. */
void prof_nvml_sample(prof_nvml *nvml);

/* Append the samples taken in [start, end] to trace->samples. */
void prof_nvml_collect(prof_nvml *nvml, prof_trace *trace, int64_t start, int64_t end,
                       swe_log *log);

/* Stop, without waiting for the next sample, and null the pointer. */
void prof_nvml_stop(prof_nvml **nvml, swe_log *log);

/* NVTX: ranges of regions, for nsys, ncu and other attached tools.
 *
 * Names are registered strings, as `nsys --capture-range=nvtx` expects. */

typedef struct prof_nvtx prof_nvtx;

/* Domain "cubeswe", with the regions' names registered and a category for every kind. NULL if no
 * tool is attached, if there is no memory, or if the build has no NVTX. */
prof_nvtx *prof_nvtx_create(const prof_region *regions, int count);
void prof_nvtx_destroy(prof_nvtx **nvtx);

/* A range of a region begins or ends on this thread. `number` is its payload; -1: none. */
void prof_nvtx_push(prof_nvtx *nvtx, int region, int64_t number);
void prof_nvtx_pop(prof_nvtx *nvtx);

/* The range "window" begins (its payload is its first step) or ends on this thread, for tools that
 * capture by range. It nests with the regions. */
void prof_nvtx_window(prof_nvtx *nvtx, bool begins, int64_t first_step);

/* GPU TRACE: operations of the GPU and CUDA calls of one window, from CUPTI's activity records. */

typedef struct prof_cupti prof_cupti;

/* Create the source and allocate buffers for `max_events` operations and calls per window. CUDA may
 * already be in use. NULL after one warning: no library, another profiler attached, no permission.
 */
prof_cupti *prof_cupti_create(int64_t max_events, swe_log *log);

/* Enable recording one step before a window, so that CUPTI initialises outside of it; the records
 * of that step are discarded. prof_cupti_start reports failures. */
void prof_cupti_warm_up(prof_cupti *cupti);

/* Open a window; the device is idle. False after a warning. */
bool prof_cupti_start(prof_cupti *cupti, swe_log *log);

/* Begin a capture: the graph's steps and calls of stages are the regions that follow. */
void prof_cupti_capture(prof_cupti *cupti);

/* Enter and leave a region. Calls in it belong to `span`, an index of the window's trace (-1
 * outside of windows); graph nodes created in it are named by it. Its name must outlive the source.
 */
void prof_cupti_push(prof_cupti *cupti, prof_region region, int32_t span);
void prof_cupti_pop(prof_cupti *cupti);

/* Close the window; the device is idle. Adds to the trace: operations and calls with their spans,
 * operations of graphs with their nodes' names as stage, numbers of dropped records, allocations
 * that the trace does not list, and the properties of the device. */
void prof_cupti_stop(prof_cupti *cupti, prof_trace *trace, swe_log *log);

void prof_cupti_destroy(prof_cupti **cupti);

/* GPU COUNTERS: memory traffic and FP64 operations by stage, from CUPTI's range profiler.
 *
 * Each call of a stage within a step is a range. Metrics that do not fit into one pass need further
 * passes. Each pass counts another step, which launches the same kernels with the same sizes, so
 * that no kernel runs twice and caches have the state of a run. Ranges do not overlap, so times
 * differ from the times of an undisturbed run. CUPTI records no activity meanwhile: such a window
 * has no GPU trace. */

typedef struct prof_gpu_counters prof_gpu_counters;

/* Create the source for a CUDA device; CUDA is already in use. A step counts at most `max_ranges`
 * calls of stages. NULL after one warning. */
prof_gpu_counters *prof_gpu_counters_create(int32_t device, int64_t max_ranges, swe_log *log);

/* Open a window; the device is idle and no region is open. */
void prof_gpu_counters_start(prof_gpu_counters *counters);

/* Begin and end a region at a model step (-1 outside of steps); its name must outlive the source.
 * Also called outside of windows, where steps determine the number of ranges. */
void prof_gpu_counters_begin(prof_gpu_counters *counters, prof_region region, int64_t step);
void prof_gpu_counters_end(prof_gpu_counters *counters);

/* Close the window; the device is idle. Stores the counters in the trace, or warns once. */
void prof_gpu_counters_stop(prof_gpu_counters *counters, prof_trace *trace, swe_log *log);

void prof_gpu_counters_destroy(prof_gpu_counters **counters);

/* GPU COUNTER SAMPLES: activity and memory traffic over time, from CUPTI's PM sampling.
 *
 * The hardware writes counters at a fixed period to a buffer that is read when a window closes.
 * Kernels are not serialised, and activity records work at the same time. The range profiler
 * above does not: both need the same hardware. */

typedef struct prof_gpu_sampling prof_gpu_sampling;

/* Create the source for a CUDA device with a period [ns]; CUDA is already in use. A window keeps at
 * most `most` samples. NULL after one warning. */
prof_gpu_sampling *prof_gpu_sampling_create(int32_t device, int64_t period, int64_t most,
                                            swe_log *log);

/* Open a window; a failure is one warning. */
void prof_gpu_sampling_start(prof_gpu_sampling *sampling, swe_log *log);

/* Close the window: store the samples between trace->start and trace->end in trace->sampled. */
void prof_gpu_sampling_stop(prof_gpu_sampling *sampling, prof_trace *trace, swe_log *log);

void prof_gpu_sampling_destroy(prof_gpu_sampling **sampling);

#endif
