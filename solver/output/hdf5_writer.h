/* A thin layer over HDF5 for netCDF-4 files: after the first failure every call does nothing, so
 * that a writer reads as the list of what is in the file. Files hold no times of creation: equal
 * content makes equal files. */
#ifndef SWE_OUTPUT_HDF5_WRITER_H
#define SWE_OUTPUT_HDF5_WRITER_H

#include <hdf5.h>
#include <stdbool.h>

#include "grid/layout.h"

enum { HDF5_MOST_DIMENSIONS = 10, HDF5_MOST_RANK = 4 };

/* A named dimension; its coordinate variable is its scale. */
typedef struct hdf5_dimension {
    const char *name;
    hsize_t length;
    hid_t scale;
} hdf5_dimension;

typedef struct hdf5_writer {
    hid_t file;
    bool ok;
    int deflate; /* level of compression of arrays, their bytes shuffled; 0: none, as after open */
    bool is_single; /* numbers of variables have 32 bits in the file; not after open */
    hdf5_dimension dimensions[HDF5_MOST_DIMENSIONS];
    int dimension_count;
} hdf5_writer;

/* Begin the content of an open file, a descriptor; writer->ok says whether that worked. */
void hdf5_writer_open(hdf5_writer *writer, int file);
/* Close it; true if everything since open succeeded. */
bool hdf5_writer_close(hdf5_writer *writer);

/* Text and numbers as attributes of an object (a dataset, or writer->file). A text has a fixed
 * length without a terminating zero: netCDF calls it NC_CHAR. */
void hdf5_attribute_text(hdf5_writer *writer, hid_t object, const char *name, const char *text);
void hdf5_attribute_real(hdf5_writer *writer, hid_t object, const char *name, double value);
void hdf5_attribute_integer(hdf5_writer *writer, hid_t object, const char *name, long value);
/* 32 bits, which some readers of netCDF expect of an attribute. */
void hdf5_attribute_int(hdf5_writer *writer, hid_t object, const char *name, int value);

/* A dimension with its coordinate variable: its scale, open until the writer is closed. */
hid_t hdf5_dimension_write(hdf5_writer *writer, const char *name, const double *coordinates,
                           hsize_t length, const char *units, const char *meaning);
/* A dimension that has none. */
void hdf5_dimension_bare(hdf5_writer *writer, const char *name, hsize_t length);

/* A variable over named dimensions ("nf Ydim Xdim"), its last two dimensions taken from rows of
 * `layout` (panels, rows, pitch). Returns the open dataset; close with hdf5_close. */
hid_t hdf5_variable_write(hdf5_writer *writer, const char *name, const char *dimensions,
                          const swe_layout *layout, const double *values);
void hdf5_close(hdf5_writer *writer, hid_t dataset);

/* A variable over named dimensions that is still empty, of numbers of a type; open. */
hid_t hdf5_array_create(hdf5_writer *writer, const char *name, const char *dimensions, hid_t type);
/* All its values, one after another in memory. */
void hdf5_array_write(hdf5_writer *writer, hid_t dataset, hid_t type, const void *values);
/* Doubles, at one place of its first dimension. */
void hdf5_array_write_at(hdf5_writer *writer, hid_t dataset, hsize_t place, const double *values);

/* Properties of a dataset without times of creation; the caller closes them with H5Pclose. */
hid_t hdf5_dataset_creation(void);

/* A variable without dimensions or a value of interest, that attributes are hung on; open. */
hid_t hdf5_scalar_write(hdf5_writer *writer, const char *name);

#endif
