/* Repeated measurements of one quantity, summarised by median and quartiles, and graded before they
 * are shown: a ratio, a grade or a finding rests on reliable measurements only. */
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
    int count;     /* of the kept values */
    double waited; /* share of the time that threads waited for cores meanwhile (swe_watch) */
} swe_quartiles;

void swe_samples_add(swe_samples *samples, double value);

/* Quartiles of the kept values, by linear interpolation; zeros without values. Sorts them. */
swe_quartiles swe_samples_quartiles(swe_samples *samples);

/* A measurement in progress. */
typedef struct swe_watch {
    double start, waited;
} swe_watch;

swe_watch swe_watch_start(void);
/* Time that threads of this process have waited for cores since then, summed, over the time that
 * has passed. */
double swe_watch_waited(const swe_watch *watch);

/* Why a measurement is not reliable; NULL: it is. By the waits for cores; also by the quartiles. */
const char *swe_doubt_of_waits(double waited);
const char *swe_doubt_of(const swe_quartiles *measured);

#endif
