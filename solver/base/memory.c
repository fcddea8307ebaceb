#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21 };

/* Alignment of an array, and unit of its size. Large arrays occupy whole huge pages: a sweep reads
 * some twenty arrays at a time, and the small pages of that many overflow the processor's TLB. */
static size_t alignment_of(size_t bytes)
{
    return bytes >= (size_t)4 * HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
}

/* Bytes rounded up to whole cache lines or huge pages; at least one. */
static size_t bytes_of(size_t count, size_t size)
{
    const size_t bytes = count > 0 ? count * size : 1, unit = alignment_of(bytes);
    return (bytes + unit - 1) / unit * unit;
}

static swe_status allocate(swe_context *ctx, size_t count, size_t size, void **out)
{
    *out = NULL;
    if (count > (SIZE_MAX - HUGE_PAGE) / size)
        return swe_fail(ctx, SWE_NO_MEMORY, "cannot allocate %zu values of %zu bytes", count, size);
    const size_t bytes = bytes_of(count, size), alignment = alignment_of(bytes);
    *out = aligned_alloc(alignment, bytes);
    if (*out == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory: %zu bytes requested", bytes);
#ifdef MADV_HUGEPAGE
    if (alignment == HUGE_PAGE)
        madvise(*out, bytes, MADV_HUGEPAGE); /* a refusal leaves small pages */
#endif
    return SWE_OK;
}

swe_status swe_memory_untouched(swe_context *ctx, size_t count, size_t size, void *out)
{
    void *memory;
    const swe_status status = allocate(ctx, count, size, &memory);
    memcpy(out, &memory, sizeof memory); /* pointers of all types have the same representation */
    return status;
}

swe_status swe_memory_zero(swe_context *ctx, size_t count, size_t size, void *out)
{
    void *memory;
    const swe_status status = allocate(ctx, count, size, &memory);
    if (memory != NULL)
        memset(memory, 0, bytes_of(count, size));
    memcpy(out, &memory, sizeof memory);
    return status;
}

swe_status swe_memory_doubles(swe_context *ctx, size_t count, double **out)
{
    return swe_memory_zero(ctx, count, sizeof **out, out);
}

enum { PATH = 4400 };

/* The least of `most` and the limits of a group and of all above it. `group` is shortened. */
static double least_limit(const char *root, const char *folder, char *group, const char *name,
                          double most)
{
    for (char *end = group + strlen(group); end != NULL; end = strrchr(group, '/')) {
        char path[2 * PATH];
        double limit = 0.0;
        *end = '\0';
        snprintf(path, sizeof path, "%s/sys/fs/cgroup%s%s/%s", root, folder, group, name);
        FILE *file = fopen(path, "r");
        if (file != NULL && fscanf(file, "%lf", &limit) == 1 && limit < most) /* none: "max" */
            most = limit;
        if (file != NULL)
            fclose(file);
    }
    return most;
}

double swe_memory_limit(const char *root)
{
    char line[PATH];
    double least = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *groups = fopen(line, "r");
    /* number:controllers:group; version 2 names no controllers */
    while (groups != NULL && fgets(line, sizeof line, groups) != NULL) {
        char *controllers = strchr(line, ':'), *group = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (controllers == NULL || group == NULL)
            continue;
        if (strncmp(controllers, "::", 2) == 0)
            least = least_limit(root, "", group, "memory.max", least);
        else if (strncmp(controllers, ":memory:", 8) == 0)
            least = least_limit(root, "/memory", group, "memory.limit_in_bytes", least);
    }
    if (groups != NULL)
        fclose(groups);
    return least;
}
