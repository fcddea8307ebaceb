/* Names in an XPlane file: interned texts, and names of operations. */
#ifndef PROFILING_OUTPUTS_XPLANE_XPLANE_NAMES_H
#define PROFILING_OUTPUTS_XPLANE_XPLANE_NAMES_H

#include <stdint.h>

#include "trace/trace.h"

/* Interned texts: equal texts have the same number, 1, 2, ... in order of appearance. */
typedef struct xplane_name {
    char *text;
    const char *display; /* shown instead of the text; may be NULL */
} xplane_name;

typedef struct xplane_names {
    xplane_name *name; /* [count] */
    int32_t count;
    int32_t *slot; /* [size] hash table of numbers, 0 where free; size is a power of two or 0 */
    int32_t size;
} xplane_names;

/* The number of a text, which is copied; 0: out of memory. The display name is not copied; the
 * first call with a text determines it. */
int32_t xplane_names_find(xplane_names *names, const char *text, const char *display);
void xplane_names_destroy(xplane_names *names);

/* The name of an operation in XProf's form "scope/scope/name:type": the regions around `span` (-1:
 * none) within its step, then the stage. */
enum { XPLANE_OP_NAME_SIZE = 512 };
void xplane_op_name(const prof_trace *trace, int32_t span, const char *stage,
                    char text[XPLANE_OP_NAME_SIZE]);

#endif
