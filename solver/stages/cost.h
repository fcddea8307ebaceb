/* THE STATIC COST of every stage and kernel: the least work of one call, as a function of n, order,
 * flow and backend. cost_table.inc holds polynomials in n. tests/support/counting writes it: it
 * runs the stages with a number type that counts its operations.
 *
 *     Bytes    array values read and array values written, each once. Other arguments
 *              (operators, topology, constants) cost nothing.
 *     FLOPs    an addition, subtraction, multiplication, division or square root is one each, so a
 *              fused multiply-add is two; signs, comparisons and conversions are none. A weight
 *              of a closure counts even if it is 0, and so does a component of a panel's frame.
 *
 * In rotational flows on a CPU transport computes v of inner cells and momentum v of the other
 * cells; on a GPU momentum computes v of all cells (transport_point.h). The counts hold for one
 * thread. With several threads momentum also computes order - 1 rows of inner cells where the rows
 * of two threads meet.
 *
 * On a GPU the cost of a sweep is divided between the kernels fused and march in proportion to
 * their vertices.
 *
 * The cost of a call is the mean over the calls of a step: for rk4, transport and momentum over
 * their four substeps, for fused over its two sweeps, for projection in the staged pipeline over
 * its fields. No step calls integrals. A stage that is not active in a flow (swe_stage_is_active)
 * costs nothing. Buffers are named as in solver/README.md; h, v1, v2 is any state. Buffers within a
 * stage (cross1, cross2, edge) are counted like all others. If two kernels of a stage read the same
 * field of different states, the larger read counts.
 *
 * On CPU and GPU alike the code does more work than this:
 *
 *     - it computes constant expressions anew at every point (swe_cost.repeated);
 *     - fused and transport compute values between two tiles for both tiles;
 *     - squares of velocities for the head are computed at every point that reads them, except in
 *       transport on a CPU.
 *
 * The table counts these repeated terms as the code computes them:
 *
 *     - delta^2 in sat: three times at a point of an edge, for the velocities of both sides and for
 *       the flux; likewise in dissipation and the potential-vorticity flux, which transform
 *       vectors;
 *     - q at shared points in coriolis and transport, although both store only G at these points.
 *
 * The stage forcing has all its terms but drag and stirring. Viscosity is of order 2 and of v. A
 * prescribed flow has one term. A run with other terms has no costs of these stages
 * (swe_cost_case.physics). The projections of the limiter are not part of its cost, nor what
 * limits, decay and source of a tracer add to the stage tracer.
 *
 * If the copies of a cube vertex already agree, projection does not divide: this saves at most 24
 * FLOPs. tests/unit/test_cost_counted.c compares the table with counts at other n. */
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

enum { SWE_MOST_ACCESSES = 40, SWE_COST_BUFFERS = 56 };

typedef struct swe_cost {
    swe_operations formula;
    /* FLOPs that the code repeats at every point with the same result: products of constants (g/D,
     * H0/D, X^2 at X = +-1), (1/D)/Hv. A compiler may move them out of a loop; a GPU's threads
     * cannot. Not part of the FLOPs. */
    swe_operations repeated;
    prof_access accesses[SWE_MOST_ACCESSES];
    int access_count;
} swe_cost;

/* Costs of all kernels and stages; `profiled` has costs of active stages in the profiler's form. It
 * points into the same struct: do not copy the struct. `buffers`: shapes of the buffers that the
 * costs name. */
typedef struct swe_costs {
    swe_cost kernels[SWE_KERNEL_COUNT], stages[SWE_STAGE_COUNT];
    prof_cost profiled[SWE_STAGE_COUNT];
    int profiled_count;
    prof_buffer buffers[SWE_COST_BUFFERS];
} swe_costs;

/* Arguments of the costs: n cells a side at `order` (2, 4, 6), n at least as large as swe_sbp_find
 * requires. The pipeline decides which fields projection averages, the precision the size of a
 * value. */
typedef struct swe_cost_case {
    int n, order;
    swe_flow flow;
    swe_pipeline pipeline;
    swe_precision precision;
    bool inner_first; /* inner cells first, as on a CPU (backend.h) */
    bool leaps;       /* leapfrog; CPU */
    int advected; /* number of advected fields; if 0, the stages of advected fields cost nothing */
    const swe_physics *physics; /* of a run: `profiled` lacks the stages whose terms are not
                                   counted; NULL: it has all */
} swe_cost_case;

/* Compute the costs of all stages that are active in the flow. */
void swe_costs_count(const swe_cost_case *what, swe_costs *out);

double swe_cost_flops(swe_operations operations);
double swe_cost_bytes(const swe_cost *cost, bool writes);

#ifdef __cplusplus
}
#endif
#endif
