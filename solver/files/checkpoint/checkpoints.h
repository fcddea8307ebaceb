/* The folder of a run's checkpoints: names of its files, writing, removal of old ones.
 *
 * Files are named checkpoint_<number>_step_<step> and an ending. Numbers increase from each
 * checkpoint of a folder to the next, also if different runs wrote them: the greatest number is the
 * newest checkpoint, and no name is used twice.
 *
 * Whenever the program or the machine stops, the newest complete checkpoint can be identified and
 * read. A file is written under a temporary name, synchronized to the disk, read again and compared
 * with the state, and renamed; then its manifest likewise; then all but the newest `keep` complete
 * checkpoints are removed. */
#ifndef SWE_FILES_CHECKPOINT_CHECKPOINTS_H
#define SWE_FILES_CHECKPOINT_CHECKPOINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "files/checkpoint/checkpoint_file.h"

/* ---- names of files -------------------------------------------------------------------------- */

enum { CHECKPOINT_NAME_SIZE = 80 };

/* A run starts only below this number. Names may have 18 digits, so that a run cannot reach a
 * number that it cannot read. */
#define CHECKPOINT_MAX_NUMBER 999999999999L

typedef enum checkpoint_file_kind {
    CHECKPOINT_FILE,      /* .h5 */
    CHECKPOINT_MANIFEST,  /* .json */
    CHECKPOINT_FAILED,    /* .failed: state of a run that the diagnostics ended */
    CHECKPOINT_UNFINISHED /* .h5.tmp, .json.tmp, .failed.tmp */
} checkpoint_file_kind;

/* A file of a checkpoint. */
typedef struct checkpoint_entry {
    char name[CHECKPOINT_NAME_SIZE]; /* without its ending */
    const char *ending;
    long number, step;
    checkpoint_file_kind kind;
} checkpoint_entry;

void checkpoint_name(long number, long step, char out[CHECKPOINT_NAME_SIZE]);

/* Parse a file name; false: not the name of a checkpoint's file. */
bool checkpoint_entry_of(const char *file, checkpoint_entry *out);

/* All files of checkpoints in a folder, in descending order of number; none if the folder does not
 * exist. The caller frees. Errors: SWE_IO, SWE_NO_MEMORY. */
swe_status checkpoint_entries(swe_context *ctx, const char *directory, checkpoint_entry **out,
                              size_t *count);

/* ---- the folder ------------------------------------------------------------------------------ */

/* Ranks that write the state of a checkpoint: all at once, or the root for all ranks, also if a
 * rank does not see the file. AUTO: all, if the file system keeps writes of several machines apart.
 * In the order of the words of checkpoint.writers. */
typedef enum swe_writers { SWE_WRITERS_AUTO, SWE_WRITERS_ROOT, SWE_WRITERS_ALL } swe_writers;

typedef struct swe_checkpoints {
    char directory[4096];
    swe_folder_lock lock; /* of the folder */
    bool is_locked;       /* by this lock, or by another lock of this process */
    char run[SWE_RUN_ID];
    int keep;
    long next;      /* number of the next checkpoint */
    long first_own; /* this process wrote and read back the checkpoints from this number on */
    swe_writers writers;
    int written, written_by_all; /* written_by_all: by several ranks at once */
    double seconds, longest;     /* time spent writing: total, longest [s] */
} swe_checkpoints;

/* Lock the folder before anything in it is changed, if it exists; with `is_expected` it is created.
 * Otherwise the first checkpoint creates and locks it. Errors: as in swe_folder_lock_take. */
swe_status swe_checkpoints_lock(swe_context *ctx, const char *directory, bool is_expected,
                                swe_checkpoints *out);
void swe_checkpoints_release(swe_checkpoints *checkpoints, bool has_begun);

/* Read the locked folder, which need not exist, and remove unfinished files of a killed run.
 * `is_expected`: check that files can be created in it. `run`: identity of this run.
 * Errors: SWE_CANNOT_CREATE (the folder is not writable), SWE_IO (as on a full disk),
 * SWE_NO_MEMORY. */
swe_status swe_checkpoints_open(swe_context *ctx, bool is_expected, int keep, swe_writers writers,
                                const char *run, swe_checkpoints *checkpoints);

/* Write a checkpoint. Errors: SWE_IO, SWE_NO_MEMORY; all former checkpoints then remain. */
swe_status swe_checkpoints_write(swe_context *ctx, swe_checkpoints *checkpoints,
                                 const swe_checkpoint *checkpoint);

/* Write an invalid state as <name>.failed, which no restart reads; `path` gets its path.
 * Errors: as above. */
swe_status swe_checkpoints_write_failed(swe_context *ctx, swe_checkpoints *checkpoints,
                                        const swe_checkpoint *checkpoint, char *path, size_t size);

/* Numbers of files of checkpoints in a folder. */
typedef struct swe_checkpoint_counts {
    size_t all, manifests, failed;
} swe_checkpoint_counts;

/* Check that numbers below CHECKPOINT_MAX_NUMBER remain. Errors: SWE_CANNOT_CREATE. */
swe_status swe_checkpoints_check_numbers(swe_context *ctx, const char *directory);

/* Count, or remove, the files of checkpoints in a folder. Errors: SWE_CANNOT_CREATE. */
swe_status swe_checkpoints_count(swe_context *ctx, const char *directory,
                                 swe_checkpoint_counts *out);
swe_status swe_checkpoints_remove(swe_context *ctx, const char *directory);

#endif
