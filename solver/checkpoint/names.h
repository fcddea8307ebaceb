/* Names of the files of checkpoints: checkpoint_<number>_step_<step>, and what comes after. Numbers
 * rise from each checkpoint of a folder to the next, whatever run wrote it: the greatest is the
 * newest, and no name comes twice. */
#ifndef SWE_CHECKPOINT_NAMES_H
#define SWE_CHECKPOINT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

enum { CHECKPOINT_NAME = 80 };

/* A run starts only below this number. Names may have 18 digits, so that it never comes to a number
 * which it cannot read. */
#define CHECKPOINT_MOST_NUMBER 999999999999L

typedef enum checkpoint_part {
    CHECKPOINT_FILE,      /* .h5 */
    CHECKPOINT_MANIFEST,  /* .json */
    CHECKPOINT_FAILED,    /* .failed: the state of a run that was stopped for it */
    CHECKPOINT_UNFINISHED /* .h5.tmp, .json.tmp, .failed.tmp */
} checkpoint_part;

/* A file of a checkpoint. */
typedef struct checkpoint_entry {
    char name[CHECKPOINT_NAME]; /* without its ending */
    const char *ending;
    long number, step;
    checkpoint_part part;
} checkpoint_entry;

void checkpoint_name(long number, long step, char out[CHECKPOINT_NAME]);

/* Take a file name apart; false if it is not one of ours. */
bool checkpoint_entry_of(const char *file, checkpoint_entry *out);

/* All files of checkpoints in a folder, the greatest number first; none if there is no folder. The
 * caller frees. Errors: SWE_IO, SWE_NO_MEMORY. */
swe_status checkpoint_entries(swe_context *ctx, const char *directory, checkpoint_entry **out,
                              size_t *count);

#endif
