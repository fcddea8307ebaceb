/* Early end of a run: by a signal, or by --max-walltime. */
#ifndef SWE_CLI_STOP_H
#define SWE_CLI_STOP_H

#include <signal.h>

#include "files/checkpoint/checkpoints.h"

/* The signals that end a command early, for help texts. */
#define CLI_STOP_SIGNALS "SIGINT, SIGTERM, SIGUSR1, SIGHUP and SIGXCPU"

typedef struct cli_stop {
    double started;                     /* clock at the start of the program [s] */
    double walltime;                    /* --max-walltime [s]; 0: no limit */
    double guess;                       /* estimated time of a checkpoint before the first [s] */
    const swe_checkpoints *checkpoints; /* for the longest measured time of a checkpoint */
} cli_stop;

/* From now on these signals set a flag and never end the program. */
void cli_stop_install(void);

/* The flag: the last signal; 0: none. */
const volatile sig_atomic_t *cli_stop_signal(void);

/* The `stop` of a simulation: the reason to end now, as a signal to any rank; NULL: none. `stopper`
 * is a cli_stop, `stride` the time between two calls [s]. With --max-walltime a run computes at
 * least one stride, so that a chain of restarts reaches its end. */
const char *cli_stop_reason(void *stopper, double stride);

#endif
