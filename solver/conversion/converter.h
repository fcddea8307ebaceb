/* A conversion at work: what the writers of the formats share. */
#ifndef SWE_CONVERSION_CONVERTER_H
#define SWE_CONVERSION_CONVERTER_H

#include "conversion/conversion.h"
#include "conversion/field_set.h"
#include "conversion/latlon.h"
#include "conversion/mesh.h"
#include "output_file.h"

typedef struct converter {
    const swe_conversion *what;
    const char *const *paths;
    int count;
    swe_field_set set;                       /* the file that is read */
    swe_vertex_field fields[FIELD_SET_MOST]; /* what is written, as in the first file */
    int field_count;
    double *times;
    swe_grid *grid;
    swe_latlon *latlon; /* one of these two */
    swe_mesh *mesh;
    size_t points;                  /* of a field that is written */
    double *lons, *lats, *field[3]; /* in the grid's layout */
    double *out[2];                 /* (points), and room for coordinates */
} converter;

/* A field of the open file on the new grid; `values` points into `out`. Errors: SWE_DATA. */
swe_status converter_values(swe_context *ctx, converter *c, const char *name, double **values);

/* Write all files to one that was begun; `set` is the first file, open. Errors: those of reading,
 * SWE_CANNOT_CREATE, SWE_IO. */
swe_status converter_write_netcdf(swe_context *ctx, converter *c, prof_output_file *out);
/* The same for one file, and a mesh. */
swe_status converter_write_vtu(swe_context *ctx, converter *c, prof_output_file *out);

#endif
