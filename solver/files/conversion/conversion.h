/* Conversion of field files for other programs: netCDF-4 with CF attributes, or VTK. */
#ifndef SWE_FILES_CONVERSION_CONVERSION_H
#define SWE_FILES_CONVERSION_CONVERSION_H

#include "base/context.h"

typedef enum swe_conversion_format {
    SWE_TO_LATLON, /* netCDF-4 on a regular longitude-latitude grid */
    SWE_TO_UGRID,  /* netCDF-4 on the cubed sphere as a mesh (UGRID 1.0) */
    SWE_TO_VTU     /* unstructured grid of VTK; one file only */
} swe_conversion_format;

typedef struct swe_conversion {
    swe_conversion_format to;
    int nlon, nlat;     /* of SWE_TO_LATLON; 0: 4 n, and half of nlon */
    const char *fields; /* names to convert, "h,u"; NULL: all */
} swe_conversion;

/* Convert `count` field files, in ascending order of time, to one file. An existing file `output`
 * is replaced. Errors: as in swe_field_reader_open, SWE_DATA (the files do not match, or a
 * requested field is missing), SWE_NO_MEMORY, SWE_CANNOT_CREATE, SWE_IO; after an error `output` is
 * unchanged. */
swe_status swe_convert(swe_context *ctx, const swe_conversion *conversion, const char *const *paths,
                       int count, const char *output);

#endif
