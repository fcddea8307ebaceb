/* Host side of CUPTI's profilers: metrics of a chip, number of passes, evaluation of counter data.
 *
 * Needs no GPU. Implemented in C++ because CUPTI's header is. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_HOST_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A failed call of CUPTI. */
typedef struct prof_counters_failure {
    const char *call; /* NULL: none */
    int result;       /* CUptiResult */
} prof_counters_failure;

typedef struct prof_counters_host prof_counters_host;

/* Metrics requested of a chip, by CUPTI's names. */
typedef struct prof_counters_request {
    const char *chip; /* "GH100" */
    const char *const *metrics;
    int count;
    bool over_time;              /* by PM sampling; otherwise by ranges */
    const uint8_t *availability; /* CUPTI's image of available counters; NULL: all */
} prof_counters_request;

/* Configure the requested metrics that the chip has. `library` is a handle of dlopen. NULL, with
 * `failure` set, if none can be counted. */
prof_counters_host *prof_counters_host_create(void *library, prof_counters_request request,
                                              prof_counters_failure *failure);
void prof_counters_host_destroy(prof_counters_host **host);

/* Whether the chip has metric number `metric` of the request. */
bool prof_counters_host_has(const prof_counters_host *host, int metric);
/* Names of the available metrics. */
const char **prof_counters_host_names(const prof_counters_host *host, size_t *count);
/* CUPTI's configuration image. */
const uint8_t *prof_counters_host_image(const prof_counters_host *host, size_t *bytes);
int prof_counters_host_passes(const prof_counters_host *host);

/* Unit of a metric ("byte"); NULL if the chip does not have it. */
const char *prof_counters_host_unit(const prof_counters_host *host, const char *metric);

/* Values of a decoded range in the order of the request; -1 for metrics that the chip lacks. */
bool prof_counters_host_evaluate(const prof_counters_host *host, const uint8_t *data, size_t bytes,
                                 size_t range, double *values, prof_counters_failure *failure);

#ifdef __cplusplus
}
#endif
#endif
