/* What is sampled on a chip: of every quantity the metric that the chip has and that fits into the
 * one pass that sampling has. */
#ifndef PROFILING_SOURCES_SAMPLING_SAMPLING_PLAN_H
#define PROFILING_SOURCES_SAMPLING_SAMPLING_PLAN_H

#include "sources/counters/counters_host.h"
#include "trace/sampled.h"

typedef struct prof_sampling_plan {
    prof_counters_host *host; /* knows the metrics */
    const char *metric[PROF_SAMPLED_COUNT];
    int quantity[PROF_SAMPLED_COUNT]; /* that each metric is of */
    int count;                        /* of metrics */
} prof_sampling_plan;

/* `library`: of dlopen; `availability`: see prof_counters_wish. False, and what failed, if nothing
 * can be sampled. */
bool prof_sampling_plan_make(prof_sampling_plan *plan, void *library, const char *chip,
                             const uint8_t *availability, prof_counters_failure *failure);
void prof_sampling_plan_destroy(prof_sampling_plan *plan);

/* Whether a quantity is sampled. */
bool prof_sampling_plan_has(const prof_sampling_plan *plan, int quantity);

/* The values of a sample that was decoded, by quantity; negative where not known. */
bool prof_sampling_plan_evaluate(const prof_sampling_plan *plan, const uint8_t *data, size_t bytes,
                                 size_t sample, double values[PROF_SAMPLED_COUNT],
                                 prof_counters_failure *failure);

#endif
