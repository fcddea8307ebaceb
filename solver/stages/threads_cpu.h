/* What a CPU thread does of a stage, as the profiler sees it: from its first row to its last, so
 * that waiting for the other threads is not part of it. Loops between them end with `nowait`. */
#ifndef SWE_STAGES_THREADS_CPU_H
#define SWE_STAGES_THREADS_CPU_H

#include <omp.h>

#include "stages/rows_cpu.h"
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

/* Do a statement for a thread's own rows of vertices: of every panel, thread t of T has piece t of
 * T, as of tiles, so that what one stage leaves in a core's cache is there for the next. `row`
 * counts rows of all panels, j those of one. */
#define FOR_OWN_ROWS(view, row, j, ...)                                                            \
    for (int panel_of_rows = 0; panel_of_rows < SWE_PANELS; panel_of_rows++) {                     \
        const int all_rows = (view)->layout.n + 1;                                                 \
        const rows_range own = rows_piece(all_rows, omp_get_thread_num(), omp_get_num_threads());  \
        for (int j = own.first; j < own.last; j++) {                                               \
            const int row = panel_of_rows * all_rows + j;                                          \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

/* Place of an edge whose copy on a west or east side, if it has one, is in row j. */
SWE_POINT int threads_place(const swe_view *view, int edge, int j)
{
    const swe_edge e = view->topology.edges[edge];
    const int a_has_rows = e.side_a == SWE_WEST || e.side_a == SWE_EAST;
    return e.reversed && !a_has_rows ? view->layout.n - j : j;
}

/* Do a statement for the places k of every edge, ends among them, that are in a thread's own rows:
 * those along rows of a panel share cache lines, those across them do not. */
#define FOR_OWN_PLACES(view, edge, k, ...)                                                         \
    for (int edge = 0; edge < SWE_EDGES; edge++) {                                                 \
        const rows_range own =                                                                     \
            rows_piece((view)->layout.n + 1, omp_get_thread_num(), omp_get_num_threads());         \
        for (int row = own.first; row < own.last; row++) {                                         \
            const int k = threads_place(view, edge, row);                                          \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

/* Do a statement for the `copies` of each point that panels share, divided among the threads. */
#define FOR_SHARED_POINTS(view, copies, ...)                                                       \
    FOR_OWN_PLACES(                                                                                \
        view, edge_of_points, place,                                                               \
        if (place > 0 && place < (view)->layout.n) {                                               \
            const topology_copies copies =                                                         \
                topology_of_edge(&(view)->topology, (view)->layout.n, edge_of_points, place);      \
            __VA_ARGS__;                                                                           \
        })                                                                                         \
    for (int corner = omp_get_thread_num(); corner < SWE_CORNERS; corner += omp_get_num_threads()) \
    {                                                                                              \
        const topology_copies copies =                                                             \
            topology_of_corner(&(view)->topology, (view)->layout.n, corner);                       \
        __VA_ARGS__;                                                                               \
    }

#endif
