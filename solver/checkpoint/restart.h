/* Which checkpoint a run goes on from. */
#ifndef SWE_CHECKPOINT_RESTART_H
#define SWE_CHECKPOINT_RESTART_H

#include <stdbool.h>

#include "checkpoint/checkpoint_file.h"

/* What a run is, that it may go on from a checkpoint. */
typedef struct swe_restart_wanted {
    const char *configuration; /* resolved, YAML */
    swe_checkpoint_wanted content;
    long steps;
    double dt, end;                               /* time step, time.end [s] */
    bool is_strict;                               /* fail rather than take an older one */
    void (*warn)(void *warner, const char *line); /* one that is damaged, and why */
    void *warner;
} swe_restart_wanted;

typedef struct swe_restart {
    char path[4400];
    char directory[4200]; /* that it is in */
    swe_checkpoint_head head;
} swe_restart;

/* Find the newest whole checkpoint of `path`: a file of one, a folder of them, or the folder of
 * results that has them in `checkpoints`; damaged ones are passed over with a warning. Release with
 * swe_restart_release. Errors: SWE_NO_INPUT (there is none), SWE_DATA (the file, or all of them, or
 * under is_strict the newest, are damaged, lack something, or are of a later format), SWE_CONFIG
 * (it is of another case: the message has every difference), SWE_NO_MEMORY. */
swe_status swe_restart_find(swe_context *ctx, const char *path, const swe_restart_wanted *wanted,
                            swe_restart *out);

/* Likewise the newest whole checkpoint of a folder; if there is none, the path is "". */
swe_status swe_restart_newest(swe_context *ctx, const char *directory,
                              const swe_restart_wanted *wanted, swe_restart *out);
void swe_restart_release(swe_restart *restart);

#endif
