/* Repeated measurements of one quantity, summarised by median and quartiles. */
#ifndef SWE_BASE_SAMPLES_H
#define SWE_BASE_SAMPLES_H

enum { SWE_SAMPLES_MOST = 4096 };

/* Zero-initialised. When the array is full, every second value is dropped and the sampling stride
 * doubles, so that the kept values stay spread over the whole run. */
typedef struct swe_samples {
    double value[SWE_SAMPLES_MOST];
    int count;
    long stride, offered; /* every stride-th offered value is kept */
} swe_samples;

typedef struct swe_quartiles {
    double low, median, high;
    int count; /* of the kept values */
} swe_quartiles;

void swe_samples_add(swe_samples *samples, double value);

/* Quartiles of the kept values, by linear interpolation; zeros without values. Sorts them. */
swe_quartiles swe_samples_quartiles(swe_samples *samples);

#endif
