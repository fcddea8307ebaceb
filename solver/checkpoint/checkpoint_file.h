/* The file of a checkpoint: HDF5 with the whole state in the run's own precision, under Fletcher32
 * checksums, and all that a run must know to go on as if it had never ended.
 *
 * Everything is written before anything is trusted, and everything is looked at before anything is
 * read: links, types, shapes and filters are those that are written here, or the file is refused. A
 * member that is missing is refused, never filled. */
#ifndef SWE_CHECKPOINT_CHECKPOINT_FILE_H
#define SWE_CHECKPOINT_CHECKPOINT_FILE_H

#include <stdbool.h>

#include "base/context.h"
#include "base/folder_lock.h"
#include "base/precision.h"
#include "fields/fields.h"
#include "output_file.h"

enum { SWE_CHECKPOINT_FORMAT = 1 };

/* A number that diagnostics go on from. */
typedef struct swe_checkpoint_number {
    const char *name;
    double *value;
} swe_checkpoint_number;

/* A checkpoint of a run, to be written; host memory. */
typedef struct swe_checkpoint {
    const char *case_name, *configuration; /* resolved, YAML */
    const char *backend, *device;
    swe_layout layout;
    swe_precision precision;
    const swe_field_set *fields;
    const double *state; /* the fields one after the other, in the layout */
    long step, steps;
    double dt;             /* [s] */
    long diagnostics_size; /* of diagnostics.csv at this step [bytes] */
    bool is_before_output; /* its size and the numbers are those before the output of this step */
    const swe_checkpoint_number *numbers;
    int number_count;
} swe_checkpoint;

/* Write it to a result that was begun. Errors: SWE_IO. */
swe_status swe_checkpoint_file_write(swe_context *ctx, const prof_output_file *out, const char *run,
                                     const swe_checkpoint *checkpoint);

/* What a file tells besides its fields. */
typedef struct swe_checkpoint_head {
    long step, steps, diagnostics_size;
    double dt;
    bool is_before_output; /* the restart makes the output of this step */
    char run[SWE_RUN_ID];
    char *configuration;
} swe_checkpoint_head;

/* Read it; release with swe_checkpoint_head_release. Errors: SWE_NO_INPUT,
 * SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_checkpoint_head_read(swe_context *ctx, const char *path, swe_checkpoint_head *out);
void swe_checkpoint_head_release(swe_checkpoint_head *head);

/* The content that a run reads from a checkpoint. */
typedef struct swe_checkpoint_wanted {
    swe_layout layout;
    swe_precision precision;
    const swe_field_set *fields;
    const swe_checkpoint_number *numbers; /* they get the values of the checkpoint */
    int number_count;
} swe_checkpoint_wanted;

/* Check that all of it is there, in the shape and precision of the run. Reads no field.
 * Errors: SWE_NO_INPUT, SWE_DATA. */
swe_status swe_checkpoint_file_check(swe_context *ctx, const char *path,
                                     const swe_checkpoint_wanted *wanted);

/* Read the state and the numbers, after the same checks. Errors: SWE_NO_INPUT, SWE_DATA (also a
 * value that is not finite), SWE_NO_MEMORY. */
swe_status swe_checkpoint_file_read(swe_context *ctx, const char *path,
                                    const swe_checkpoint_wanted *wanted, double *state);

/* Read a file that was just written: whether it holds this to the last bit.
 * Errors: SWE_IO, SWE_NO_MEMORY. */
swe_status swe_checkpoint_file_verify(swe_context *ctx, const char *path, const char *run,
                                      const swe_checkpoint *checkpoint);

#endif
