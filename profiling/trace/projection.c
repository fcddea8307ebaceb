#include "trace/projection.h"

#include <stdlib.h>

static void enlarge(prof_projection *projection, prof_projection by)
{
    if (projection->ops == 0 || by.start < projection->start)
        projection->start = by.start;
    if (projection->ops == 0 || by.end > projection->end)
        projection->end = by.end;
    projection->ops += by.ops;
}

prof_projection *prof_project(const prof_trace *trace)
{
    prof_projection *of = calloc((size_t)trace->span_count + 1, sizeof *of);
    if (of == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->op_count; k++) {
        const prof_op *op = &trace->ops[k];
        if (op->span >= 0)
            enlarge(&of[op->span], (prof_projection){op->start, op->end, 1});
    }
    /* a parent comes before what it encloses: from the last span on, all below one are done */
    for (int64_t k = trace->span_count - 1; k >= 0; k--)
        if (of[k].ops > 0 && trace->spans[k].parent >= 0)
            enlarge(&of[trace->spans[k].parent], of[k]);
    return of;
}
