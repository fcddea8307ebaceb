/* FIELDS BY PANELS: initial files and checkpoints are read and written one panel of a field at a
 * time, so that no process needs memory for whole fields that are spread over ranks.
 *
 * A panel is (n + 1) rows of layout.pitch doubles in host memory. Fields that are spread over ranks
 * are read and written by messages, which only the main thread may send. */
#ifndef SWE_FIELDS_PANELS_H
#define SWE_FIELDS_PANELS_H

#include "base/context.h"
#include "base/precision.h"

/* A file that has fields as arrays [panel][row][column] of values in little-endian order: field
 * number k from byte first[k] on. */
typedef struct swe_field_places {
    const char *path, *name; /* name: in messages */
    swe_precision precision;
    int count;
    const long long *first; /* (count) */
} swe_field_places;

/* READ sets the fields. */
typedef enum swe_file_access { SWE_FILE_WRITE, SWE_FILE_READ, SWE_FILE_COMPARE } swe_file_access;

typedef struct swe_panels {
    void *fields;
    /* A panel of field number k: its address in the field, valid until the field changes, or a copy
     * in `room`, which has the size of one panel. */
    const double *(*get)(void *fields, int k, int panel, double *room);
    /* NULL: the fields are read-only. */
    void (*set)(void *fields, int k, int panel, const double *values);
    /* All ranks access a file at once, each with its own rows. NULL: not available. Errors:
     * SWE_UNAVAILABLE (a rank does not see the file), SWE_IO, SWE_DATA (a value is not finite),
     * SWE_NO_MEMORY. */
    swe_status (*access)(swe_context *ctx, void *fields, const swe_field_places *places,
                         swe_file_access access);
} swe_panels;

static inline const double *swe_panels_get(const swe_panels *panels, int k, int panel, double *room)
{
    return panels->get(panels->fields, k, panel, room);
}

static inline void swe_panels_set(const swe_panels *panels, int k, int panel, const double *values)
{
    panels->set(panels->fields, k, panel, values);
}

#endif
