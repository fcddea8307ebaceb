/* Background writer: one thread writes field files while the model computes.
 *
 * One snapshot is in flight at a time, so memory is bounded and files are written in order. Only
 * one thread may use HDF5: drain the writer before any other call of HDF5. Several ranks write
 * their files without it, all together.
 */
#ifndef SWE_FILES_OUTPUT_FIELD_WRITER_H
#define SWE_FILES_OUTPUT_FIELD_WRITER_H

#include "files/output/field_file.h"

typedef struct swe_field_writer swe_field_writer;

typedef struct swe_field_writer_times {
    long files;     /* written so far */
    double writing; /* time of the writing thread; on several ranks of writing [s] */
    double waiting; /* time of callers in swe_field_writer_drain; on several ranks of writing [s] */
} swe_field_writer_times;

/* Start the thread. Errors: SWE_NO_MEMORY (also no thread). */
swe_status swe_field_writer_create(swe_context *ctx, swe_field_writer **out);
/* Finish the file in flight, end the thread and set the pointer to NULL; accepts NULL. */
void swe_field_writer_destroy(swe_field_writer **writer);

/* Start writing a snapshot and return. The memory that it points to must not change until
 * swe_field_writer_drain. Requires a drained writer on which no file has failed. */
void swe_field_writer_start(swe_field_writer *writer, const char *path,
                            const swe_snapshot *snapshot);

/* Wait until no file is in flight; accepts NULL. Errors: of the file that failed, in this
 * call and all later ones. */
swe_status swe_field_writer_drain(swe_context *ctx, swe_field_writer *writer);

/* Statistics of a drained writer. */
swe_field_writer_times swe_field_writer_get_times(const swe_field_writer *writer);

#endif
