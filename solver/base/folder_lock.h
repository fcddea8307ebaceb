/* A lock that lets one program at a time write to a folder.
 *
 * The program locks the file run.lock in the folder; the lock ends with the process, however that
 * ends. In a folder of results the file stays: it names the run that wrote the results, so that a
 * restart recognises its own. */
#ifndef SWE_BASE_FOLDER_LOCK_H
#define SWE_BASE_FOLDER_LOCK_H

#include <stdbool.h>

#include "base/context.h"

enum { SWE_RUN_ID = 33 };

typedef struct swe_folder_lock {
    int file;                                /* descriptor of run.lock; 0: no lock is held */
    char folder[4200];                       /* the locked folder */
    char run[SWE_RUN_ID];                    /* run that wrote the results there; "": none */
    bool is_unprotected;                     /* the file system does not support locks */
    bool has_created_folder, has_created_it; /* this lock created the folder, run.lock */
} swe_folder_lock;

/* Read the run that wrote the results in a folder; "" if it is unknown. */
void swe_folder_lock_read(const char *folder, char run[SWE_RUN_ID]);

/* Create and lock a folder. A folder that this process has already locked gets no second lock:
 * `file` is 0 then. Errors: SWE_CANNOT_CREATE (another program holds the lock, or the folder cannot
 * be written), SWE_IO. */
swe_status swe_folder_lock_take(swe_context *ctx, const char *folder, swe_folder_lock *out);

/* Check that no other program holds the lock of a folder; changes nothing. Errors:
 * SWE_CANNOT_CREATE. */
swe_status swe_folder_lock_check(swe_context *ctx, const char *folder);

/* Write lock->run, the host and the process into run.lock. Errors: SWE_IO. */
swe_status swe_folder_lock_sign(swe_context *ctx, swe_folder_lock *lock);

/* Draw a random identity for a new run. Errors: SWE_IO. */
swe_status swe_folder_lock_new_run(swe_context *ctx, char run[SWE_RUN_ID]);

/* Release a lock. run.lock stays if it names a run; if the run has not begun (`has_begun` false), a
 * run.lock that this lock created is removed. A folder that is then empty is removed, too. */
void swe_folder_lock_release(swe_folder_lock *lock, bool has_begun);

#endif
