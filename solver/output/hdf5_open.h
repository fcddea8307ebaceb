/* Opening an HDF5 file that may be anything. */
#ifndef SWE_OUTPUT_HDF5_OPEN_H
#define SWE_OUTPUT_HDF5_OPEN_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"

/* Open a regular file to read; `out` is to be closed. Errors: those of swe_file_check;
 * SWE_DATA: not HDF5. */
swe_status hdf5_open(swe_context *ctx, const char *path, hid_t *out);

/* Open a dataset of the file itself; no soft or external link is followed. Negative otherwise. */
hid_t hdf5_open_dataset(hid_t file, const char *name);

/* Rank (1 to 4) and lengths of a dataset of floating-point numbers in its own file, contiguous or
 * in chunks with known filters (hdf5_chunks.h); 0 for every other dataset. The second accepts
 * integers, too. */
int hdf5_shape(hid_t dataset, hsize_t lengths[4]);
int hdf5_shape_of_numbers(hid_t dataset, hsize_t lengths[4]);

/* Read all values of a dataset with a shape as above into a memory space. False where a chunk is
 * shorter or longer than the file states (hdf5_chunks.h), or HDF5 cannot read it. */
bool hdf5_read(hid_t dataset, hid_t memory, double *values);

/* Name of entry k of the file, in the order of creation if the file keeps it. Returns its length,
 * at least `size` if it does not fit; negative after the last entry. */
ssize_t hdf5_name_at(hid_t file, hsize_t k, char *name, size_t size);

#endif
