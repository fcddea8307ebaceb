/* The team of CPU threads that shares the stages: its number of threads, and the barrier between
 * stages.
 *
 * The barrier spins for some microseconds and then sleeps until the last thread arrives. On an idle
 * machine threads arrive together and no thread sleeps. On a busy machine a thread may wait for
 * milliseconds until another program releases the core of its peer; sleeping leaves its own core to
 * other programs, and the scheduler rewards that. The barrier of an OpenMP runtime spins for longer
 * than a time slice.
 *
 * Environment: OMP_WAIT_POLICY=active never sleeps, passive never spins; GOMP_SPINCOUNT=N spins N
 * rounds. */
#ifndef SWE_STAGES_TEAM_CPU_H
#define SWE_STAGES_TEAM_CPU_H

#include "base/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct swe_team swe_team;

/* Create a team of up to `most` threads, all of them active. Errors: SWE_NO_MEMORY. */
swe_status swe_team_create(swe_context *ctx, int most, swe_team **out);

/* Release a team and null the pointer; NULL is fine. */
void swe_team_destroy(swe_team **team);

/* Set the number of active threads, at most `most` of swe_team_create. Results do not depend on it.
 * Call it between parallel regions only. */
int swe_team_active(const swe_team *team);
void swe_team_set_active(swe_team *team, int active);

/* Wait for all threads of the current parallel region; all of them call it. Writes before it are
 * visible to all of them after it. */
void swe_team_wait(swe_team *team);

/* Thread-seconds of the waits in which a thread slept, since the team was created. */
double swe_team_waited(const swe_team *team);

#ifdef __cplusplus
}
#endif
#endif
