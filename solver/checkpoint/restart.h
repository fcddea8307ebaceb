/* Selection of the checkpoint that a run restarts from, and the differences between configurations
 * that make them different cases. */
#ifndef SWE_CHECKPOINT_RESTART_H
#define SWE_CHECKPOINT_RESTART_H

#include <stdbool.h>
#include <stddef.h>

#include "checkpoint/checkpoint_file.h"

/* The run that restarts. */
typedef struct swe_restart_request {
    const char *configuration;                   /* resolved, YAML */
    char *(*resolve)(const char *configuration); /* swe_config_text_of_run */
    swe_checkpoint_content content;
    long steps;
    double dt, end;     /* time step, time.end [s] */
    const void *config; /* argument of steps_with: steps with the time step of a checkpoint; 0: it
                           is not admissible */
    long (*steps_with)(const void *config, double dt);
    bool is_strict;                               /* fail if the newest checkpoint is damaged */
    void (*warn)(void *warner, const char *line); /* reports a damaged checkpoint */
    void *warner;
} swe_restart_request;

typedef struct swe_restart {
    char path[4400];          /* of the checkpoint's file */
    char directory[4200];     /* its folder */
    swe_checkpoint_head head; /* its configuration as `resolve` returns it */
} swe_restart;

/* Find the newest complete checkpoint of `path`: the file of a checkpoint, a folder of checkpoints,
 * or a folder of results with a folder `checkpoints`. Damaged ones are skipped with a warning.
 * Release with swe_restart_release. Errors: SWE_NO_INPUT (none found), SWE_DATA (the file, or all,
 * or under is_strict the newest, are damaged, incomplete or of a later format), SWE_CONFIG (another
 * case: the message lists all differences), SWE_NO_MEMORY. */
swe_status swe_restart_find(swe_context *ctx, const char *path, const swe_restart_request *request,
                            swe_restart *out);

/* Likewise the newest complete checkpoint of a folder; `out->path` is "" if none is found. */
swe_status swe_restart_newest(swe_context *ctx, const char *directory,
                              const swe_restart_request *request, swe_restart *out);
void swe_restart_release(swe_restart *restart);

/* ---- differences between two configurations, texts of swe_config_write ----------------------- */

/* A key in the text of a configuration. Starts with `next` at the text. */
typedef struct swe_config_key {
    const char *next; /* the next line */
    char path[160];   /* "grid.n"; of an entry of a list "tracers.lon" */
    int section_length;
    int map_length;    /* of "forcing.drag" in "forcing.drag.rate" */
    int entry;         /* of a list, from 1; 0: the section is a map */
    const char *value; /* a slice of the text */
    int value_length;
} swe_config_key;

/* Advance to the next key; false: no more keys. */
bool swe_config_key_next(swe_config_key *key);
/* Whether two keys have the same value. */
bool swe_config_key_agrees(const swe_config_key *a, const swe_config_key *b);

/* Compare every key of grid, scheme, physics, initial and bottom, except
 * - scheme.pipeline, which changes results by rounding only;
 * - the path and variable names of an initial file, which a restart does not read;
 * - the path of the bottom's file, whose content bottom.sha256 identifies;
 * - keys that initial.kind does not read.
 * A key that one text lacks is a difference unless it is an empty text in the other. `out` gets
 * "grid.n is 24 there and 12 here; ..." until it is full; returns the number of differences until
 * then. */
int swe_config_differences(const char *earlier, const char *new, char *out, size_t size);

/* Whether both texts have the same value of a key, such as "time.end". */
bool swe_config_agrees(const char *earlier, const char *new, const char *path);

#endif
