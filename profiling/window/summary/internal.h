/* Sections of summary.json: each function sets records of a window from the trace. The pool owns
 * the arrays of the records; its member `failed` is set if memory was missing. `projections` is the
 * result of prof_project, one projection per span. */
#ifndef PROFILING_WINDOW_SUMMARY_INTERNAL_H
#define PROFILING_WINDOW_SUMMARY_INTERNAL_H

#include "base/json_reader.h"
#include "window/analysis.h"
#include "window/record.h"

/* Statistics of a group; with `count` 0 for NULL. */
prof_spread summary_spread(const prof_group *group);
/* Statistics of the first of at most one group. Destroys the groups. */
prof_spread summary_only_spread(pool *pool, prof_groups *groups);
/* An array for the records of groups, of `size` bytes each, and their number. NULL groups are a
 * lack of memory. */
void *summary_array(pool *pool, const prof_groups *groups, size_t size, int *count);

/* Host. */
void summary_steps(const prof_trace *trace, const prof_projection *projections, pool *pool,
                   prof_report_window *window);
void summary_regions(const prof_trace *trace, const prof_projection *projections, pool *pool,
                     prof_report_window *window);
void summary_threads(const prof_trace *trace, pool *pool, prof_report_window *window);
void summary_parts(const prof_trace *trace, pool *pool, prof_report_window *window);
void summary_calls(const prof_trace *trace, pool *pool, prof_report_window *window);

/* GPU. There is no `gpu` without a GPU and in mode counters, and there are no counters unless they
 * were measured. */
void summary_kernels(const prof_trace *trace, pool *pool, prof_report_window *window);
void summary_copies(const prof_trace *trace, pool *pool, prof_report_window *window);
void summary_stages(const prof_trace *trace, const prof_projection *projections, pool *pool,
                    prof_report_window *window);
void summary_gpu(const prof_trace *trace, pool *pool, prof_report_window *window);
void summary_counters(const prof_trace *trace, pool *pool, prof_report_window *window);

/* All ranks; none for one. */
void summary_ranks(const prof_trace *trace, pool *pool, prof_report_window *window);

/* The device that computed, CPU or GPU. */
void summary_memory(const prof_trace *trace, pool *pool, prof_report_window *window);
void summary_costs(const prof_trace *trace, pool *pool, prof_report_window *window);

#endif
