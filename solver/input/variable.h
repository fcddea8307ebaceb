/* One variable of an untrusted netCDF-4 or HDF5 file: finding it by name or attribute, checks,
 * reading. */
#ifndef SWE_INPUT_VARIABLE_H
#define SWE_INPUT_VARIABLE_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"
#include "grid/layout.h"
#include "output/hdf5_reader.h"

enum { VARIABLE_MAX_NAMES = 5, VARIABLE_MAX_FILLS = 17 };

/* A physical quantity: accepted names in order of preference, then CF standard names, and accepted
 * spellings of its unit, of which messages show the first. Lists end with NULL. */
typedef struct swe_quantity {
    const char *meaning;
    const char *names[VARIABLE_MAX_NAMES];
    const char *standard_names[VARIABLE_MAX_NAMES];
    const char *const *units;
} swe_quantity;

extern const swe_quantity swe_quantity_h, swe_quantity_zonal, swe_quantity_meridional,
    swe_quantity_v1, swe_quantity_v2, swe_quantity_bottom;

typedef struct swe_variable {
    const char *path; /* of the file */
    hid_t dataset;    /* negative: not found */
    char name[HDF5_NAME_SIZE];
    int rank;
    hsize_t lengths[4];
    int fill_count;
    double fill_values[VARIABLE_MAX_FILLS]; /* mark missing values: attributes and netCDF default */
} swe_variable;

/* Find the variable of a quantity under `name`; "": under its default names. If none is found,
 * `out->dataset` is negative. Close with swe_variable_close. Errors: SWE_DATA (those of
 * hdf5_find_dataset; two datasets have the standard name; not floating-point numbers stored in the
 * file itself; packed; another unit; a fill value that is not a number). */
swe_status swe_variable_find(swe_context *ctx, const char *path, hid_t file,
                             const swe_quantity *quantity, const char *name, swe_variable *out);
/* Likewise, but SWE_DATA if the variable is not found. */
swe_status swe_variable_require(swe_context *ctx, const char *path, hid_t file,
                                const swe_quantity *quantity, const char *name, swe_variable *out);
void swe_variable_close(swe_variable *variable);

/* Write the shape, "(1, 6, 13, 13)". */
void swe_variable_shape(const swe_variable *variable, char *out, size_t size);

/* Read all values into a memory space, in row-major order. Errors: SWE_DATA. */
swe_status swe_variable_read(swe_context *ctx, const swe_variable *variable, hid_t memory,
                             double *values);

/* Read a panel of a variable of shape (6, rows, columns), or (1, 6, rows, columns), into rows of
 * layout->pitch values. Panel 0 comes first: with it the storage of all is checked. Errors:
 * SWE_DATA (unreadable; a value is missing or not finite). */
swe_status swe_variable_read_panel(swe_context *ctx, const swe_variable *variable,
                                   const swe_layout *layout, int rows, int columns, int panel,
                                   double *values);

/* Name of the coordinate variable that netCDF-4 attaches to a dimension; "": unknown. */
void swe_variable_dimension_scale(const swe_variable *variable, int dimension,
                                  char name[HDF5_NAME_SIZE]);

/* Whether a value marks a missing one (_FillValue, missing_value, netCDF's default fill value). */
bool swe_variable_is_missing(const swe_variable *variable, double value);

#endif
