#include "sources/counters/counters_chip.h"

#include <cupti_target.h>

#include "sources/counters/counters_failure.h"

#define FUNCTION_LIST(FUNCTION)                                                                    \
    FUNCTION(cuptiProfilerInitialize)                                                              \
    FUNCTION(cuptiProfilerDeviceSupported)                                                         \
    FUNCTION(cuptiDeviceGetChipName)

typedef struct functions {
#define FUNCTION(name) __typeof__(&(name)) name;
    FUNCTION_LIST(FUNCTION)
#undef FUNCTION
} functions;

static bool look_up(functions *f, const prof_cupti_library *library, prof_counters_failure *failure)
{
#define LOOK_UP(name)                                                                              \
    if (!prof_cupti_library_find(library, #name, &f->name))                                        \
        return prof_counters_check(failure, #name, CUPTI_ERROR_API_NOT_IMPLEMENTED);
    FUNCTION_LIST(LOOK_UP)
#undef LOOK_UP
    return true;
}

/* Call a function and store its failure. */
#define CALL(functions, failure, name, parameters)                                                 \
    prof_counters_check(failure, #name, (functions)->name(parameters))

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

static bool initialize(const functions *f, prof_counters_failure *failure)
{
    CUpti_Profiler_Initialize_Params p = {.structSize =
                                              CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    return CALL(f, failure, cuptiProfilerInitialize, &p);
}

static bool supports(const functions *f, CUpti_Profiler_API api, int32_t device,
                     prof_counters_failure *failure)
{
    CUpti_Profiler_DeviceSupported_Params p = {
        .structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE,
        .cuDevice = device,
        .api = api};
    if (!CALL(f, failure, cuptiProfilerDeviceSupported, &p))
        return false;
    return p.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED ||
           prof_counters_check(failure, "cuptiProfilerDeviceSupported", refusal_of(&p));
}

/* The order matters: without a driver, cuptiDeviceGetChipName crashes and initialisation fails. */
bool prof_counters_chip(const prof_cupti_library *library, CUpti_Profiler_API api, int32_t device,
                        const char **chip, prof_counters_failure *failure)
{
    functions f;
    CUpti_Device_GetChipName_Params p = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                         .deviceIndex = (size_t)device};
    if (!look_up(&f, library, failure) || !initialize(&f, failure) ||
        !supports(&f, api, device, failure) || !CALL(&f, failure, cuptiDeviceGetChipName, &p))
        return false;
    *chip = p.pChipName;
    return true;
}
