/* Metrics to sample on a chip: for each quantity the first one that the chip has and that fits into
 * the single pass of PM sampling. */
#ifndef PROFILING_SOURCES_SAMPLING_SAMPLING_PLAN_H
#define PROFILING_SOURCES_SAMPLING_SAMPLING_PLAN_H

#include "sources/counters/counters_host.h"
#include "trace/sampled.h"

typedef struct prof_sampling_plan {
    prof_counters_host *host; /* knows the metrics */
    const char *metric[PROF_SAMPLED_COUNT];
    int quantity[PROF_SAMPLED_COUNT]; /* quantity of each metric */
    int count;                        /* of metrics */
} prof_sampling_plan;

/* `library` is a handle of dlopen; `availability`: see prof_counters_request. False, with `failure`
 * set, if no metric can be sampled. */
bool prof_sampling_plan_create(prof_sampling_plan *plan, void *library, const char *chip,
                               const uint8_t *availability, prof_counters_failure *failure);
void prof_sampling_plan_destroy(prof_sampling_plan *plan);

/* Whether a quantity is sampled. */
bool prof_sampling_plan_has(const prof_sampling_plan *plan, int quantity);

/* Values of a decoded sample, by quantity; negative: unknown. */
bool prof_sampling_plan_evaluate(const prof_sampling_plan *plan, const uint8_t *data, size_t bytes,
                                 size_t sample, double values[PROF_SAMPLED_COUNT],
                                 prof_counters_failure *failure);

#endif
