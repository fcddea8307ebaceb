/* A small trace in which every member that an output reads has a value: two steps of two
 * evaluations each, two CPU threads, two streams, copies, fills, a graph, calls, samples of a GPU,
 * device memory, drops, a warning, and awkward texts. */
#ifndef TESTS_PROFILING_SAMPLE_TRACE_H
#define TESTS_PROFILING_SAMPLE_TRACE_H

#include <jansson.h>

#include "window/trace.h"

/* `gpu` false: what a run on the CPU records, without operations, calls and samples. */
prof_trace *sample_trace(bool gpu);

/* The whole trace as JSON, for readers in other languages. */
json_t *sample_trace_json(const prof_trace *trace);

#endif
