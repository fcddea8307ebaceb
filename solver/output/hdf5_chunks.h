/* Chunks of a file that is not trusted. HDF5 (1.10, 1.14) inflates a chunk to whatever length it
 * has, and reads a short one beyond its end; these checks come before H5Dread. */
#ifndef SWE_OUTPUT_HDF5_CHUNKS_H
#define SWE_OUTPUT_HDF5_CHUNKS_H

#include <hdf5.h>
#include <stdbool.h>

/* Whether a dataset is contiguous or compact, or chunked with at most one each of shuffle, deflate
 * and Fletcher's checksum. A chunk has at most the bytes of the dataset or 64 MiB; all chunks have
 * at most 16 times the bytes of the dataset and 64 MiB. The dataset has at most 64 MiB and 1100
 * times what is stored, since deflate saves no more, and no more is stored than the file has.
 * `creation`: its property list; `element`: size of an element [byte]. */
bool hdf5_storage_is_plain(hid_t dataset, hid_t creation, int rank, const hsize_t *lengths,
                           size_t element);

/* Whether each stored chunk of a dataset with plain storage has its full length, inflated by zlib
 * into no more than that; whether contiguous storage has the bytes of the shape, or none. False
 * also where memory for one chunk is lacking. */
bool hdf5_storage_is_whole(hid_t dataset);

#endif
