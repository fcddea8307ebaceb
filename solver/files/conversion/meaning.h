/* Attributes that change the meaning of a variable of an untrusted file: every reader applies them
 * or refuses the variable.
 *
 *     scale_factor, add_offset   refused unless 1 and 0
 *     units                      applied, or refused if they are not a quantity's
 *     standard_name              refused if it is not a quantity's
 *     positive                   `down` is applied to an altitude, refused elsewhere
 *     _FillValue, missing_value, valid_min, valid_max, valid_range   mark missing values */
#ifndef SWE_FILES_CONVERSION_MEANING_H
#define SWE_FILES_CONVERSION_MEANING_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"

enum { QUANTITY_MAX_NAMES = 6, MEANING_MAX_FILLS = 17 };

/* Spellings of a unit, "m|metre"; `factor` converts to the quantity's. */
typedef struct swe_unit {
    const char *names;
    double factor;
} swe_unit;

/* A physical quantity: accepted names in order of preference, standard names "a|b" that identify
 * it, accepted parts of other standard names, and units. Messages show the first unit; the first
 * unit of an axis identifies the axis. Lists end with NULL. */
typedef struct swe_quantity {
    const char *meaning;
    const char *names[QUANTITY_MAX_NAMES];
    const char *standard_names, *parts[QUANTITY_MAX_NAMES];
    const swe_unit *units;
    bool is_altitude; /* upwards; a depth has the other sign */
} swe_quantity;

extern const swe_quantity swe_quantity_latitude, swe_quantity_longitude;
extern const swe_quantity swe_quantity_any; /* any unit, direction and standard name */

typedef struct swe_meaning {
    double factor; /* to the quantity's unit and direction */
    double least, most;
    int fill_count;
    double fill_values[MEANING_MAX_FILLS]; /* of attributes, and netCDF's default */
} swe_meaning;

/* Find the meaning of dataset `name` of a file. Errors: SWE_DATA. */
swe_status swe_meaning_find(swe_context *ctx, const char *path, const char *name, hid_t dataset,
                            const swe_quantity *quantity, swe_meaning *out);

/* Set `count` stored numbers to the values that they mean, missing values to NaN. Returns whether a
 * value is missing. */
bool swe_meaning_apply(const swe_meaning *meaning, size_t count, double *values);

/* Read a coordinate of one dimension and `length` numbers, which hdf5_shape has found.
 * Errors: SWE_DATA (also values that are missing or not finite). */
swe_status swe_meaning_read(swe_context *ctx, const char *path, const char *name, hid_t dataset,
                            const swe_quantity *quantity, hsize_t length, double *values);

/* Refuse files of this program that hold no fields at the points of a grid. Errors: SWE_DATA. */
swe_status swe_meaning_check_file(swe_context *ctx, const char *path, hid_t file);

#endif
