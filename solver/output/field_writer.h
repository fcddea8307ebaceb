/* Field files written beside the computation, by one thread in the background.
 *
 * There is one snapshot in flight: who has a next one waits until the last is written, so that
 * memory is bounded and files come in order. HDF5 is not used by two threads at a time: whoever
 * else enters it drains the writer first. */
#ifndef SWE_OUTPUT_FIELD_WRITER_H
#define SWE_OUTPUT_FIELD_WRITER_H

#include "output/field_file.h"

typedef struct swe_field_writer swe_field_writer;

/* What it did so far. */
typedef struct swe_field_writer_times {
    long files;
    double writing; /* of its thread [s] */
    double waiting; /* of those who drained it [s] */
} swe_field_writer_times;

/* Start the thread. Errors: SWE_NO_MEMORY, SWE_INTERNAL. */
swe_status swe_field_writer_create(swe_context *ctx, swe_field_writer **out);
/* Finish the file under way, end the thread and null the pointer; NULL is fine. */
void swe_field_writer_destroy(swe_field_writer **writer);

/* Begin to write a snapshot (field_file.h) and return. What it points to stays as it is until the
 * writer is drained. The writer was drained since the last one, and no file failed. */
void swe_field_writer_start(swe_field_writer *writer, const char *path,
                            const swe_snapshot *snapshot);

/* Wait until nothing is being written; NULL: nothing is. Errors: those of the file that failed, now
 * and ever after. */
swe_status swe_field_writer_drain(swe_context *ctx, swe_field_writer *writer);

/* Of a writer that is drained. */
swe_field_writer_times swe_field_writer_told(const swe_field_writer *writer);

#endif
