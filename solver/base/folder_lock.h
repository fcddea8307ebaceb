/* One program at a time writes to a folder. It holds a lock on run.lock there, which ends with its
 * process, however that ends. In a folder of results the file stays: it names the run whose results
 * these are, so that a restart knows its own. */
#ifndef SWE_BASE_FOLDER_LOCK_H
#define SWE_BASE_FOLDER_LOCK_H

#include <stdbool.h>

#include "base/context.h"

enum { SWE_RUN_ID = 33 };

typedef struct swe_folder_lock {
    int file;                          /* 0: none is held */
    char folder[4200];                 /* that is locked */
    char run[SWE_RUN_ID];              /* identity of the run whose results lie there; "" */
    bool is_unprotected;               /* the file system knows no locks */
    bool has_made_folder, has_made_it; /* by taking it: the folder, run.lock */
} swe_folder_lock;

/* The run whose results lie in a folder; "" if it is not known. */
void swe_folder_lock_look(const char *folder, char run[SWE_RUN_ID]);

/* Make and lock a folder. A folder that this process has locked already gets no second lock: `file`
 * is 0 then. Errors: SWE_CANNOT_CREATE (another program has it, or it cannot be written), SWE_IO.
 */
swe_status swe_folder_lock_take(swe_context *ctx, const char *folder, swe_folder_lock *out);

/* Write down the process and whose results the folder holds: those of lock->run. Errors: SWE_IO. */
swe_status swe_folder_lock_sign(swe_context *ctx, swe_folder_lock *lock);

/* The identity of a new run. Errors: SWE_IO. */
swe_status swe_folder_lock_new_run(swe_context *ctx, char run[SWE_RUN_ID]);

/* Release it. run.lock stays where it names the run of results; of a run that has not begun it goes
 * if it was made for that run. A folder that is empty then goes, too. */
void swe_folder_lock_release(swe_folder_lock *lock, bool has_begun);

#endif
