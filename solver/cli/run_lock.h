/* One run or study at a time writes to a folder of results: it holds a lock on run.lock there,
 * which goes with its process, however that ends. The file stays; it names the run whose results
 * these are, so that a restart knows its own. */
#ifndef SWE_CLI_RUN_LOCK_H
#define SWE_CLI_RUN_LOCK_H

#include <stdbool.h>

#include "checkpoint/checkpoint_file.h"

typedef struct cli_run_lock {
    int file;             /* 0: none is held */
    char run[SWE_RUN_ID]; /* identity of the run whose results lie there; "" */
    bool is_unprotected;  /* the file system knows no locks */
} cli_run_lock;

/* The run whose results lie in a folder; "" if it is not known. */
void cli_run_lock_look(const char *directory, char run[SWE_RUN_ID]);

/* Lock a folder that is there. Errors: SWE_CANNOT_CREATE (another run has it, or it cannot be
 * written). */
swe_status cli_run_lock_take(swe_context *ctx, const char *directory, cli_run_lock *out);

/* Write down whose results they are from now on: a new run's if `is_new`. Errors: SWE_IO. */
swe_status cli_run_lock_name(swe_context *ctx, cli_run_lock *lock, bool is_new);

void cli_run_lock_release(cli_run_lock *lock);

#endif
