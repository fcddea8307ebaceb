#include "base/samples.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

/* Beyond these a median may be off by a tenth. */
static const double most_waited = 0.05, most_spread = 0.25;

void swe_samples_add(swe_samples *samples, double value)
{
    if (samples->stride == 0)
        samples->stride = 1;
    if (samples->offered++ % samples->stride != 0)
        return;
    if (samples->count == SWE_SAMPLES_MOST) {
        for (int i = 0; i < samples->count / 2; i++)
            samples->value[i] = samples->value[2 * i];
        samples->count /= 2;
        samples->stride *= 2;
    }
    samples->value[samples->count++] = value;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Quantile of the sorted samples, by linear interpolation. */
static double at_fraction(const swe_samples *samples, double fraction)
{
    const double position = fraction * (samples->count - 1);
    const int below = (int)position;
    const int above = below + 1 < samples->count ? below + 1 : below;
    return samples->value[below] +
           (position - below) * (samples->value[above] - samples->value[below]);
}

swe_quartiles swe_samples_quartiles(swe_samples *samples)
{
    if (samples->count == 0)
        return (swe_quartiles){0.0, 0.0, 0.0, 0, 0.0};
    qsort(samples->value, (size_t)samples->count, sizeof(double), ascending);
    return (swe_quartiles){at_fraction(samples, 0.25), at_fraction(samples, 0.5),
                           at_fraction(samples, 0.75), samples->count, 0.0};
}

/* ---- reliability ----------------------------------------------------------------------------- */

/* Seconds of a thread on the queue of a core: the second number of schedstat, in nanoseconds. 0
 * where the kernel does not count them. */
static double waited_of(const char *thread)
{
    char path[300];
    unsigned long long waited = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", thread);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0.0;
    if (fscanf(file, "%*u %llu", &waited) != 1)
        waited = 0;
    fclose(file);
    return 1e-9 * (double)waited;
}

/* The same, summed over the threads of this process. */
static double waited_by_all(void)
{
    double waited = 0.0;
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *thread; threads != NULL && (thread = readdir(threads)) != NULL;)
        if (thread->d_name[0] != '.')
            waited += waited_of(thread->d_name);
    if (threads != NULL)
        closedir(threads);
    return waited;
}

swe_watch swe_watch_start(void)
{
    return (swe_watch){swe_clock_seconds(), waited_by_all()};
}

double swe_watch_waited(const swe_watch *watch)
{
    const double waited = waited_by_all() - watch->waited; /* less than 0: a thread has ended */
    return waited > 0.0 ? waited / (swe_clock_seconds() - watch->start) : 0.0;
}

const char *swe_doubt_of_waits(double waited)
{
    return waited > most_waited ? "threads waited for cores that others used" : NULL;
}

const char *swe_doubt_of(const swe_quartiles *measured)
{
    if (swe_doubt_of_waits(measured->waited) != NULL)
        return swe_doubt_of_waits(measured->waited);
    return measured->high - measured->low > most_spread * measured->median
               ? "quartiles are further apart than a quarter of the median"
               : NULL;
}
