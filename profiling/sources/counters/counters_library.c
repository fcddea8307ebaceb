#include "sources/counters/counters_library.h"

#define HOW_TO_ALLOW "https://developer.nvidia.com/ERR_NVGPUCTRPERM"

static const char *reason_of(const prof_cupti_library *library, CUptiResult result)
{
    switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
        return "the driver lets only administrators count (ERR_NVGPUCTRPERM): " HOW_TO_ALLOW
               " describes how to allow it to all";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
        return "the GPU is virtualised, and this kind of virtual GPU has no counters: use one that "
               "is passed through, or do without";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        return "the GPU is virtualised, and its host allows no profiling: the host's administrator "
               "can enable it for this virtual GPU (" HOW_TO_ALLOW ")";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
        return "the GPU is in confidential computing mode, which forbids them: switch that off, or "
               "do without";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
        return "the GPU is partitioned (MIG), and they are those of a whole one: use a GPU without "
               "partitions, or do without";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
        return "another profiler uses them (nsys, ncu, or DCGM, which `dcgmi profile --pause` "
               "halts)";
    case CUPTI_ERROR_INVALID_CHIP_NAME:
        return "this CUPTI does not know the chip: use that of a later CUDA "
               "(CUBESWE_CUPTI_LIBRARY)";
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_SUPPORTED:
        return "CUPTI does not support them on this GPU as it is set up (compute capability 7.5 or "
               "later, no SLI, no mining processor)";
    case CUPTI_ERROR_OUT_OF_MEMORY:
        return "out of memory";
    default:
        return prof_cupti_error(library, result);
    }
}

void prof_counters_warn(swe_log *log, const prof_cupti_calls *calls, const char *what)
{
    const prof_cupti_library *library = calls->library;
    const prof_counters_failure failure = calls->failure;
    const bool lacks = failure.result == CUPTI_ERROR_NOT_INITIALIZED && library->missing != NULL;
    swe_warn(log, "%s: %s%s%s (%s: %d)", what, lacks ? library->missing : "",
             lacks ? " is missing beside libcupti and elsewhere; " : "",
             reason_of(library, (CUptiResult)failure.result), failure.call, failure.result);
}

/* CUPTI's reason for an unsupported device, as a result code. */
static CUptiResult refusal_of(const CUpti_Profiler_DeviceSupported_Params *p)
{
    if (p->vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED)
        return CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES;
    if (p->vGpu == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED)
        return CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED;
    if (p->confidentialCompute == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED)
        return CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED;
    return CUPTI_ERROR_NOT_SUPPORTED;
}

/* The order matters: without a driver, cuptiDeviceGetChipName crashes and initialisation fails. */
bool prof_counters_chip(prof_cupti_calls *calls, CUpti_Profiler_API api, int32_t device,
                        const char **chip)
{
    PROF_CUPTI_PARAMETERS(start, Profiler_Initialize, .pPriv = NULL);
    PROF_CUPTI_PARAMETERS(support, Profiler_DeviceSupported, .cuDevice = device, .api = api);
    PROF_CUPTI_PARAMETERS(p, Device_GetChipName, .deviceIndex = (size_t)device);
    if (!PROF_CUPTI_CALL(calls, cuptiProfilerInitialize, &start) ||
        !PROF_CUPTI_CALL(calls, cuptiProfilerDeviceSupported, &support) ||
        (support.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED &&
         !prof_counters_check(&calls->failure, "cuptiProfilerDeviceSupported",
                              refusal_of(&support))) ||
        !PROF_CUPTI_CALL(calls, cuptiDeviceGetChipName, &p))
        return false;
    *chip = p.pChipName;
    return true;
}
