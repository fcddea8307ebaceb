/* Field files of runs as files of grids that other programs know: netCDF-4, CF. */
#ifndef SWE_CONVERSION_CONVERSION_H
#define SWE_CONVERSION_CONVERSION_H

#include "base/context.h"

typedef enum swe_conversion_grid { SWE_TO_LATLON, SWE_TO_UGRID } swe_conversion_grid;

typedef struct swe_conversion {
    swe_conversion_grid to;
    int nlon, nlat;     /* of latlon; 0: 4 n, and half of nlon */
    const char *fields; /* "h,u": these only; NULL: all */
} swe_conversion;

/* Write the fields of files, in the order of their times, to one file, in the place of what has its
 * name. Errors: those of swe_field_set, SWE_DATA (the files do not belong together, or have no such
 * field), SWE_NO_MEMORY, SWE_CANNOT_CREATE, SWE_IO; then nothing is left of it. */
swe_status swe_convert(swe_context *ctx, const swe_conversion *conversion, const char *const *paths,
                       int count, const char *output);

#endif
