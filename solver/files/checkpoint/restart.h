/* Selection of the checkpoint that a run restarts from. */
#ifndef SWE_FILES_CHECKPOINT_RESTART_H
#define SWE_FILES_CHECKPOINT_RESTART_H

#include <stdbool.h>
#include <stddef.h>

#include "files/checkpoint/checkpoint_file.h"
#include "config/config.h"

/* The run that restarts. */
typedef struct swe_restart_request {
    const swe_config *config;
    swe_checkpoint_content content;
    bool is_strict;     /* fail if the newest checkpoint is damaged */
    bool has_no_end;    /* accept a checkpoint after time.end */
    bool accepts_state; /* where config->start.state is empty, accept one of any start.state */
    void (*warn)(void *warner, const char *line); /* reports a damaged checkpoint */
    void *warner;
} swe_restart_request;

typedef struct swe_restart {
    char path[4400];      /* of the checkpoint's file */
    char directory[4200]; /* its folder */
    swe_checkpoint_head head;
    swe_config *config; /* of the run that wrote it; start.state is "" if it was accepted */
    char state[SWE_DIGEST_SIZE]; /* its start.state */
} swe_restart;

/* Find the newest complete checkpoint of `path`: the file of a checkpoint, a folder of checkpoints,
 * or a folder of results with a folder `checkpoints`. Damaged checkpoints are skipped with a
 * warning. Release with swe_restart_release. Errors: SWE_NO_INPUT (none found), SWE_DATA (damaged,
 * incomplete or of a later format: the named file, or all checkpoints, or with is_strict the
 * newest), SWE_CONFIG (another case: the message lists all differences), SWE_NO_MEMORY. */
swe_status swe_restart_find(swe_context *ctx, const char *path, const swe_restart_request *request,
                            swe_restart *out);

/* Likewise the newest complete checkpoint of a folder; `out->path` is "" if none is found. */
swe_status swe_restart_newest(swe_context *ctx, const char *directory,
                              const swe_restart_request *request, swe_restart *out);
void swe_restart_release(swe_restart *restart);

#endif
