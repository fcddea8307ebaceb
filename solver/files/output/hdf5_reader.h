/* Reading HDF5 files from an untrusted source (HDF5 1.10 to 1.14).
 *
 * HDF5 inflates a chunk to whatever length the compressed data have, and reads beyond the end of a
 * short one. Every function here therefore checks links, types, shapes and storage before H5Dread.
 * A storage is plain if
 * - the values lie in the file itself: contiguous, compact, or in chunks with at most one each of
 *   shuffle, deflate and Fletcher32;
 * - a chunk has at most the bytes of the dataset or 64 MiB, and all chunks together at most
 *   16 times the bytes of the dataset and 64 MiB;
 * - the dataset has at most 64 MiB and 1100 times its stored bytes (the limit of deflate is 1032),
 *   and the stored bytes do not exceed the size of the file. */
#ifndef SWE_FILES_OUTPUT_HDF5_READER_H
#define SWE_FILES_OUTPUT_HDF5_READER_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"
#include "grid/layout.h"

/* Open a regular file for reading; the caller closes `out` with H5Fclose. Errors: as of
 * swe_file_check; SWE_DATA: the file is not HDF5. */
swe_status hdf5_open(swe_context *ctx, const char *path, hid_t *out);

/* Open a dataset of the file at `path`. `out` is negative if no dataset has the name; an absent
 * dataset is no error. Errors: SWE_DATA (the name is a soft or external link, or HDF5 cannot open
 * the dataset). */
swe_status hdf5_find_dataset(swe_context *ctx, const char *path, hid_t file, const char *name,
                             hid_t *out);

/* Likewise entry k of the file, in the order of creation if the file records it. `name` is empty
 * after the last entry. Errors: as above, or the name does not fit. */
enum { HDF5_NAME_SIZE = 257 }; /* of netCDF */
swe_status hdf5_find_entry(swe_context *ctx, const char *path, hid_t file, hsize_t k,
                           char name[HDF5_NAME_SIZE], hid_t *out);

/* Rank (1 to 4) and lengths of a dataset of floating-point numbers with plain storage; the negative
 * rank with another storage (virtual: -1 without lengths); 0 for every other dataset.
 * `accepts_integers`: also of a dataset of integers. */
int hdf5_shape(hid_t dataset, bool accepts_integers, hsize_t lengths[4]);

/* Whether each stored chunk of a dataset with plain storage has its full length, and zlib inflates
 * it to that length; whether contiguous storage has the bytes of the shape, or none. Also false if
 * memory for one chunk is lacking. */
bool hdf5_storage_is_whole(hid_t dataset);

/* Read all values of a dataset whose shape was found above into a memory space. False: the storage
 * is not whole, or HDF5 cannot read it. */
bool hdf5_read(hid_t dataset, hid_t memory, double *values);

/* Write a panel of a dataset (`to` NULL), or read one (`from` NULL) whose storage is whole. The
 * last dimensions of the dataset are panels, rows and columns; in memory rows have layout->pitch
 * values. `record`: of the first of four dimensions, otherwise 0. False: the dataset has other
 * dimensions, or HDF5 failed. */
bool hdf5_copy_panel(hid_t dataset, const swe_layout *layout, hsize_t record, int panel,
                     const double *from, double *to);

#endif
