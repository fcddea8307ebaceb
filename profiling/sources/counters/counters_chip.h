/* Support of a device for CUPTI's profilers, and the name of its chip. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_CHIP_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_CHIP_H

#include <cupti_profiler_target.h>

#include "sources/counters/counters_host.h"
#include "sources/cupti/cupti_library.h"

/* Initialise CUPTI's profilers and get the chip's name, a static string of CUPTI. False, with
 * `failure` set, if the device does not support the profiler `api`. */
bool prof_counters_chip(const prof_cupti_library *library, CUpti_Profiler_API api, int32_t device,
                        const char **chip, prof_counters_failure *failure);

#endif
