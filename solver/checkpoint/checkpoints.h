/* The checkpoints of a run, in their folder: written so that at every moment, whatever ends the
 * program or the machine, the newest whole one can be told from all else and read.
 *
 * One is written under a temporary name, put on the disk, opened again and compared with the state;
 * it gets its name, then its manifest, likewise; then older ones go, but for `keep` whole ones. */
#ifndef SWE_CHECKPOINT_CHECKPOINTS_H
#define SWE_CHECKPOINT_CHECKPOINTS_H

#include <stdbool.h>

#include "checkpoint/checkpoint_file.h"

typedef struct swe_checkpoints {
    char directory[4096];
    swe_folder_lock lock; /* of the folder */
    bool is_locked;       /* by this lock or another one of this process */
    char run[SWE_RUN_ID];
    int keep;
    long next;      /* number of the next one */
    long first_own; /* those from this number on were written, and read back, by this process */
    int written;
    double seconds, longest; /* that writing took [s] */
} swe_checkpoints;

/* Lock the folder, before anything in it is removed or written, if it is there; `is_expected`: make
 * it. Otherwise the first checkpoint locks it. Errors: those of swe_folder_lock_take. */
swe_status swe_checkpoints_lock(swe_context *ctx, const char *directory, bool is_expected,
                                swe_checkpoints *out);
void swe_checkpoints_release(swe_checkpoints *checkpoints, bool has_begun);

/* Look at the folder, which need not be there, under its lock: remove what a run that was killed
 * left unfinished. `is_expected`: find out now whether files can be made there. `run` is
 * the identity of this run.
 * Errors: SWE_CANNOT_CREATE (not a folder that can be written), SWE_IO (as on a full disk),
 * SWE_NO_MEMORY. */
swe_status swe_checkpoints_open(swe_context *ctx, bool is_expected, int keep, const char *run,
                                swe_checkpoints *checkpoints);

/* Write one. Errors: SWE_IO, SWE_NO_MEMORY; all that were there before are there then. */
swe_status swe_checkpoints_write(swe_context *ctx, swe_checkpoints *checkpoints,
                                 const swe_checkpoint *checkpoint);

/* Write a state that is no good aside, as <name>.failed, which is never taken for a checkpoint;
 * `path` gets where it is. Errors: as above. */
swe_status swe_checkpoints_write_aside(swe_context *ctx, swe_checkpoints *checkpoints,
                                       const swe_checkpoint *checkpoint, char *path, size_t size);

/* Files of checkpoints in a folder. */
typedef struct swe_checkpoint_counts {
    size_t all, manifests, failed;
} swe_checkpoint_counts;

/* Whether a folder has numbers for checkpoints to come. Errors: SWE_CANNOT_CREATE. */
swe_status swe_checkpoints_check_numbers(swe_context *ctx, const char *directory);

/* Count them, and remove them. Errors: SWE_CANNOT_CREATE. */
swe_status swe_checkpoints_count(swe_context *ctx, const char *directory,
                                 swe_checkpoint_counts *out);
swe_status swe_checkpoints_remove(swe_context *ctx, const char *directory);

#endif
