/* Samples a GPU's state by NVML: utilisation, clocks, memory, power, temperature.
 *
 * NVML is the driver's libnvidia-ml.so.1, or the library that the environment variable
 * CUBESWE_NVML_LIBRARY names. An unavailable value is -1 in a sample and '-' in the log. */
#ifndef PROFILING_SOURCES_NVML_NVML_H
#define PROFILING_SOURCES_NVML_NVML_H

#include "record/log.h"
#include "trace/trace.h"

/* Capacity of the ring of latest samples for windows; the log has all samples. */
enum { PROF_NVML_KEPT = 4096 };

/* Utilisation and, since Hopper, power are means over at most this time before a sample [ns]. */
enum { PROF_NVML_MEAN = 1000000000 };

typedef struct prof_nvml prof_nvml;

/* Start sampling a GPU now and every `period` seconds (> 0) on a background thread. Each sample is
 * written to the CSV file `path` at once. The GPU is the one with CUDA's bus id `pci`, or NVML's
 * number `index` if `pci` is NULL; samples store `index`. NULL after one warning. */
prof_nvml *prof_nvml_start(const char *path, const char *pci, int index, double period,
                           prof_log *log);

/* The functions below ignore a NULL sampler. Failures of the background thread are reported by the
 * next call with a log. */

/* Take a sample now. */
void prof_nvml_sample(prof_nvml *nvml);

/* Append the samples taken in [start, end] to trace->samples. */
void prof_nvml_collect(prof_nvml *nvml, prof_trace *trace, int64_t start, int64_t end,
                       prof_log *log);

/* Stop, without waiting for the next sample, and null the pointer. */
void prof_nvml_stop(prof_nvml **nvml, prof_log *log);

#endif
