/* Schedule of a run: the steps after which diagnostics, output, checks and checkpoints are due. */
#ifndef SWE_RUN_SCHEDULE_H
#define SWE_RUN_SCHEDULE_H

#include <stdbool.h>

#include "config/config.h"

typedef struct swe_schedule {
    const swe_config *config;
    double dt, last; /* [s]; of the last step, which may be shorter */
    long steps;
    long rows, fields, checkpoints; /* steps from one to the next (`every` or `interval`); 0: off */
    long stirring;                  /* steps for which an acceleration stays; 0: none */
    long records;                   /* steps from a record of forcing to the next; 0: one record */
    bool has_reference;             /* errors against a reference are measured */
} swe_schedule;

/* Whether an event that comes every `every` steps (0: never) is due after a step; the last step
 * alone is no reason. */
static inline bool swe_is_every(long step, long every)
{
    return every > 0 && step % every == 0;
}

swe_schedule swe_schedule_of(const swe_config *config, bool has_reference);

/* Model time [s] after a step; exactly time.end after the last. */
double swe_schedule_time(const swe_schedule *schedule, long step);

/* Model time [s] written to a row of diagnostics, and to a field file: exactly k times their
 * interval if they have one. */
double swe_schedule_row_time(const swe_schedule *schedule, long step);
double swe_schedule_fields_time(const swe_schedule *schedule, long step);

/* Whether a row of diagnostics, a field file, or a sample of errors is due after a step; after the
 * last step all are. */
bool swe_schedule_row(const swe_schedule *schedule, long step);
bool swe_schedule_fields(const swe_schedule *schedule, long step);
bool swe_schedule_errors(const swe_schedule *schedule, long step);

/* Whether a check of the state (diagnostics/limits.h) is due; the last step alone is no reason. */
bool swe_schedule_check(const swe_schedule *schedule, long step);

/* Whether a checkpoint is due. With checkpoint.final = yes one is due after the last step, or
 * before it if the last step is shorter: a run whose time.end is raised repeats this step at full
 * length. */
bool swe_schedule_checkpoint(const swe_schedule *schedule, long step);

/* Whether forcing changes after a step (run/forcing.h); not after the last. */
bool swe_schedule_changes(const swe_schedule *schedule, long step);

/* Whether any of these is due, or the next step is the last and is shorter. */
bool swe_schedule_any(const swe_schedule *schedule, long step);

#endif
