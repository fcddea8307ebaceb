/* Opening an HDF5 file that may be anything. */
#ifndef SWE_OUTPUT_HDF5_OPEN_H
#define SWE_OUTPUT_HDF5_OPEN_H

#include <hdf5.h>

#include "base/context.h"

/* Open a regular file to read; `out` is to be closed. Errors: SWE_NO_INPUT: none, or not a regular
 * file; SWE_DATA: not HDF5. */
swe_status hdf5_open(swe_context *ctx, const char *path, hid_t *out);

#endif
