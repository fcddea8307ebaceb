/* Texts and their numbers: equal texts have the same number, 1, 2, ... in order of appearance. */
#ifndef PROFILING_OUTPUTS_XPLANE_NAMES_H
#define PROFILING_OUTPUTS_XPLANE_NAMES_H

#include <stdint.h>

typedef struct xplane_name {
    char *text;
    const char *display; /* shown instead; NULL if there is none */
} xplane_name;

typedef struct xplane_names {
    xplane_name *name; /* [count] */
    int32_t count;
    int32_t *place; /* [size] numbers by hash, 0 where free; size is a power of two or 0 */
    int32_t size;
} xplane_names;

/* The number of a text, which is copied; 0 if there is no memory. The display name is not copied,
 * and is that of the first call with the text. */
int32_t xplane_names_find(xplane_names *names, const char *text, const char *display);
void xplane_names_destroy(xplane_names *names);

#endif
