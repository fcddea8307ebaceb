#include "sources/nvml/nvml_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char *library_name(void)
{
    const char *name = getenv("CUBESWE_NVML_LIBRARY");
    return name != NULL && name[0] != '\0' ? name : "libnvidia-ml.so.1";
}

/* Look up a function; C has no cast from an object's address to a function's. */
static bool look_up(void *handle, const char *name, void *function)
{
    void *const symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool look_all_up(nvml_library *library)
{
#define NVML_LOOK_UP(type, name, arguments)                                                        \
    if (!look_up(library->handle, #name, &library->name))                                          \
        return false;
    NVML_FUNCTION_LIST(NVML_LOOK_UP)
#undef NVML_LOOK_UP
    return true;
}

bool nvml_library_open(nvml_library *library, prof_log *log)
{
    library->handle = dlopen(library_name(), RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL || !look_all_up(library)) {
        prof_warn(log, "no samples of the GPU: %s", dlerror());
    } else {
        const int result = library->nvmlInit_v2();
        if (result == NVML_OK)
            return true;
        prof_warn(log, "no samples of the GPU: nvmlInit_v2: %s", library->nvmlErrorString(result));
    }
    if (library->handle != NULL)
        dlclose(library->handle);
    return false;
}

void nvml_library_close(nvml_library *library)
{
    library->nvmlShutdown();
    dlclose(library->handle);
}
