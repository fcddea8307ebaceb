/* Which operations of the GPU are part of a step. */
#ifndef PROFILING_OUTPUTS_XPLANE_LAUNCHES_H
#define PROFILING_OUTPUTS_XPLANE_LAUNCHES_H

#include "trace/trace.h"

/* A call that may have launched an operation, and the innermost region that called. */
typedef struct xplane_launch {
    uint32_t correlation;
    int32_t span;
} xplane_launch;

typedef struct xplane_step {
    int64_t start, end;
} xplane_step;

typedef struct xplane_launches {
    const prof_trace *trace;
    xplane_launch *launches; /* [launch_count] by correlation */
    xplane_step *steps;      /* [step_count] by start */
    int64_t launch_count, step_count;
} xplane_launches;

/* False if there is no memory. To be released in any case. */
bool xplane_launches_collect(xplane_launches *all, const prof_trace *trace);
void xplane_launches_release(xplane_launches *all);

/* Was an operation launched in a step, or, if its launch is not known, did it begin in one? */
bool xplane_is_of_step(const xplane_launches *all, const prof_op *op);

#endif
