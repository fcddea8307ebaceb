/* The planes of an XSpace. Each is appended to the file; false if there was no memory for it. */
#ifndef PROFILING_OUTPUTS_XPLANE_PARTS_H
#define PROFILING_OUTPUTS_XPLANE_PARTS_H

#include "outputs/xplane/plane.h"
#include "trace/trace.h"

/* /host:CPU: regions and CUDA calls by thread, and device memory. */
bool xplane_write_host(const prof_trace *trace, FILE *space);
/* Add the line of device memory to the plane of the host. */
void xplane_add_memory(const prof_trace *trace, xplane_plane *plane);
/* /device:GPU:N, one for each GPU: its streams. */
bool xplane_write_devices(const prof_trace *trace, FILE *space);

/* XProf gives GPU work that follows from no step to the step before it, which would then seem
 * longer. So this work is tied to an event that is the whole window, by these stats: XProf's own
 * for producers, consumers and roots of groups. */
enum { XPLANE_TIE_TYPE = 1, XPLANE_TIE_NUMBER = 1 };

/* -1, 0 or 1: for sorting. */
static inline int xplane_compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

#endif
