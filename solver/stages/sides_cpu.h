/* Points of the sides of panels on the CPU, in batches. A stage calls the same functions for whole
 * panels and for blocks. The functions are not inlined into different loops: the compiler contracts
 * the same products, and the bits are the same. */
#ifndef SWE_STAGES_SIDES_CPU_H
#define SWE_STAGES_SIDES_CPU_H

#include "stages/threads_cpu.h"

enum { SIDE_BATCH = 64 };

/* Index k of a side of a panel whose vertex (0, 0) is at `at` in a field and at `metric` in a
 * metric term. */
typedef struct side_point {
    ptrdiff_t at, metric;
    int panel, side, k;
} side_point;

/* Index k of an edge, on its side a or b, of whole panels. */
static inline side_point side_point_a(const swe_params *params, swe_edge e, int k)
{
    const side_point p = {e.panel_a * params->layout.panel, 0, e.panel_a, e.side_a, k};
    return p;
}

static inline side_point side_point_b(const swe_params *params, swe_edge e, int k)
{
    const side_point p = {e.panel_b * params->layout.panel, 0, e.panel_b, e.side_b,
                          topology_place_of_b(params->layout.n, e, k)};
    return p;
}

/* The depth of nonlinear equations; linear ones do not read it. */
static inline real side_depth(const swe_params *params, const real *h)
{
    return params->physics.equations == SWE_LINEAR ? 0 : *h;
}

/* Execute a statement for batches of `count` indices k[c] of each edge, in a thread's rows. */
#define FOR_THREAD_EDGE_BATCHES(params, edge, count, k, ...)                                       \
    do {                                                                                           \
        const rows_range share = threads_share((params)->layout.n + 1);                            \
        int k[SIDE_BATCH] = {0};                                                                   \
        for (int edge = 0; edge < SWE_EDGES; edge++)                                               \
            for (int first = share.first; first < share.last; first += SIDE_BATCH) {               \
                const int left = share.last - first,                                               \
                          count = left < SIDE_BATCH ? left : SIDE_BATCH;                           \
                for (int c = 0; c < count; c++)                                                    \
                    k[c] = threads_edge_point((params)->layout.n, (params)->topology.edges[edge],  \
                                              first + c);                                          \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
    } while (0)

#endif
