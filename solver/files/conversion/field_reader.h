/* Reading an untrusted field file: fields at vertices, and attributes. */
#ifndef SWE_FILES_CONVERSION_FIELD_READER_H
#define SWE_FILES_CONVERSION_FIELD_READER_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"
#include "grid/grid.h"
#include "files/output/hdf5_reader.h"
#include "files/output/hdf5_writer.h"

enum { FIELD_TEXT_SIZE = 256 };

/* A dataset of shape (1, 6, n+1, n+1); without a time (6, n+1, n+1). */
typedef struct swe_vertex_field {
    char name[HDF5_NAME_SIZE];
    char standard_name[FIELD_TEXT_SIZE], units[FIELD_TEXT_SIZE]; /* "": none */
    bool has_time;
    bool is_single; /* numbers of at most 32 bits */
} swe_vertex_field;

typedef struct swe_field_reader {
    const char *path;
    hid_t file;
    int n;
    double time; /* in time_units */
    char time_units[FIELD_TEXT_SIZE];
    double radius;            /* of the sphere [m]; 0: not in the file */
    swe_vertex_field *fields; /* (count), in the order of the file */
    int count;
    char area[HDF5_NAME_SIZE]; /* dataset of the areas of the vertices; "": none */
} swe_field_reader;

/* n of a shape at the vertices of a cubed sphere, (6, n+1, n+1) or (1, 6, n+1, n+1); 0: another
 * shape, or n is out of range. */
int swe_cubed_n(const hsize_t *lengths, int rank);

/* Open a file and read its size, time and list of fields; the reader is closed after an error.
 * Errors: SWE_NO_INPUT, SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_field_reader_open(swe_context *ctx, const char *path, swe_field_reader *reader);
void swe_field_reader_close(swe_field_reader *reader);

/* Index of a field; -1: no such field. */
int swe_field_reader_find(const swe_field_reader *reader, const char *name);

/* Read longitudes and latitudes of the vertices [degree] into the layout of the grid.
 * Errors: SWE_DATA (unreadable, or not the vertices of the grid). */
swe_status swe_field_reader_coordinates(swe_context *ctx, const swe_field_reader *reader,
                                        const swe_grid *grid, double *lons, double *lats);

/* Create the lines of a file of n cells a panel side on the unit sphere: vertices at the panel
 * angles 'Xdim' and 'Ydim', else at the longitudes 'lons' of panel 0, if the file has them,
 * otherwise equispaced. The caller destroys them.
 * Errors: SWE_DATA (axes that are not angles from -45 to 45 degree that ascend and are odd, or that
 * differ; unreadable longitudes), SWE_NO_MEMORY. */
swe_status swe_field_reader_lines(swe_context *ctx, const char *path, hid_t file, int n,
                                  swe_grid **out);

/* Whether both have the same vertices. */
bool swe_field_reader_is_same(const swe_grid *a, const swe_grid *b);

/* Read a field into the layout of the grid; missing values become NaN, and the copies of
 * a shared vertex get their mean.
 * Errors: SWE_DATA. */
swe_status swe_field_reader_read(swe_context *ctx, const swe_field_reader *reader, const char *name,
                                 const swe_grid *grid, double *values);

/* Read the areas of the vertices; each copy of a shared vertex has the area within its panel.
 * Errors: SWE_DATA. */
swe_status swe_field_reader_areas(swe_context *ctx, const swe_field_reader *reader,
                                  const swe_grid *grid, double *values);

/* ---- attributes of untrusted HDF5 files ------------------------------------------------------ */

/* Read a text. False, with `text` empty: no such text, or it does not fit. */
bool swe_attribute_text(hid_t object, const char *name, char *text, size_t size);

/* Read `least` to `most` numbers. Returns their count; 0: no such attribute; -1: another count or
 * type. */
int swe_attribute_numbers(hid_t object, const char *name, int least, int most, double *numbers);

/* Copy texts and single numbers of an object, except attributes of netCDF-4 itself, of a grid, or
 * of one time. */
void swe_attributes_copy(hid_t from, hdf5_writer *writer, hid_t to);

#endif
