/* THE RANKS of a window: what each did in a step, for comparison. Times are ns of a step on the
 * device that computed, medians over the steps of the window; numbers and bytes are means. */
#ifndef PROFILING_WINDOW_RANKS_H
#define PROFILING_WINDOW_RANKS_H

#include "window/trace.h"

/* A stage on one rank. */
typedef struct prof_rank_stage {
    const char *name; /* of the trace of rank 0 */
    double time;      /* NAN: unknown, on a GPU without a trace */
    double exposed;   /* the part of it in which the device waits for messages; NAN: unknown, as
                         with NCCL, where kernels wait */
    double work;      /* the rest; NAN: unknown */
    double exchanges, messages, received_bytes;
} prof_rank_stage;

struct prof_rank {
    int64_t rank;
    const char *host, *device;
    int64_t process, threads;                   /* threads: 0 or less: unknown */
    double share;                               /* of the work, 0..1 */
    double clock_difference, clock_uncertainty; /* to the clock of rank 0, by which its times were
                                                   corrected [ns] */
    double step;                                /* time of a step; 0 or NAN: none was recorded */
    double work, exposed; /* of all stages, without waits for messages; the waits; NAN: unknown */
    double messages, received, sent; /* number of received ones; bytes */
    double memory_peak;
    int64_t dropped;         /* records of the window */
    prof_rank_stage *stages; /* in the order of their first calls; not of reports */
    int32_t stage_count;
};

/* Set what the trace of a rank tells, but its clock; names are interned by `owner`. False without
 * memory. */
bool prof_rank_of(const prof_trace *trace, prof_trace *owner, prof_rank *out);
void prof_ranks_destroy(prof_rank *ranks, int32_t count);

/* The stage of a name; NULL: the rank did not call it. */
const prof_rank_stage *prof_rank_stage_named(const prof_rank *rank, const char *name);

#endif
