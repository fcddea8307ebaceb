/* What a CPU thread does of a stage, as the profiler sees it: from its first row to its last, so
 * that waiting for the other threads is not part of it. Loops between them end with `nowait`. */
#ifndef SWE_STAGES_THREADS_CPU_H
#define SWE_STAGES_THREADS_CPU_H

#include <omp.h>

#include "stages/view.h"

static inline void thread_begin(const swe_view *view)
{
    if (view->workers.profiler != NULL)
        prof_part_begin(view->workers.profiler, omp_get_thread_num());
}

static inline void thread_end(const swe_view *view)
{
    if (view->workers.profiler != NULL)
        prof_part_end(view->workers.profiler, omp_get_thread_num());
}

#define THREADS_SHARE _Pragma("omp for schedule(static) nowait")

/* Do a statement for the `copies` of each point that panels share, divided among the threads. */
#define FOR_SHARED_POINTS(view, copies, ...)                                                       \
    THREADS_SHARE for (int point = 0; point < topology_shared_points((view)->layout.n); point++)   \
    {                                                                                              \
        const topology_copies copies =                                                             \
            topology_shared_point(&(view)->topology, (view)->layout.n, point);                     \
        __VA_ARGS__;                                                                               \
    }

#endif
