/* The fields at vertices of a field file, read to be shown elsewhere. What is in a file is not
 * trusted. */
#ifndef SWE_CONVERSION_FIELD_SET_H
#define SWE_CONVERSION_FIELD_SET_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"
#include "grid/grid.h"

enum { FIELD_SET_MOST = 64, FIELD_SET_NAME_SIZE = 64, FIELD_SET_TEXT_SIZE = 256 };

/* A dataset of shape (1, 6, n+1, n+1), or (6, n+1, n+1) of a field that no time changes. */
typedef struct swe_vertex_field {
    char name[FIELD_SET_NAME_SIZE];
    char standard_name[FIELD_SET_TEXT_SIZE]; /* "": none */
    bool has_time;
    bool is_single; /* numbers of 32 bits at most */
} swe_vertex_field;

typedef struct swe_field_set {
    const char *path;
    hid_t file;
    int n;
    double time; /* in time_units */
    char time_units[FIELD_SET_TEXT_SIZE];
    double radius;                           /* of the sphere [m]; 0: the file has none */
    swe_vertex_field fields[FIELD_SET_MOST]; /* in the order of the file */
    int count;
    char area[FIELD_SET_NAME_SIZE]; /* dataset of the vertices' areas; "": none */
} swe_field_set;

/* Look at a file: its size, time and fields; `set` is closed after a failure.
 * Errors: SWE_NO_INPUT, SWE_DATA. */
swe_status swe_field_set_open(swe_context *ctx, const char *path, swe_field_set *set);
void swe_field_set_close(swe_field_set *set);

/* Index of a field; -1 if there is none of the name. */
int swe_field_set_find(const swe_field_set *set, const char *name);

/* Read longitudes and latitudes of the vertices [degree] into arrays of the grid's layout.
 * Errors: SWE_DATA (they cannot be read, or are not those of the grid). */
swe_status swe_field_set_coordinates(swe_context *ctx, const swe_field_set *set,
                                     const swe_grid *grid, double *lons, double *lats);

/* Read a field of the set into an array of the grid's layout; the copies of a shared vertex get
 * their mean. Errors: SWE_DATA. */
swe_status swe_field_set_read(swe_context *ctx, const swe_field_set *set, const char *name,
                              const swe_grid *grid, double *values);

/* Read the areas of the vertices, each copy with its panel's part. Errors: SWE_DATA. */
swe_status swe_field_set_areas(swe_context *ctx, const swe_field_set *set, const swe_grid *grid,
                               double *values);

#endif
