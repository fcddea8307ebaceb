/* The HDF5 file of a checkpoint: the state in the precision of the run, and everything else that a
 * run needs to continue to the same bits.
 *
 * A field is a contiguous dataset, so that all ranks can access their rows of it at once. Earlier
 * formats are still read: in format 1 it has chunks under Fletcher32 checksums; format 2 differs by
 * its manifest.
 *
 * The reader checks links, types, shapes and storage before it reads anything, and accepts only
 * files with the members that the writer stores. A missing member is an error; it never gets a
 * default. */
#ifndef SWE_FILES_CHECKPOINT_CHECKPOINT_FILE_H
#define SWE_FILES_CHECKPOINT_CHECKPOINT_FILE_H

#include <stdbool.h>

#include "base/context.h"
#include "base/folder_lock.h"
#include "base/precision.h"
#include "fields/fields.h"
#include "fields/panels.h"
#include "base/output_file.h"
#include "state/file_digest.h"

enum {
    SWE_CHECKPOINT_CHUNKED = 1, /* the first format */
    SWE_CHECKPOINT_PIECES = 3,  /* from this format on a manifest has sha256_of_pieces */
    SWE_CHECKPOINT_FORMAT = 3
};

/* A number of the diagnostics that a restart continues from. */
typedef struct swe_checkpoint_number {
    const char *name;
    double *value;
    bool is_optional; /* earlier checkpoints lack it: 0 */
} swe_checkpoint_number;

/* A checkpoint to write; the caller owns the data that it points to. */
typedef struct swe_checkpoint {
    const char *case_name, *configuration; /* resolved, YAML */
    const char *backend, *device;
    swe_layout layout;
    swe_precision precision;
    const swe_field_set *fields;
    const swe_panels *state;
    long step, steps;
    double dt;                                /* [s] */
    long diagnostics_size;                    /* of diagnostics.csv at this step [bytes] */
    char diagnostics_sha256[SWE_DIGEST_SIZE]; /* of these bytes; "": not written */
    bool is_before_output; /* diagnostics_size and numbers precede the output of this step */
    const swe_checkpoint_number *numbers;
    int number_count;
} swe_checkpoint;

/* Write a checkpoint to the temporary file `out`: the state by panels, or `by_all` ranks at once
 * (checkpoint->state->access). Errors: SWE_IO, SWE_NO_MEMORY, SWE_UNAVAILABLE (by all: a rank does
 * not see the file). */
swe_status swe_checkpoint_file_write(swe_context *ctx, const swe_output_file *out, const char *run,
                                     const swe_checkpoint *checkpoint, bool by_all);

/* Members of a file besides fields and numbers. */
typedef struct swe_checkpoint_head {
    long step, steps, diagnostics_size;
    double dt;                                /* [s] */
    bool is_before_output;                    /* the restart writes the output of this step */
    char diagnostics_sha256[SWE_DIGEST_SIZE]; /* "": earlier checkpoints lack it */
    char run[SWE_RUN_ID];
    char *configuration;
} swe_checkpoint_head;

/* Read the head; release with swe_checkpoint_head_release. Errors: SWE_NO_INPUT, SWE_DATA,
 * SWE_NO_MEMORY. */
swe_status swe_checkpoint_head_read(swe_context *ctx, const char *path, swe_checkpoint_head *out);
void swe_checkpoint_head_release(swe_checkpoint_head *head);

/* The content that a run requires of a checkpoint. */
typedef struct swe_checkpoint_content {
    swe_layout layout;
    swe_precision precision;
    const swe_field_set *fields;
    const swe_checkpoint_number *numbers; /* set to the values of the checkpoint */
    int number_count;
} swe_checkpoint_content;

/* Check that the content is complete, in the shape and precision of the run, and read the numbers.
 * Reads no field. Errors: SWE_NO_INPUT, SWE_DATA. */
swe_status swe_checkpoint_file_check(swe_context *ctx, const char *path,
                                     const swe_checkpoint_content *content);

/* Check the content and read numbers and state, by all ranks at once where they see the file.
 * Errors: SWE_NO_INPUT, SWE_DATA (also a value that is not finite), SWE_NO_MEMORY. */
swe_status swe_checkpoint_file_read(swe_context *ctx, const char *path,
                                    const swe_checkpoint_content *content, const swe_panels *state);

/* Read a file just written and compare it with the checkpoint, bit by bit.
 * Errors: SWE_IO (it differs or is unreadable), SWE_NO_MEMORY. */
swe_status swe_checkpoint_file_verify(swe_context *ctx, const char *path, const char *run,
                                      const swe_checkpoint *checkpoint, bool by_all);

#endif
