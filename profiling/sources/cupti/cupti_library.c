#include "sources/cupti/cupti_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_LENGTH = 256 };

/* The address of a function is a data pointer to dlsym, which POSIX allows and C has no cast for.
 */
static bool look_up(void *handle, const char *name, void *function, char *reason)
{
    void *address = dlsym(handle, name);
    if (address == NULL)
        snprintf(reason, REASON_LENGTH, "it has no %s", name);
    else
        memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* Records are read by the layout of the header that this was built with. A later library of the
 * same major version only adds to the end of records; an earlier one lacks members. */
static bool versions_agree(const prof_cupti_library *library, char *reason)
{
    uint32_t version = 0;
    const CUptiResult result = library->cuptiGetVersion(&version);
    if (result == CUPTI_SUCCESS && version >= CUPTI_API_VERSION &&
        version / 10000 == CUPTI_API_VERSION / 10000)
        return true;
    snprintf(reason, REASON_LENGTH, "its version is %u, that of the build %d", version,
             CUPTI_API_VERSION);
    return false;
}

/* Load one file; the reason if it cannot be used. */
static bool load(prof_cupti_library *library, const char *path, char *reason)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(reason, REASON_LENGTH, "%s", dlerror());
        return false;
    }
#define PROF_CUPTI_LOOK_UP(name) look_up(handle, #name, &library->name, reason) &&
    if (PROF_CUPTI_FUNCTION_LIST(PROF_CUPTI_LOOK_UP) versions_agree(library, reason))
        return true;
#undef PROF_CUPTI_LOOK_UP
    dlclose(handle);
    return false;
}

bool prof_cupti_library_open(prof_cupti_library *library, prof_log *log)
{
    const char *const usual[] = {"libcupti.so.13", "libcupti.so", PROF_CUPTI_PATH};
    const char *const named = getenv("CUBESWE_CUPTI_LIBRARY");
    const char *const *paths = named != NULL ? &named : usual;
    const int count = named != NULL ? 1 : (int)(sizeof usual / sizeof *usual);
    char reason[REASON_LENGTH] = "";
    for (int k = 0; k < count; k++)
        if (paths[k][0] != '\0' && load(library, paths[k], reason))
            return true;
    prof_warn(log, "no GPU trace: CUPTI cannot be loaded%s%s: %s",
              named != NULL ? " from CUBESWE_CUPTI_LIBRARY=" : "", named != NULL ? named : "",
              reason);
    return false;
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
