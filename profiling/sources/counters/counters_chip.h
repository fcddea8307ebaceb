/* Whether a device can count, and which chip it has. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_CHIP_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_CHIP_H

#include <cupti_profiler_target.h>

#include "sources/counters/counters_host.h"
#include "sources/cupti/cupti_library.h"

/* Start CUPTI's profilers. The chip of a device that one of them (`api`) can count on: its name,
 * which CUPTI keeps. False, and what failed, if it cannot. */
bool prof_counters_chip(const prof_cupti_library *library, CUpti_Profiler_API api, int32_t device,
                        const char **chip, prof_counters_failure *failure);

#endif
