#include "base/samples.h"

#include <stdlib.h>

static void thin(swe_samples *samples)
{
    for (int i = 0; i < samples->count / 2; i++)
        samples->value[i] = samples->value[2 * i];
    samples->count /= 2;
    samples->stride *= 2;
}

void swe_samples_add(swe_samples *samples, double value)
{
    if (samples->stride == 0)
        samples->stride = 1;
    if (samples->offered++ % samples->stride != 0)
        return;
    if (samples->count == SWE_SAMPLES_MOST)
        thin(samples);
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
        return (swe_quartiles){0.0, 0.0, 0.0, 0};
    qsort(samples->value, (size_t)samples->count, sizeof(double), ascending);
    return (swe_quartiles){at_fraction(samples, 0.25), at_fraction(samples, 0.5),
                           at_fraction(samples, 0.75), samples->count};
}
