/* Repeated measurements of one quantity, told as median and quartiles. */
#ifndef PROFILING_SAMPLES_H
#define PROFILING_SAMPLES_H

enum { PROF_SAMPLES_MOST = 4096 };

/* When full, every second sample is dropped and from then on only every second one is taken, again
 * and again: what is kept stays spread over the whole run. */
typedef struct prof_samples {
    double value[PROF_SAMPLES_MOST];
    int count;
    long stride, offered;
} prof_samples;

typedef struct prof_quartiles {
    double low, median, high;
    int count;
} prof_quartiles;

void prof_samples_add(prof_samples *samples, double value);

/* Quartiles of what was added; zeros if nothing was. Sorts the samples. */
prof_quartiles prof_samples_quartiles(prof_samples *samples);

#endif
