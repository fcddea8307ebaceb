/* THE REACH of a stage: how much a step touches from one access of the stage's data to the next. A
 * cache that holds as much serves the stage; otherwise a larger one does, or the device's memory.
 *
 * The calls of a step repeat from step to step, and each runs through its buffers from their begin
 * to their end. A value is accessed again after the rest of the call that accessed it last, the
 * calls between, and the part of the present call that comes before it. The reach of a buffer in a
 * call is thus the mean of two sizes: that of all buffers of the earlier call and the calls
 * between, and that of all buffers of the calls between and the present one.
 *
 * The size of a buffer is what a call reads and writes of it, at most the buffer; where its shape
 * is not known, the larger of both. Where one call does the work of several, all of it counts. Of a
 * buffer that several calls access the largest size counts. A call that accesses less than a
 * quarter of what the present call does, such as an edge, is not the one that accessed it last. The
 * reach of a stage: half of the bytes of its calls have at most this reach.
 *
 * Not considered: the associativity of a cache, other programs, that stages run through their
 * buffers in tiles, several at a time, and that buffers of several names may share memory. */
#ifndef PROFILING_TRACE_REACH_H
#define PROFILING_TRACE_REACH_H

#include "trace/trace.h"

/* The stages that the first recorded step calls, in the order of their calls; of the steps in
 * graphs if no other was recorded. `names`: of the trace, released with free. False: out of memory.
 */
bool prof_step_calls(const prof_trace *trace, const char ***names, int32_t *count);

/* Reach of each cost's stage [bytes], NAN where the first recorded step does not call it; released
 * with free. NULL: out of memory. */
double *prof_reaches(const prof_trace *trace);

#endif
