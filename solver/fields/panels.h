/* FIELDS BY PANELS: files, errors and initial states read and write fields one panel at a time, so
 * that no process needs room for the fields of a sphere that is spread over ranks.
 *
 * A panel is (n + 1) rows of layout.pitch doubles in host memory. Fields that are spread over ranks
 * are read and written by messages, which the main thread alone may send. */
#ifndef SWE_FIELDS_PANELS_H
#define SWE_FIELDS_PANELS_H

typedef struct swe_panels {
    void *fields;
    /* A panel of field number k: where it lies, until the field changes, or a copy in `room`, of
     * one panel. */
    const double *(*get)(void *fields, int k, int panel, double *room);
    /* NULL: they are read alone. */
    void (*set)(void *fields, int k, int panel, const double *values);
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
