/* Samples of a GPU's state by NVML: use, clocks, memory, power, temperature.
 *
 * NVML is libnvidia-ml.so.1 of the driver, or the library that the environment variable
 * CUBESWE_NVML_LIBRARY names. A value that the GPU does not tell is -1 in a sample and '-' in the
 * log. */
#ifndef PROFILING_SOURCES_NVML_NVML_H
#define PROFILING_SOURCES_NVML_NVML_H

#include "record/log.h"
#include "trace/trace.h"

/* The latest samples, which a window can still get; the log has all. */
enum { PROF_NVML_KEPT = 4096 };

/* Utilisation and, from Hopper on, power are means over the time before a sample, at most so long
 * [ns]. */
enum { PROF_NVML_MEAN = 1000000000 };

typedef struct prof_nvml prof_nvml;

/* Start sampling a GPU: now, then in the background every `period` seconds (> 0). Every sample is a
 * line of the CSV file `path` at once. NULL after one warning. `pci` is the bus id that CUDA tells;
 * if it is NULL, the GPU is the one that NVML calls `index`. Samples bear `index` in both cases. */
prof_nvml *prof_nvml_start(const char *path, const char *pci, int index, double period,
                           prof_log *log);

/* The functions below do nothing with a sampler that is NULL. Failures in the background are told
 * by the next one that takes a log of warnings. */

/* Take a sample now. */
void prof_nvml_sample(prof_nvml *nvml);

/* Append the samples taken in [start, end] to trace->samples. */
void prof_nvml_collect(prof_nvml *nvml, prof_trace *trace, int64_t start, int64_t end,
                       prof_log *log);

/* Stop, without waiting for the next sample, and null the pointer. */
void prof_nvml_stop(prof_nvml **nvml, prof_log *log);

#endif
