#include "backend/cpu/caches_cpu.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What Linux tells of cache `index` of the first processor; false: nothing. */
static bool read_line(int index, const char *what, char *line, int size)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const bool is_read = fgets(line, size, file) != NULL;
    fclose(file);
    return is_read;
}

/* Processors in a list such as "0-7,64-71". */
static long count_processors(const char *list)
{
    long count = 0;
    for (;;) {
        char *end = NULL;
        const long first = strtol(list, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        count += last - first + 1;
        if (*end != ',')
            return count;
        list = end + 1;
    }
}

size_t swe_caches_bytes(int threads)
{
    char line[4096];
    size_t bytes = 0;
    long sharers = 1;
    for (int index = 0; read_line(index, "size", line, sizeof line); index++) {
        const size_t size = 1024 * (size_t)strtoul(line, NULL, 10); /* "32768K" */
        if (size <= bytes || !read_line(index, "shared_cpu_list", line, sizeof line))
            continue;
        bytes = size;
        sharers = count_processors(line);
    }
    if (bytes == 0 || sharers < 1)
        return (size_t)32 << 20;
    const long caches = (sysconf(_SC_NPROCESSORS_ONLN) + sharers - 1) / sharers;
    return bytes * (size_t)(threads < caches ? threads : caches);
}
