/* Field files of runs as files that other programs know: netCDF-4 with CF attributes, or VTK. */
#ifndef SWE_CONVERSION_CONVERSION_H
#define SWE_CONVERSION_CONVERSION_H

#include "base/context.h"

typedef enum swe_conversion_format {
    SWE_TO_LATLON, /* netCDF-4, a regular grid */
    SWE_TO_UGRID,  /* netCDF-4, the cubed sphere as a mesh */
    SWE_TO_VTU     /* VTK's unstructured grid, of one file */
} swe_conversion_format;

typedef struct swe_conversion {
    swe_conversion_format to;
    int nlon, nlat;     /* of latlon; 0: 4 n, and half of nlon */
    const char *fields; /* "h,u": these only; NULL: all */
} swe_conversion;

/* Write the fields of files, in the order of their times, to one file, in the place of what has its
 * name. Errors: those of swe_field_set, SWE_DATA (the files do not belong together, or have no such
 * field), SWE_NO_MEMORY, SWE_CANNOT_CREATE, SWE_IO; then nothing is left of it. */
swe_status swe_convert(swe_context *ctx, const swe_conversion *conversion, const char *const *paths,
                       int count, const char *output);

#endif
