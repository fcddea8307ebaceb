/* Processes of this host, as /proc tells of them. */
#ifndef SWE_CLI_PROCESS_H
#define SWE_CLI_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct cli_process {
    bool is_gone;  /* there is none of this number, or it has ended and waits for its parent only */
    bool is_known; /* /proc tells the following */
    long long start;       /* when it began, in ticks of the system's clock since the host did: with
                              its number that is one process and no later one */
    double cpu_seconds;    /* of all its threads so far */
    double resident_bytes; /* of it in memory */
} cli_process;

cli_process cli_process_look(pid_t pid);

#endif
