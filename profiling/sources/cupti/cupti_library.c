#define _GNU_SOURCE /* dladdr */
#include "sources/cupti/cupti_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

enum { REASON_LENGTH = 256, LEAST_VERSION = 130001 };

static bool look_up(const prof_cupti_library *library, const char *name, void *function,
                    char *reason)
{
    const bool found = swe_library_find(library->handle, name, function);
    if (!found)
        snprintf(reason, REASON_LENGTH, "it has no %s", name);
    return found;
}

/* Records are read by the layout of the header that this was built with. A later library of the
 * same major version only adds to the end of records; an earlier one lacks members. */
static bool versions_agree(const prof_cupti_library *library, char *reason)
{
    uint32_t version = 0;
    const CUptiResult result = library->cuptiGetVersion(&version);
    if (result == CUPTI_SUCCESS && version >= CUPTI_API_VERSION && version >= LEAST_VERSION &&
        version / 10000 == CUPTI_API_VERSION / 10000)
        return true;
    if (result == CUPTI_SUCCESS && version / 10000 == LEAST_VERSION / 10000 &&
        version < LEAST_VERSION)
        snprintf(reason, REASON_LENGTH,
                 "its version is %u, and before %d (CUDA 13.0 update 1) it may hang when kernels "
                 "cease to be recorded, and crash when it hands records over",
                 version, LEAST_VERSION);
    else
        snprintf(reason, REASON_LENGTH, "its version is %u, that of the build %d", version,
                 CUPTI_API_VERSION);
    return false;
}

/* Load one file; the reason if it cannot be used. */
static bool load(prof_cupti_library *library, const char *path, char *reason)
{
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL) {
        snprintf(reason, REASON_LENGTH, "%s", dlerror());
        return false;
    }
#define LOOK_UP(name) look_up(library, #name, &library->name, reason) &&
#define TRY(name)     swe_library_find(library->handle, #name, &library->name);
    PROF_CUPTI_PROFILER_LIST(TRY)
    if (PROF_CUPTI_FUNCTION_LIST(LOOK_UP) versions_agree(library, reason))
        return true;
#undef TRY
#undef LOOK_UP
    dlclose(library->handle);
    return false;
}

bool prof_cupti_library_open(prof_cupti_library *library, const char *purpose, swe_log *log)
{
    const char *const usual[] = {"libcupti.so.13", "libcupti.so", PROF_CUPTI_PATH};
    const char *const named = getenv("CUBESWE_CUPTI_LIBRARY");
    const char *const *paths = named != NULL ? &named : usual;
    const int count = named != NULL ? 1 : (int)(sizeof usual / sizeof *usual);
    char reason[REASON_LENGTH] = "";
    for (int k = 0; k < count; k++)
        if (paths[k][0] != '\0' && load(library, paths[k], reason))
            return true;
    swe_warn(log, "no %s: CUPTI cannot be loaded%s%s: %s", purpose,
             named != NULL ? " from CUBESWE_CUPTI_LIBRARY=" : "", named != NULL ? named : "",
             reason);
    return false;
}

/* Open a file beside CUPTI, or by its bare name. It stays open, so that CUPTI gets the same. */
static bool open_neighbour(const char *cupti, const char *name)
{
    char path[4096];
    const char *slash = strrchr(cupti, '/');
    const int folder = slash != NULL ? (int)(slash - cupti) + 1 : 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, cupti, name) < (int)sizeof path &&
        dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL)
        return true;
    return dlopen(name, RTLD_NOW | RTLD_LOCAL) != NULL;
}

void prof_cupti_library_open_counting(prof_cupti_library *library)
{
    static const char *const names[] = {"libnvperf_host.so", "libnvperf_target.so"};
    void *function = NULL;
    Dl_info cupti;
    memcpy(&function, &library->cuptiGetVersion, sizeof function);
    if (dladdr(function, &cupti) == 0 || cupti.dli_fname == NULL)
        cupti.dli_fname = "";
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!open_neighbour(cupti.dli_fname, names[k]) && library->missing == NULL)
            library->missing = names[k];
}

bool prof_cupti_subscribe(const prof_cupti_library *library, const char *purpose,
                          CUpti_CallbackFunc callback, void *data,
                          CUpti_SubscriberHandle *subscriber, swe_log *log)
{
    char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
    CUpti_SubscriberParams parameters = {.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
                                         .subscriberName = "cubeswe",
                                         .oldSubscriberName = other,
                                         .oldSubscriberSize = sizeof other};
    const CUptiResult result = library->cuptiSubscribe_v2(subscriber, callback, data, &parameters);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
        swe_warn(log, "no %s: another profiler is attached (%s)", purpose,
                 other[0] != '\0' ? other : "unknown");
    else if (result != CUPTI_SUCCESS)
        swe_warn(log, "no %s: CUPTI refuses a subscription: %s", purpose,
                 prof_cupti_error(library, result));
    return result == CUPTI_SUCCESS;
}

const char *prof_cupti_error(const prof_cupti_library *library, CUptiResult result)
{
    const char *text = NULL;
    switch (result) {
    case CUPTI_ERROR_UNKNOWN:
        return "unknown error, perhaps there is no NVIDIA driver";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
        return "not permitted (https://developer.nvidia.com/CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)";
    default:
        if (library->cuptiGetErrorMessage(result, &text) != CUPTI_SUCCESS || text == NULL)
            return "unknown error";
        return text;
    }
}
