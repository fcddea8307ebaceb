/* The manifest of a checkpoint: NAME.json beside NAME.h5, written when the file is on the disk and
 * was read back. A file without one is no checkpoint, and HDF5 sees no file whose size or SHA-256
 * are not those of its manifest. */
#ifndef SWE_CHECKPOINT_MANIFEST_H
#define SWE_CHECKPOINT_MANIFEST_H

#include <stdbool.h>

#include "base/context.h"
#include "checkpoint/digest.h"

typedef struct swe_manifest {
    long step, steps;
    double time; /* [s] */
    const char *run, *case_name, *backend;
} swe_manifest;

/* Write DIR/NAME.json, atomically, for DIR/NAME.h5; `size` and `digest` are the file's.
 * Errors: SWE_IO, SWE_NO_MEMORY. */
swe_status swe_manifest_write(swe_context *ctx, const char *directory, const char *name,
                              long long size, const char digest[SWE_DIGEST],
                              const swe_manifest *manifest);

/* Check DIR/NAME.h5 against DIR/NAME.json. `is_newer`: it is of a later format of manifests.
 * Errors: SWE_DATA (a file is missing, no regular file or damaged), SWE_IO, SWE_NO_MEMORY. */
swe_status swe_manifest_check(swe_context *ctx, const char *directory, const char *name,
                              bool *is_newer);

#endif
