/* NVML's functions, resolved at run time: the CUDA toolkit may lack NVML's header, and a machine
 * its library. Declarations follow the NVML API reference. */
#ifndef PROFILING_SOURCES_NVML_NVML_LIBRARY_H
#define PROFILING_SOURCES_NVML_NVML_LIBRARY_H

#include <stdbool.h>

#include "record/log.h"

typedef struct nvml_device nvml_device;

/* Time in which a kernel ran, and in which device memory was accessed [percent]. */
typedef struct nvml_utilization {
    unsigned gpu, memory;
} nvml_utilization;

/* Bytes. */
typedef struct nvml_memory {
    unsigned long long total, free, used;
} nvml_memory;

enum { NVML_OK = 0, NVML_NOT_SUPPORTED = 3 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum { NVML_SENSOR_GPU = 0 };

#define NVML_FUNCTION_LIST(FUNCTION)                                                               \
    FUNCTION(int, nvmlInit_v2, (void))                                                             \
    FUNCTION(int, nvmlShutdown, (void))                                                            \
    FUNCTION(const char *, nvmlErrorString, (int result))                                          \
    FUNCTION(int, nvmlDeviceGetHandleByPciBusId_v2, (const char *pci, nvml_device **device))       \
    FUNCTION(int, nvmlDeviceGetHandleByIndex_v2, (unsigned index, nvml_device **device))           \
    FUNCTION(int, nvmlDeviceGetUtilizationRates, (nvml_device *, nvml_utilization *))              \
    FUNCTION(int, nvmlDeviceGetMemoryInfo, (nvml_device *, nvml_memory *))                         \
    FUNCTION(int, nvmlDeviceGetClockInfo, (nvml_device *, int clock, unsigned *mhz))               \
    FUNCTION(int, nvmlDeviceGetPowerUsage, (nvml_device *, unsigned *milliwatt))                   \
    FUNCTION(int, nvmlDeviceGetTemperature, (nvml_device *, int sensor, unsigned *celsius))

typedef struct nvml_library {
    void *handle;
#define NVML_MEMBER(type, name, arguments) type(*name) arguments;
    NVML_FUNCTION_LIST(NVML_MEMBER)
#undef NVML_MEMBER
} nvml_library;

/* Load and initialise NVML; false after one warning. */
bool nvml_library_open(nvml_library *library, prof_log *log);
void nvml_library_close(nvml_library *library);

#endif
