/* The host side of CUPTI's profilers: which metrics a chip has, in how many passes they are
 * counted, and what was counted. It needs no GPU. In C++, as CUPTI's header of it is. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_HOST_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call of CUPTI that failed. */
typedef struct prof_counters_failure {
    const char *call; /* NULL: none did */
    int result;       /* CUptiResult */
} prof_counters_failure;

typedef struct prof_counters_host prof_counters_host;

/* What is to be counted on a chip, by CUPTI's names. */
typedef struct prof_counters_wish {
    const char *chip; /* "GH100" */
    const char *const *metrics;
    int count;
    bool over_time;              /* by PM sampling; otherwise in ranges */
    const uint8_t *availability; /* CUPTI's description of the counters that are free; NULL: all */
} prof_counters_wish;

/* Plan the counting of those metrics that the chip has. `library`: of dlopen. NULL, and what
 * failed, if there is none that can be counted. */
prof_counters_host *prof_counters_host_create(void *library, prof_counters_wish wish,
                                              prof_counters_failure *failure);
void prof_counters_host_destroy(prof_counters_host **host);

/* Whether the chip has the metric at place `metric` of the wish. */
bool prof_counters_host_has(const prof_counters_host *host, int metric);
/* The names of those that it has. */
const char **prof_counters_host_names(const prof_counters_host *host, size_t *count);
/* CUPTI's description of how they are counted. */
const uint8_t *prof_counters_host_image(const prof_counters_host *host, size_t *bytes);
int prof_counters_host_passes(const prof_counters_host *host);

/* What a metric is counted in ("byte"); NULL if the chip does not have it. */
const char *prof_counters_host_unit(const prof_counters_host *host, const char *metric);

/* The values of a range by the places of the wish, -1 for a metric that the chip does not have; of
 * data that was decoded. */
bool prof_counters_host_evaluate(const prof_counters_host *host, const uint8_t *data, size_t bytes,
                                 size_t range, double *values, prof_counters_failure *failure);

#ifdef __cplusplus
}
#endif
#endif
