/* Repeated measurements of one quantity, summarised by median and quartiles. */
#ifndef PROFILING_SAMPLES_H
#define PROFILING_SAMPLES_H

enum { PROF_SAMPLES_MOST = 4096 };

/* Zero-initialised. When the array is full, every second value is dropped and the sampling stride
 * doubles, so that the kept values stay spread over the whole run. */
typedef struct prof_samples {
    double value[PROF_SAMPLES_MOST];
    int count;
    long stride, offered; /* every stride-th offered value is kept */
} prof_samples;

typedef struct prof_quartiles {
    double low, median, high;
    int count; /* of the kept values */
} prof_quartiles;

void prof_samples_add(prof_samples *samples, double value);

/* Quartiles of the kept values, by linear interpolation; zeros without values. Sorts them. */
prof_quartiles prof_samples_quartiles(prof_samples *samples);

#endif
