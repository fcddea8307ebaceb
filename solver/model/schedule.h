/* When what is due: after which steps of a run. */
#ifndef SWE_MODEL_SCHEDULE_H
#define SWE_MODEL_SCHEDULE_H

#include <stdbool.h>

#include "model/config.h"

typedef struct swe_schedule {
    const swe_config *config;
    double dt; /* [s] */
    long steps;
    long rows, fields, checkpoints; /* steps between them, from `every` or `interval`; 0: off */
    bool has_reference;             /* that errors are measured against */
} swe_schedule;

swe_schedule swe_schedule_of(const swe_config *config, bool has_reference);

/* Model time after a step; exactly time.end after the last. */
double swe_schedule_time(const swe_schedule *schedule, long step);

/* Likewise, as a row of diagnostics and a file of fields have it: k times the interval, where they
 * have one. */
double swe_schedule_row_time(const swe_schedule *schedule, long step);
double swe_schedule_fields_time(const swe_schedule *schedule, long step);

/* Rows of diagnostics, files of fields, errors: after the last step, too. */
bool swe_schedule_row(const swe_schedule *schedule, long step);
bool swe_schedule_fields(const swe_schedule *schedule, long step);
bool swe_schedule_errors(const swe_schedule *schedule, long step);

/* A look at the state for what no run goes on with: never only because it is the last step. */
bool swe_schedule_check(const swe_schedule *schedule, long step);

/* A checkpoint; after the last step under checkpoint.final. */
bool swe_schedule_checkpoint(const swe_schedule *schedule, long step);

/* Whether anything is due. */
bool swe_schedule_any(const swe_schedule *schedule, long step);

#endif
