/* write_long_timeline DIR: the timeline of a window with more spans and operations than the limits
 * of the file: THREADS threads with SHARES shares each, whose starts follow from their index. */
#include <stdio.h>
#include <stdlib.h>

#include "outputs/output.h"
#include "sample_trace.h"

enum { THREADS = 3, SHARES = 10000, OPS = 20007 };

static void fill(prof_trace *trace)
{
    const prof_span share = trace->spans[trace->span_count - 1];
    const prof_op op = trace->ops[0];
    trace->span_count = (int64_t)THREADS * SHARES;
    for (int k = 0; k < THREADS * SHARES; k++) {
        trace->spans[k] = share;
        trace->spans[k].thread = k / SHARES;
        trace->spans[k].start = trace->start + 10 * (k % SHARES) + k / SHARES;
        trace->spans[k].end = trace->spans[k].start + 5;
    }
    trace->op_count = OPS;
    for (int k = 0; k < OPS; k++) {
        trace->ops[k] = op;
        trace->ops[k].start = trace->start + k;
        trace->ops[k].end = trace->ops[k].start + 1;
    }
}

int main(int argc, char **argv)
{
    swe_log log = {0};
    prof_trace *trace = sample_trace(true);
    if (argc != 2 || trace == NULL)
        return 64;
    prof_span *spans = realloc(trace->spans, (size_t)THREADS * SHARES * sizeof *spans);
    prof_op *ops = realloc(trace->ops, OPS * sizeof *ops);
    trace->spans = spans != NULL ? spans : trace->spans;
    trace->ops = ops != NULL ? ops : trace->ops;
    if (spans != NULL && ops != NULL)
        fill(trace);
    const bool written = prof_write_timeline(trace, argv[1], &log);
    prof_trace_destroy(&trace);
    return written && spans != NULL && ops != NULL ? 0 : 1;
}
