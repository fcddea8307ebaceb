/* CSV log of a GPU's state, in the format of `nvidia-smi dmon --format csv -o DT` with
 * milliseconds: two heading lines (names, units), then one line per sample. */
#ifndef PROFILING_SOURCES_NVML_GPU_LOG_H
#define PROFILING_SOURCES_NVML_GPU_LOG_H

#include <stdio.h>

#include "trace/trace.h"

typedef struct gpu_log {
    FILE *file;       /* NULL after a failure or before opening */
    const char *path; /* of the caller */
    int error;        /* errno of the failure that ended it; 0: none */
} gpu_log;

void gpu_log_open(gpu_log *log, const char *path);
void gpu_log_add(gpu_log *log, const prof_gpu_sample *sample);
void gpu_log_close(gpu_log *log);

#endif
