/* C++ only for CUPTI's headers; throws no exception. */
#include "sources/counters/counters_host.h"

#include <cupti_profiler_host.h>

#include <cstdlib>

#include "base/library.h"

namespace
{

/* CUPTI's functions of the host side, without the cuptiProfilerHost that all begin with. */
#define PROF_COUNTERS_HOST_LIST(FUNCTION)                                                          \
    FUNCTION(Initialize)                                                                           \
    FUNCTION(Deinitialize)                                                                         \
    FUNCTION(GetMetricProperties)                                                                  \
    FUNCTION(ConfigAddMetrics)                                                                     \
    FUNCTION(GetConfigImageSize)                                                                   \
    FUNCTION(GetConfigImage)                                                                       \
    FUNCTION(GetNumOfPasses)                                                                       \
    FUNCTION(EvaluateToGpuValues)

struct host_library {
#define PROF_COUNTERS_HOST_FUNCTION(name) decltype(&cuptiProfilerHost##name) name;
    PROF_COUNTERS_HOST_LIST(PROF_COUNTERS_HOST_FUNCTION)
#undef PROF_COUNTERS_HOST_FUNCTION
};

bool fail(prof_counters_failure *failure, const char *call, CUptiResult result)
{
    *failure = {call, result};
    return false;
}

/* Call a function of the host side with its parameters; false after storing a failure. */
#define CALL(host, failure, name, parameters)                                                      \
    ([&] {                                                                                         \
        const CUptiResult result = (host)->library.name(parameters);                               \
        return result == CUPTI_SUCCESS || fail(failure, "cuptiProfilerHost" #name, result);        \
    }())

/* The parameters of a call, of which only the size is set. */
#define PARAMETERS(p, name)                                                                        \
    CUpti_Profiler_Host_##name##_Params p = {};                                                    \
    p.structSize = CUpti_Profiler_Host_##name##_Params_STRUCT_SIZE

} // namespace

struct prof_counters_host {
    host_library library;
    CUpti_Profiler_Host_Object *object;
    const char **names; /* available metrics */
    double *values;     /* of `names` */
    int *places;        /* index in `names` of each requested metric; -1: not available */
    int requested;
    size_t count; /* of the names */
    uint8_t *image;
    size_t image_bytes, passes;
};

static bool load(prof_counters_host *host, void *library, prof_counters_failure *failure)
{
#define PROF_COUNTERS_HOST_LOOK_UP(name)                                                           \
    if (!swe_library_find(library, "cuptiProfilerHost" #name, &host->library.name))                \
        return fail(failure, "cuptiProfilerHost" #name, CUPTI_ERROR_API_NOT_IMPLEMENTED);
    PROF_COUNTERS_HOST_LIST(PROF_COUNTERS_HOST_LOOK_UP)
#undef PROF_COUNTERS_HOST_LOOK_UP
    return true;
}

static bool initialize(prof_counters_host *host, prof_counters_request request,
                       prof_counters_failure *failure)
{
    PARAMETERS(p, Initialize);
    p.profilerType =
        request.over_time ? CUPTI_PROFILER_TYPE_PM_SAMPLING : CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = request.chip;
    p.pCounterAvailabilityImage = request.availability;
    if (!CALL(host, failure, Initialize, &p))
        return false;
    host->object = p.pHostObject;
    return true;
}

const char *prof_counters_host_unit(const prof_counters_host *host, const char *metric)
{
    PARAMETERS(p, GetMetricProperties);
    p.pHostObject = host->object;
    p.pMetricName = metric;
    return host->library.GetMetricProperties(&p) == CUPTI_SUCCESS ? p.pDimUnit : nullptr;
}

/* Select the metrics that the chip has. */
static bool choose(prof_counters_host *host, prof_counters_request request,
                   prof_counters_failure *failure)
{
    const size_t most = static_cast<size_t>(request.count);
    host->requested = request.count;
    host->names = static_cast<const char **>(calloc(most + 1, sizeof *host->names));
    host->values = static_cast<double *>(calloc(most + 1, sizeof *host->values));
    host->places = static_cast<int *>(calloc(most + 1, sizeof *host->places));
    if (host->names == nullptr || host->values == nullptr || host->places == nullptr)
        return fail(failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
    for (int k = 0; k < request.count; k++) {
        host->places[k] = -1;
        if (prof_counters_host_unit(host, request.metrics[k]) == nullptr)
            continue;
        host->places[k] = static_cast<int>(host->count);
        host->names[host->count++] = request.metrics[k];
    }
    return host->count > 0 ||
           fail(failure, "cuptiProfilerHostGetMetricProperties", CUPTI_ERROR_INVALID_METRIC_NAME);
}

static bool add_metrics(prof_counters_host *host, prof_counters_failure *failure)
{
    PARAMETERS(p, ConfigAddMetrics);
    p.pHostObject = host->object;
    p.ppMetricNames = host->names;
    p.numMetrics = host->count;
    return CALL(host, failure, ConfigAddMetrics, &p);
}

static bool create_image(prof_counters_host *host, prof_counters_failure *failure)
{
    PARAMETERS(size, GetConfigImageSize);
    size.pHostObject = host->object;
    if (!CALL(host, failure, GetConfigImageSize, &size))
        return false;
    host->image_bytes = size.configImageSize;
    host->image = static_cast<uint8_t *>(calloc(host->image_bytes, 1));
    if (host->image == nullptr)
        return fail(failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
    PARAMETERS(p, GetConfigImage);
    p.pHostObject = host->object;
    p.configImageSize = host->image_bytes;
    p.pConfigImage = host->image;
    return CALL(host, failure, GetConfigImage, &p);
}

static bool count_passes(prof_counters_host *host, prof_counters_failure *failure)
{
    PARAMETERS(p, GetNumOfPasses);
    p.configImageSize = host->image_bytes;
    p.pConfigImage = host->image;
    if (!CALL(host, failure, GetNumOfPasses, &p))
        return false;
    host->passes = p.numOfPasses;
    return true;
}

prof_counters_host *prof_counters_host_create(void *library, prof_counters_request request,
                                              prof_counters_failure *failure)
{
    prof_counters_host *host = static_cast<prof_counters_host *>(calloc(1, sizeof *host));
    if (host == nullptr) {
        fail(failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
        return nullptr;
    }
    if (!load(host, library, failure) || !initialize(host, request, failure) ||
        !choose(host, request, failure) || !add_metrics(host, failure) ||
        !create_image(host, failure) || !count_passes(host, failure))
        prof_counters_host_destroy(&host);
    return host;
}

void prof_counters_host_destroy(prof_counters_host **pointer)
{
    prof_counters_host *host = *pointer;
    if (host == nullptr)
        return;
    if (host->object != nullptr) {
        PARAMETERS(p, Deinitialize);
        p.pHostObject = host->object;
        host->library.Deinitialize(&p);
    }
    free(host->names);
    free(host->values);
    free(host->places);
    free(host->image);
    free(host);
    *pointer = nullptr;
}

bool prof_counters_host_has(const prof_counters_host *host, int metric)
{
    return host->places[metric] >= 0;
}

const char **prof_counters_host_names(const prof_counters_host *host, size_t *count)
{
    *count = host->count;
    return host->names;
}

const uint8_t *prof_counters_host_image(const prof_counters_host *host, size_t *bytes)
{
    *bytes = host->image_bytes;
    return host->image;
}

int prof_counters_host_passes(const prof_counters_host *host)
{
    return static_cast<int>(host->passes);
}

bool prof_counters_host_evaluate(const prof_counters_host *host, const uint8_t *data, size_t bytes,
                                 size_t range, double *values, prof_counters_failure *failure)
{
    PARAMETERS(p, EvaluateToGpuValues);
    p.pHostObject = host->object;
    p.pCounterDataImage = data;
    p.counterDataImageSize = bytes;
    p.rangeIndex = range;
    p.ppMetricNames = host->names;
    p.numMetrics = host->count;
    p.pMetricValues = host->values;
    if (!CALL(host, failure, EvaluateToGpuValues, &p))
        return false;
    for (int k = 0; k < host->requested; k++)
        values[k] = host->places[k] >= 0 ? host->values[host->places[k]] : -1.0;
    return true;
}
