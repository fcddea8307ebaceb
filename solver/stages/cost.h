/* THE STATIC COST of every stage and kernel: what one call must do at the least. Functions of n,
 * the order, the flow and what a backend leaves to which stage: both closures of order 4 have the
 * same widths. tests/support/counting runs the stages with numbers that count and writes
 * cost_table.inc, polynomials in n.
 *
 * Bytes    values of arrays that are read and that are written, each once. Arguments that
 *          are not arrays (operators, topology, constants) cost nothing.
 * FLOPs    an addition or subtraction, a multiplication, a division and a square root are one
 *          each, so that a fused multiply-add is two; signs, comparisons and conversions are none.
 *          A weight of a closure counts though it is 0, and so does a component of a panel's frame.
 *
 * Where the flow rotational, transport makes v of inner cells on a CPU, whose operators take no
 * shared point, and momentum that of the others; on a GPU momentum makes all (transport_point.h).
 * Counted as one thread does it: of several, momentum makes order - 1 rows of inner cells where the
 * rows of two meet.
 *
 * Of a state that streams from memory (swe_state_exceeds_cache) fused takes two substeps in a sweep
 * on a CPU: counted is what a sweep reads and writes, half of it for each of the two calls. So does
 * a GPU of larger ones (swe_state_swaps_buffers), within frames of panels, by a kernel of its own.
 *
 * A call is the mean of those in a step: rk4, fused, transport and momentum of their four substeps,
 * projection in the staged pipeline of all fields that it is called for; integrals stands in none.
 * What does not serve a flow (swe_stage_is_active) costs nothing. Buffers have their names of
 * solver/README.md; h, v1, v2 is any state, the step's first or a next one. What a stage leaves to
 * itself (cross1, cross2, edge) is written and read like all else.
 *
 * Beyond this the code, on CPU and GPU alike,
 *  - computes anew at every point what only constants go into (swe_cost.repeated);
 *  - runs rk4 over whole rows with their padding: 2 % more values at n = 384;
 *  - in fused and transport makes what lies between two tiles for both;
 *  - squares velocities for the head at every place that takes them, but in transport on a CPU.
 * Counted as they are written are
 *  - delta^2 in sat: three times at a place of an edge, for the velocities of both sides and for
 *    the flux; likewise where dissipation and the pv_flux flux go to Cartesian vectors and back;
 *  - q at shared points in turn and transport, which only leave G there.
 * Where the copies of a cube vertex agree already, projection divides nothing: 24 FLOPs less at
 * most.
 * tests/unit/test_cost_counted.c counts at other n than those of the table. */
#ifndef SWE_STAGES_COST_H
#define SWE_STAGES_COST_H

#include "base/precision.h"
#include "profiler.h"
#include "stages/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct swe_operations {
    double additions, multiplications, divisions, roots;
} swe_operations;

enum { SWE_MOST_ACCESSES = 24 };

typedef struct swe_cost {
    swe_operations formula;
    /* What the code does besides, at every point, though it is the same for all: products of
     * constants (g/D, H0/D, X^2 at X = +-1), (1/D)/Hv. A compiler may take it
     * out of a loop; a GPU's threads cannot. Not in the FLOPs. */
    swe_operations repeated;
    prof_access accesses[SWE_MOST_ACCESSES];
    int access_count;
} swe_cost;

/* Of all kernels and stages; and of the stages that serve the flow as the profiler takes them,
 * which point into the same struct: it is not to be copied. */
typedef struct swe_costs {
    swe_cost kernels[SWE_KERNEL_COUNT], stages[SWE_STAGE_COUNT];
    prof_cost profiled[SWE_STAGE_COUNT];
    int profiled_count;
} swe_costs;

/* What costs are counted for: n cells a side at `order` (2, 4, 6), n as large as swe_sbp_find asks
 * for. The pipeline says only what projection is called for, and the precision what a value takes.
 */
typedef struct swe_cost_case {
    int n, order;
    swe_flow flow;
    swe_pipeline pipeline;
    swe_precision precision;
    bool inner_first; /* as a CPU does (backend.h) */
} swe_cost_case;

/* Those of all stages that serve the flow. */
void swe_costs_count(const swe_cost_case *what, swe_costs *out);

double swe_cost_flops(swe_operations operations);
double swe_cost_bytes(const swe_cost *cost, bool writes);

#ifdef __cplusplus
}
#endif
#endif
