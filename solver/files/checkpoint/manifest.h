/* The manifest of a checkpoint: NAME.json beside NAME.h5, with the size of that file and a digest:
 * sha256_of_pieces (state/file_digest.h), or sha256 of the whole file in formats before 3.
 *
 * It is written after the file was synchronized to the disk and read back: a file without a
 * manifest is not a checkpoint. HDF5 opens a file only if size and digest agree with its manifest.
 */
#ifndef SWE_FILES_CHECKPOINT_MANIFEST_H
#define SWE_FILES_CHECKPOINT_MANIFEST_H

#include <stdbool.h>

#include "base/context.h"
#include "files/checkpoint/checkpoint_file.h"

/* Write DIR/NAME.json of a run's checkpoint atomically; `size` and `digest`, of pieces, describe
 * DIR/NAME.h5.
 * Errors: SWE_IO, SWE_NO_MEMORY. */
swe_status swe_manifest_write(swe_context *ctx, const char *directory, const char *name,
                              long long size, const char digest[SWE_DIGEST_SIZE], const char *run,
                              const swe_checkpoint *checkpoint);

/* Check DIR/NAME.h5 against DIR/NAME.json. `is_newer`: the manifest has a later format.
 * Errors: SWE_DATA (a file is missing, not a regular file, or damaged), SWE_IO, SWE_NO_MEMORY. */
swe_status swe_manifest_check(swe_context *ctx, const char *directory, const char *name,
                              bool *is_newer);

#endif
