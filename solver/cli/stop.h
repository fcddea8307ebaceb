/* What ends a run early: signals, and the time that it may take. */
#ifndef SWE_CLI_STOP_H
#define SWE_CLI_STOP_H

#include "checkpoint/checkpoints.h"

typedef struct cli_stop {
    double started;                     /* by the clock [s] */
    double most;                        /* seconds that the program may take; 0: any */
    double guess;                       /* seconds of a checkpoint, before one was written */
    const swe_checkpoints *checkpoints; /* that take time, too */
} cli_stop;

/* Hear of SIGUSR1, SIGTERM, SIGXCPU, SIGINT and SIGHUP from now on; no number of them ends the
 * program. */
void cli_stop_listen(void);

/* Why the run must end now, or NULL: the `stop` of a simulation. With --max-walltime a run takes
 * one stride at least, so that a chain of them arrives. */
const char *cli_stop_wanted(void *stopper, double stride);

#endif
