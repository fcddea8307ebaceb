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

/* Of every panel, thread t of T has piece t of T of the rows of vertices, as of tiles, so that what
 * one stage leaves in a core's cache is there for the next. */
static inline rows_range threads_piece(int places)
{
    return rows_piece(places, omp_get_thread_num(), omp_get_num_threads());
}

/* A thread's part of view->scratch, in which each has `size` values. */
static inline real *threads_scratch(const swe_view *view, size_t size)
{
    return view->scratch + (size_t)omp_get_thread_num() * size;
}

/* Do a statement for a thread's rows; `row` counts rows of all panels, j those of one. */
#define FOR_OWN_ROWS(view, row, j, ...)                                                            \
    for (int panel_of_rows = 0; panel_of_rows < SWE_PANELS; panel_of_rows++) {                     \
        const rows_range own = threads_piece((view)->layout.n + 1);                                \
        for (int j = own.first; j < own.last; j++) {                                               \
            const int row = panel_of_rows * ((view)->layout.n + 1) + j;                            \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

/* Place of an edge whose copy on a west or east side, if it has one, is in row j: there places are
 * rows apart, along the other sides they share cache lines. */
static inline int threads_place(const swe_view *view, int edge, int j)
{
    const swe_edge e = view->topology.edges[edge];
    const int a_has_rows = e.side_a == SWE_WEST || e.side_a == SWE_EAST;
    return e.reversed && !a_has_rows ? view->layout.n - j : j;
}

/* Do a statement for the places k of every edge, ends among them, that are in a thread's rows. */
#define FOR_OWN_PLACES(view, edge, k, ...)                                                         \
    for (int edge = 0; edge < SWE_EDGES; edge++) {                                                 \
        const rows_range own = threads_piece((view)->layout.n + 1);                                \
        for (int row = own.first; row < own.last; row++) {                                         \
            const int k = threads_place(view, edge, row);                                          \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

/* A thread's share of the points of an edge but its ends, or after the last edge of the cube's
 * vertices; and the copies of one of them. */
static inline rows_range threads_shared(const swe_view *view, int edge)
{
    const rows_range inner = {1, view->layout.n}, own = threads_piece(view->layout.n + 1);
    const rows_range inside = {rows_clamp(own.first, inner), rows_clamp(own.last, inner)};
    return edge < SWE_EDGES ? inside : threads_piece(SWE_CORNERS);
}

static inline topology_copies threads_copies(const swe_view *view, int edge, int point)
{
    const int n = view->layout.n;
    return edge < SWE_EDGES
               ? topology_of_edge(&view->topology, n, edge, threads_place(view, edge, point))
               : topology_of_corner(&view->topology, n, point);
}

/* Do a statement for the `copies` of each point that panels share, divided among the threads. */
#define FOR_SHARED_POINTS(view, copies, ...)                                                       \
    for (int edge_of_points = 0; edge_of_points <= SWE_EDGES; edge_of_points++) {                  \
        const rows_range own = threads_shared(view, edge_of_points);                               \
        for (int point = own.first; point < own.last; point++) {                                   \
            const topology_copies copies = threads_copies(view, edge_of_points, point);            \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

#endif
