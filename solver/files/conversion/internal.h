/* State of a conversion, shared by conversion.c and the writers of the formats. */
#ifndef SWE_FILES_CONVERSION_INTERNAL_H
#define SWE_FILES_CONVERSION_INTERNAL_H

#include "files/conversion/conversion.h"
#include "files/conversion/field_reader.h"
#include "files/conversion/interpolation.h"
#include "files/conversion/mesh.h"
#include "base/output_file.h"

typedef struct converter {
    const swe_conversion *request;
    const char *const *paths;
    int count;
    swe_field_reader reader;  /* the input file that is open */
    swe_vertex_field *fields; /* (field_count), the converted fields, as in the first file */
    int field_count;
    double *times; /* (count) */
    char time_units[FIELD_TEXT_SIZE];
    double radius;                  /* of all files, as in the reader */
    swe_grid *grid;                 /* of the input files, on the unit sphere */
    swe_latlon *latlon;             /* target grid, or NULL */
    swe_mesh *mesh;                 /* target mesh, or NULL */
    size_t points;                  /* of a converted field */
    double *lons, *lats, *field[3]; /* in the layout of the input grid */
    double *out[2]; /* converted fields (points); out[0] also holds coordinates, 4 points + 2 */
} converter;

/* The vector of which a field is the eastward or northward component, by its standard name: "wind"
 * of "eastward_wind"; NULL: no component. */
const char *converter_vector(const swe_vertex_field *field, bool *is_eastward);
/* Index of the other component of that vector; -1: missing, or no component. */
int converter_other_component(const swe_vertex_field *fields, int count, int field);

/* Read a field of the open file and convert it to the target grid; `values` points into `out`.
 * Errors: SWE_DATA. */
swe_status converter_regrid(swe_context *ctx, converter *c, const char *name, double **values);

/* Write all files to `out`; the first file is open in `reader`. Errors: of reading,
 * SWE_CANNOT_CREATE, SWE_IO. */
swe_status converter_write_netcdf(swe_context *ctx, converter *c, swe_output_file *out);
/* Write one file on a mesh to `out`. Errors: as above. */
swe_status converter_write_vtu(swe_context *ctx, converter *c, swe_output_file *out);

#endif
