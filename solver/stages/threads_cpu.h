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

/* Thread t of T has share t of the rows of vertices, and of the tiles, of every block. The results
 * of one stage are then in the cache of its core for the next stage. */
static inline rows_range threads_share(int points)
{
    return rows_share(points, omp_get_thread_num(), omp_get_num_threads());
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The parts of a panel of which this rank owns blocks, the panels of which it owns a given part,
 * and the block. Without a decomposition a panel is one part. */

static inline int threads_parts(const swe_params *params)
{
    return params->decomposition != NULL ? params->decomposition->part_count : 1;
}

static inline swe_range threads_panels(const swe_params *params, int part)
{
    const swe_range all = {0, SWE_PANELS};
    return params->decomposition != NULL ? params->decomposition->part[part].panels : all;
}

static inline swe_block threads_block(const swe_params *params, int panel, int part)
{
    const swe_decomposition *d = params->decomposition;
    if (d != NULL)
        return d->block[panel * d->cut.blocks_2 * d->cut.blocks_1 + d->part[part].number];
    const rows_range all = {0, params->layout.n + 1};
    const swe_block whole = {panel, all, all, panel * params->layout.panel, 0, 0};
    return whole;
}

/* Execute a statement for each panel of a part. */
#define FOR_PANELS(params, part, panel, ...)                                                       \
    for (int panel = threads_panels(params, part).first;                                           \
         panel < threads_panels(params, part).last; panel++)                                       \
    __VA_ARGS__

/* Execute a statement for each block. Panels vary fastest, because they share metric terms. */
#define FOR_BLOCKS(params, block, ...)                                                             \
    for (int part_of_panel = 0; part_of_panel < threads_parts(params); part_of_panel++)            \
    FOR_PANELS(params, part_of_panel, panel_of_block, {                                            \
        const swe_block block = threads_block(params, panel_of_block, part_of_panel);              \
        __VA_ARGS__;                                                                               \
    })

/* A thread's share of a range. */
static inline rows_range threads_share_of(rows_range range)
{
    const rows_range share = threads_share(range.last - range.first);
    const rows_range moved = {range.first + share.first, range.first + share.last};
    return moved;
}

/* The cells of a block along a line of n cells, from its vertices on that line. */
SWE_POINT rows_range rows_cells_of(int n, rows_range vertices)
{
    const rows_range cells = {0, n};
    return rows_within(vertices, cells);
}

/* A thread's scratch: params->scratch has `size` values for each thread. */
static inline real *threads_scratch(const swe_params *params, size_t size)
{
    return params->scratch + (size_t)omp_get_thread_num() * size;
}

/* Execute a statement for a thread's rows j of each block. */
#define FOR_THREAD_ROWS(params, block, j, ...)                                                     \
    FOR_BLOCKS(params, block, {                                                                    \
        const rows_range share_of_rows = threads_share_of(block.j);                                \
        for (int j = share_of_rows.first; j < share_of_rows.last; j++) {                           \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    })

/* Index along an edge of the point whose copy on a west or east side, if it has such a copy, is in
 * row j. Points of west and east sides are a row apart; points of other sides share cache lines. */
static inline int threads_edge_point(int n, swe_edge e, int j)
{
    const int rows_are_of_b = (e.side_a == SWE_SOUTH) | (e.side_a == SWE_NORTH);
    e.reversed &= rows_are_of_b;
    return topology_place_of_b(n, e, j);
}

/* With a decomposition, execute a statement for each shared point that a block owns, divided among
 * the threads. */
#define FOR_OWN_SHARED_POINTS(params, point, ...)                                                  \
    do {                                                                                           \
        const rows_range share = threads_share((params)->decomposition->shared_count);             \
        for (int index = share.first; index < share.last; index++) {                               \
            const swe_shared_point *point = &(params)->decomposition->shared[index];               \
            if (!point->is_ghost) {                                                                \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Execute a statement for the `copies` of each shared point, divided among the threads: along the
 * edges, vectorised where the compiler can, and at the cube's vertices. With a decomposition it is
 * executed for each block that has the point, on that block's copies; ARE_BLOCKS is then 1, a
 * constant, otherwise 0. */
#define FOR_SHARED_POINTS(params, copies, ...)                                                     \
    do {                                                                                           \
        if ((params)->decomposition != NULL) {                                                     \
            enum { ARE_BLOCKS = 1 };                                                               \
            const swe_decomposition *d = (params)->decomposition;                                  \
            const rows_range on_edges = threads_share(d->shared_on_edges),                         \
                             at_corners = threads_share(d->shared_count - d->shared_on_edges);     \
            for (int point = on_edges.first; point < on_edges.last; point++) {                     \
                topology_copies copies = d->shared[point].copies;                                  \
                copies.count = 2; /* a constant, as below */                                       \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            for (int point = at_corners.first; point < at_corners.last; point++) {                 \
                topology_copies copies = d->shared[d->shared_on_edges + point].copies;             \
                copies.count = 3;                                                                  \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            break;                                                                                 \
        }                                                                                          \
        enum { ARE_BLOCKS = 0 };                                                                   \
        const swe_layout *layout = &(params)->layout;                                              \
        const int n = layout->n;                                                                   \
        const rows_range inner = {1, n}, rows = threads_share(n + 1);                              \
        const int first = rows_clamp(rows.first, inner), last = rows_clamp(rows.last, inner);      \
        for (int edge = 0; edge < SWE_EDGES; edge++) {                                             \
            const swe_edge e = (params)->topology.edges[edge];                                     \
            ROWS_VECTOR for (int row = first; row < last; row++)                                   \
            {                                                                                      \
                const topology_copies copies =                                                     \
                    topology_of_edge(layout, e, threads_edge_point(n, e, row));                    \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
        }                                                                                          \
        const rows_range corners = threads_share(SWE_CORNERS);                                     \
        for (int corner = corners.first; corner < corners.last; corner++) {                        \
            const topology_copies copies =                                                         \
                topology_of_corner(&(params)->topology, layout, corner);                           \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)

#endif
