/* Writing netCDF-4 files with HDF5.
 *
 * After the first failure every call does nothing, so that a caller checks only hdf5_writer_close.
 * Files record no creation times: equal content gives equal files. Datasets that a function returns
 * are open. The caller closes them with hdf5_close, except the scales of dimensions, which
 * hdf5_writer_close closes. */
#ifndef SWE_FILES_OUTPUT_HDF5_WRITER_H
#define SWE_FILES_OUTPUT_HDF5_WRITER_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"

enum { HDF5_MAX_DIMENSIONS = 10, HDF5_MAX_RANK = 4 };

/* A named dimension; its coordinate variable is its HDF5 dimension scale. */
typedef struct hdf5_dimension {
    const char *name;
    hsize_t length;
    hid_t scale;
} hdf5_dimension;

typedef struct hdf5_writer {
    hid_t file;
    bool ok;
    int error;      /* errno of the first failure; 0: it has none */
    int deflate;    /* level of compression after a byte shuffle; 0 (default): none */
    bool is_single; /* store variables as 32-bit numbers; default: 64 bits */
    hdf5_dimension dimensions[HDF5_MAX_DIMENSIONS];
    int dimension_count;
} hdf5_writer;

/* Start the content of a file that is open as descriptor `file`. writer->ok: success. */
void hdf5_writer_open(hdf5_writer *writer, int file);
/* Record errno of the first failure of HDF5 in `writer`. hdf5_writer_open begins this. hdf5_open
 * and hdf5_writer_close end it. */
void hdf5_writer_watch(hdf5_writer *writer);
/* Close the content; true if every call since hdf5_writer_open succeeded. */
bool hdf5_writer_close(hdf5_writer *writer);
/* Report that a file cannot be written, with the system's reason where there is one. Returns
 * SWE_IO. */
swe_status hdf5_writer_fail(swe_context *ctx, const hdf5_writer *writer, const char *path);

/* Check that a file can be created, written by HDF5 and synced, under the temporary name of `path`;
 * it is removed again. Errors: as in swe_durable_begin, SWE_IO. */
swe_status hdf5_writer_check(swe_context *ctx, const char *path);

/* Write an attribute of an object (a dataset, or writer->file). A text has a fixed length without a
 * terminating zero (NC_CHAR of netCDF). An integer has 64 bits, an int 32 bits, which some netCDF
 * readers require. */
void hdf5_attribute_text(hdf5_writer *writer, hid_t object, const char *name, const char *text);
void hdf5_attribute_real(hdf5_writer *writer, hid_t object, const char *name, double value);
void hdf5_attribute_integer(hdf5_writer *writer, hid_t object, const char *name, long value);
void hdf5_attribute_int(hdf5_writer *writer, hid_t object, const char *name, int value);

/* Write a dimension with its coordinate variable. The writer keeps the pointer `name`. Returns the
 * scale, which hdf5_writer_close closes. */
hid_t hdf5_dimension_write(hdf5_writer *writer, const char *name, const double *coordinates,
                           hsize_t length, const char *units, const char *meaning);
/* Write the dimension "time" of CF. */
void hdf5_time_write(hdf5_writer *writer, const double *times, hsize_t count, const char *units);
/* Write a dimension without a coordinate variable. The writer keeps the pointer `name`. */
void hdf5_dimension_without_scale(hdf5_writer *writer, const char *name, hsize_t length);

/* Create an empty variable over named dimensions ("nf Ydim Xdim"). Its numbers have 32 bits if
 * is_single, else 64. */
hid_t hdf5_variable_create(hdf5_writer *writer, const char *name, const char *dimensions);

/* The chunk of an array of values of `size` bytes: at most 1 MiB, the size of HDF5's default chunk
 * cache; as many of the last dimensions as fit, and an even share of the dimension that does not. A
 * chunk of a variable has one time. */
void hdf5_choose_chunk(int rank, const hsize_t *lengths, size_t size, hsize_t *chunk);

void hdf5_close(hdf5_writer *writer, hid_t dataset);

/* Create an empty variable of a type over named dimensions. */
hid_t hdf5_array_create(hdf5_writer *writer, const char *name, const char *dimensions, hid_t type);
/* Write all values of a variable, contiguous in memory. */
void hdf5_array_write(hdf5_writer *writer, hid_t dataset, hid_t type, const void *values);
/* Write the values at one index of the first dimension. */
void hdf5_array_write_at(hdf5_writer *writer, hid_t dataset, hsize_t index, const double *values);

/* Properties of a dataset without creation times; the caller closes them with H5Pclose. */
hid_t hdf5_dataset_creation(void);

/* Write a scalar variable (value 0) that carries attributes only. */
hid_t hdf5_scalar_write(hdf5_writer *writer, const char *name);

#endif
