/* One variable of a netCDF-4 or HDF5 file that is not trusted: found by name or by attribute,
 * checked, read. */
#ifndef SWE_INPUT_VARIABLE_H
#define SWE_INPUT_VARIABLE_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"
#include "grid/layout.h"

enum { VARIABLE_NAME_SIZE = 64, VARIABLE_MAX_NAMES = 5, VARIABLE_MAX_FILLS = 17 };

/* A physical quantity: the names that are tried in turn, then the CF standard names, and the
 * spellings of its unit, the first of which messages show. Lists end with NULL. */
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
    hid_t dataset;    /* negative: there is none */
    char name[VARIABLE_NAME_SIZE];
    int rank;
    hsize_t lengths[4];
    int fill_count;
    double fill_values[VARIABLE_MAX_FILLS]; /* of missing values: attributes', and netCDF's own */
} swe_variable;

/* Find the variable of a quantity; `name`: under this name only, "": under the usual ones. Without
 * one, `out->dataset` is negative. Close it. Errors: SWE_DATA (two datasets have a standard name;
 * not of floating-point numbers in the file itself, packed, or in another unit; fill_values of missing
 * values that are no numbers). */
swe_status swe_variable_find(swe_context *ctx, const char *path, hid_t file,
                             const swe_quantity *quantity, const char *name, swe_variable *out);
/* The same; a variable that is not there is an error, too. */
swe_status swe_variable_require(swe_context *ctx, const char *path, hid_t file,
                             const swe_quantity *quantity, const char *name, swe_variable *out);
void swe_variable_close(swe_variable *variable);

/* Write "(1, 6, 13, 13)". */
void swe_variable_shape(const swe_variable *variable, char *out, size_t size);

/* Read all values into a memory space, row by row. Errors: SWE_DATA. */
swe_status swe_variable_read(swe_context *ctx, const swe_variable *variable, hid_t memory,
                             double *values);

/* Name of the coordinate variable that netCDF-4 attaches to a dimension; "": not known. */
void swe_variable_dimension_scale(const swe_variable *variable, int dimension, char name[VARIABLE_NAME_SIZE]);

/* Whether a value, as read, stands for a missing one (_FillValue, missing_value, netCDF's fill). */
bool swe_variable_is_missing(const swe_variable *variable, double value);

/* Check that values as read, (6, rows, columns) in the layout, are there and finite. Errors:
 * SWE_DATA with the first place where one is not. */
swe_status swe_variable_check(swe_context *ctx, const swe_variable *variable,
                              const swe_layout *layout, int rows, int columns,
                              const double *values);

#endif
