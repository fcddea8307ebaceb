/* A file that all ranks open at once: the root sends its identity, and each other rank checks that
 * it sees the same file. */
#ifndef SWE_STATE_SHARED_FILE_H
#define SWE_STATE_SHARED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/output_file.h"

typedef struct swe_shared_file {
    char path[SWE_OUTPUT_PATH], name[SWE_OUTPUT_PATH]; /* name: in messages */
    unsigned long long inode;
    long long size, changed; /* [bytes], [s] */
} swe_shared_file;

/* The file of a path, as the root sees it. */
swe_shared_file swe_shared_file_of(const char *path, const char *name, const struct stat *info);

/* Open it on this rank with the flags of open(2). The caller closes `file`, also after an error,
 * unless it is -1. `is_complete`: size and time must be those that the root sees. Errors:
 * SWE_UNAVAILABLE (this rank does not see the file). */
swe_status swe_shared_file_open(swe_context *ctx, const swe_shared_file *shared, int flags,
                                bool is_complete, int *file);

/* Read or write all bytes from `at` on. False: error in errno, 0 where the file ends too early. */
bool swe_shared_file_read(int file, void *out, size_t bytes, long long at);
bool swe_shared_file_write(int file, const void *values, size_t bytes, long long at);

#endif
