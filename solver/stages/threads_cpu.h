/* The share of a CPU thread in a stage. The profiler records it from the first row to the last, so
 * that waiting for other threads is not part of it. Loops end with `nowait`; threads_wait is the
 * barrier. */
#ifndef SWE_STAGES_THREADS_CPU_H
#define SWE_STAGES_THREADS_CPU_H

#include <omp.h>

#include "stages/rows_cpu.h"
#include "stages/team_cpu.h"
#include "stages/execution.h"
#include "stages/params.h"

static inline void thread_begin(const swe_execution *execution)
{
    if (execution->profiler != NULL)
        prof_thread_begin(execution->profiler, omp_get_thread_num());
}

static inline void thread_end(const swe_execution *execution)
{
    if (execution->profiler != NULL)
        prof_thread_end(execution->profiler, omp_get_thread_num());
}

/* Wait for the team's other threads; what they wrote may be read afterwards. */
static inline void threads_wait(const swe_execution *execution)
{
    if (omp_get_num_threads() > 1)
        swe_team_wait(execution->team);
}

/* Thread t of T has share t of the rows of vertices, and of the tiles, of every panel, so that the
 * results of one stage are in its core's cache for the next. */
static inline rows_range threads_share(int points)
{
    return rows_share(points, omp_get_thread_num(), omp_get_num_threads());
}

/* A thread's scratch: params->scratch has `size` values for each thread. */
static inline real *threads_scratch(const swe_params *params, size_t size)
{
    return params->scratch + (size_t)omp_get_thread_num() * size;
}

/* Execute a statement for a thread's rows; `row` counts rows of all panels, j those of one. */
#define FOR_THREAD_ROWS(params, row, j, ...)                                                       \
    for (int panel_of_rows = 0; panel_of_rows < SWE_PANELS; panel_of_rows++) {                     \
        const rows_range share = threads_share((params)->layout.n + 1);                            \
        for (int j = share.first; j < share.last; j++) {                                           \
            const int row = panel_of_rows * ((params)->layout.n + 1) + j;                          \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

/* Index along an edge whose copy on a west or east side, if it has one, is in row j: points of
 * these sides are a row apart, those of other sides share cache lines. */
static inline int threads_edge_point(int n, swe_edge e, int j)
{
    const int rows_are_of_b = (e.side_a == SWE_SOUTH) | (e.side_a == SWE_NORTH);
    e.reversed &= rows_are_of_b;
    return topology_place_of_b(n, e, j);
}

/* Execute a statement for the indices k of every edge, ends included, that are in a thread's
 * rows. */
#define FOR_THREAD_EDGE_POINTS(params, edge, k, ...)                                               \
    for (int edge = 0; edge < SWE_EDGES; edge++) {                                                 \
        const rows_range share = threads_share((params)->layout.n + 1);                            \
        for (int row = share.first; row < share.last; row++) {                                     \
            const int k =                                                                          \
                threads_edge_point((params)->layout.n, (params)->topology.edges[edge], row);       \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }

/* Execute a statement for the `copies` of each shared point, divided among the threads: along the
 * edges, vectorised where the compiler can, and at the cube's vertices. */
#define FOR_SHARED_POINTS(params, copies, ...)                                                     \
    do {                                                                                           \
        const int n = (params)->layout.n;                                                          \
        const rows_range inner = {1, n}, rows = threads_share(n + 1);                              \
        const int first = rows_clamp(rows.first, inner), last = rows_clamp(rows.last, inner);      \
        for (int edge = 0; edge < SWE_EDGES; edge++) {                                             \
            const swe_edge e = (params)->topology.edges[edge];                                     \
            ROWS_VECTOR for (int row = first; row < last; row++)                                   \
            {                                                                                      \
                const topology_copies copies =                                                     \
                    topology_of_edge(n, e, threads_edge_point(n, e, row));                         \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
        }                                                                                          \
        const rows_range corners = threads_share(SWE_CORNERS);                                     \
        for (int corner = corners.first; corner < corners.last; corner++) {                        \
            const topology_copies copies = topology_of_corner(&(params)->topology, n, corner);     \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)

#endif
