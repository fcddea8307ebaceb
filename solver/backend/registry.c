#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/context.h"

static const swe_backend *const backends[] = {
    &swe_backend_cpu,
#ifdef SWE_HAVE_CUDA
    &swe_backend_cuda,
#endif
    NULL,
};

const swe_backend *swe_backend_at(int index)
{
    return backends[index];
}

static const swe_backend *by_name(const char *name, size_t length)
{
    for (int i = 0; backends[i] != NULL; i++)
        if (strlen(backends[i]->name) == length && strncmp(backends[i]->name, name, length) == 0)
            return backends[i];
    return NULL;
}

/* Device index after the colon of "cuda:1"; -1 if it is not a number. */
static int parse_index(const char *digits)
{
    char *end = NULL;
    const long index = strtol(digits, &end, 10);
    return *digits < '0' || *digits > '9' || *end != '\0' || index > 1023 ? -1 : (int)index;
}

/* First device that runs the kernels of this build; -1: none, and `why_not` has the reason of the
 * last device. */
static int first_working_device(const swe_backend *backend, swe_context *why_not)
{
    const int count = backend->device_count(why_not);
    for (int index = 0; index < count; index++) {
        swe_device *device = NULL;
        if (backend->open(why_not, index, 1, &device) == SWE_OK) {
            backend->close(&device);
            return index;
        }
    }
    return -1;
}

/* A GPU that works, otherwise the CPU; with a warning if the machine has a GPU driver. */
static swe_status find_auto(const swe_backend **out, int *device_index)
{
    const swe_backend *cuda = by_name("cuda", 4);
    swe_context why_not = {""};
    const int index = cuda != NULL ? first_working_device(cuda, &why_not) : -1;
    *out = index >= 0 ? cuda : &swe_backend_cpu;
    *device_index = index >= 0 ? index : 0;
    if (cuda != NULL && index < 0 && cuda->has_driver())
        swe_warn_once("backend auto: no GPU works, the CPU computes (%s)", why_not.message);
    return SWE_OK;
}

swe_status swe_backend_find(swe_context *ctx, const char *name, const swe_backend **out,
                            int *device_index)
{
    *out = NULL;
    *device_index = 0;
    if (strcmp(name, "auto") == 0)
        return find_auto(out, device_index);
    const char *colon = strchr(name, ':');
    const size_t length = colon != NULL ? (size_t)(colon - name) : strlen(name);
    const int index = colon != NULL ? parse_index(colon + 1) : 0;
    const swe_backend *found = by_name(name, length);
    if (found == NULL && length == 4 && strncmp(name, "cuda", 4) == 0)
        return swe_fail(ctx, SWE_UNAVAILABLE,
                        "backend '%s': this build has no CUDA (configure it with the toolkit)",
                        name);
    if (found == NULL || index < 0)
        return swe_fail(ctx, SWE_USAGE, "no backend '%s' (cpu, cuda, cuda:<device>, auto)", name);
    const int count = found->device_count(ctx);
    if (count == 0)
        return SWE_UNAVAILABLE;
    if (index >= count)
        return swe_fail(ctx, SWE_UNAVAILABLE, "backend '%s': there are only %d devices", name,
                        count);
    *out = found;
    *device_index = index;
    return SWE_OK;
}
