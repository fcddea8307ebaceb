/* THE REACH of a stage: the bytes that a step accesses from one access of the stage's data to the
 * next. The smallest cache that holds the reach serves the stage; if no cache holds it, the
 * device's memory does.
 *
 * The calls of a step repeat from step to step, and each call runs through its buffers from begin
 * to end. Between two accesses of a value are the rest of the earlier call, the calls between, and
 * the first part of the present call. The reach of a buffer in a call is thus the mean of two
 * sizes: the size of all buffers of the earlier call and the calls between, and the size of all
 * buffers of the calls between and the present call.
 *
 * The size of a buffer in a call is the sum of the bytes read and written, at most the size of the
 * whole buffer; if the shape of the buffer is unknown, it is the larger of both. A call that does
 * the work of several stages counts with all their bytes. If several calls access a buffer, its
 * largest size counts. A call that accesses less of a buffer than a quarter of what the present
 * call accesses, such as an edge, does not count as an earlier access. The reach of a stage is the
 * median over the bytes of its calls: half of the bytes have at most this reach.
 *
 * Not considered: the associativity of a cache; other programs; stages that run through several
 * buffers at a time in tiles; buffers of different names that share memory. */
#ifndef PROFILING_WINDOW_REACH_H
#define PROFILING_WINDOW_REACH_H

#include "window/trace.h"

/* The stages that the first recorded step calls, in the order of their calls; of the steps in
 * graphs if no other was recorded. `names`: of the trace, released with free. False: out of memory.
 */
bool prof_step_calls(const prof_trace *trace, const char ***names, int32_t *count);

/* Reach of each cost's stage [bytes], NAN where the first recorded step does not call it; released
 * with free. NULL: out of memory. */
double *prof_reaches(const prof_trace *trace);

#endif
