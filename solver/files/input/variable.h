/* One variable of an untrusted netCDF-4 or HDF5 file: finding it by name or attribute, checks,
 * reading. */
#ifndef SWE_FILES_INPUT_VARIABLE_H
#define SWE_FILES_INPUT_VARIABLE_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"
#include "files/conversion/meaning.h"
#include "grid/layout.h"
#include "files/output/hdf5_reader.h"

extern const swe_quantity swe_quantity_height, swe_quantity_depth, swe_quantity_zonal,
    swe_quantity_meridional, swe_quantity_v1, swe_quantity_v2, swe_quantity_bottom,
    swe_quantity_source, swe_quantity_stress, swe_quantity_factor;

typedef struct swe_variable {
    const char *path; /* of the file */
    hid_t dataset;    /* negative: not found */
    char name[HDF5_NAME_SIZE];
    int rank;
    hsize_t lengths[4]; /* of one time */
    hsize_t record;     /* of the selected time */
    swe_meaning meaning;
    bool is_factor; /* its values are between 0 and 1 */
} swe_variable;

/* Equally spaced times of a file, and which of them is read. */
typedef struct swe_records {
    double interval;  /* [s] */
    long number;      /* counted from the selected time, or from the first */
    bool is_periodic; /* after the last one the first follows; false: the last one stays */
    long count;   /* of the times of the fields that were found, which must agree; 0: none yet */
    double first; /* the first of these times */
} swe_records;

/* An open file, and which of its times is read. */
typedef struct swe_variable_file {
    const char *path;
    hid_t file;
    const char *time;     /* a number on the file's time axis; "": it has one time */
    const char *key;      /* of `time`, for messages: "initial.time" */
    swe_records *records; /* NULL: the selected time, or the only one */
} swe_variable_file;

/* Find the variable of a quantity under `name`; "": under its default names. If none is found,
 * `out->dataset` is negative. Close with swe_variable_close. Errors: SWE_DATA (errors of
 * hdf5_find_dataset; two datasets have the standard name; the values are not floating-point numbers
 * stored in the file itself; several times and none selected; records that are no equally spaced
 * times of this interval; attributes that are refused). */
swe_status swe_variable_find(swe_context *ctx, const swe_variable_file *file,
                             const swe_quantity *quantity, const char *name, swe_variable *out);
/* Likewise, but SWE_DATA if the variable is not found. */
swe_status swe_variable_require(swe_context *ctx, const swe_variable_file *file,
                                const swe_quantity *quantity, const char *name, swe_variable *out);
void swe_variable_close(swe_variable *variable);

/* The shape, "(1, 6, 13, 13)". */
typedef struct swe_shape_text {
    char text[128];
} swe_shape_text;
swe_shape_text swe_variable_shape(const swe_variable *variable);

/* Read all stored numbers of the time into a memory space, in row-major order. Errors: SWE_DATA. */
swe_status swe_variable_read(swe_context *ctx, const swe_variable *variable, hid_t memory,
                             double *values);

/* Read a panel of a variable of shape (6, rows, columns), or (1, 6, rows, columns), into rows of
 * layout->pitch values. Read panel 0 first: the call checks the storage of all panels. Errors:
 * SWE_DATA (unreadable; a value is missing or not finite). */
swe_status swe_variable_read_panel(swe_context *ctx, const swe_variable *variable,
                                   const swe_layout *layout, int rows, int columns, int panel,
                                   double *values);

/* Name of the coordinate variable that netCDF-4 attaches to a dimension; "": unknown. */
void swe_variable_dimension_scale(const swe_variable *variable, int dimension,
                                  char name[HDF5_NAME_SIZE]);

/* Set a stored number to the value that it means. Returns "missing", "not finite" or "not between 0
 * and 1"; NULL: none of them. */
const char *swe_variable_fault(const swe_variable *variable, double *value);

#endif
