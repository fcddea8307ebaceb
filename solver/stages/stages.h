/* THE STAGES, declared once. A stage is a batched kernel over all six panels. It has a folder of
 * its name, and it keeps its name in backends, tests, timings and reports. time/plan.c lists the
 * stages of a step in their order.
 *
 *     folder/<stage>_point.h   arithmetic at one point, shared by all backends
 *     folder/<stage>_cpu.c     loops over panels and rows
 *     folder/<stage>_cuda.cu   kernels and launches
 *
 * Stages are compiled for both precisions (base/real.h).
 *
 * Fields are [panel][j][i] in the layout of grid/layout.h and in the backend's memory. Their names
 * in the list below:
 *
 *   - `h` at vertices [m]: height above rest; in the nonlinear equations the depth of the fluid.
 *   - `v1` at cells along xi1 and vertices along xi2, written (c,v); `v2` at (v,c): covariant
 *     velocity [m2 s-1].
 *   - `f1`, `f2` where v1 and v2 are: contravariant flux J u^1, J u^2 [m2 s-1]; nonlinear: times h
 *     [m3 s-1].
 *   - `cross1`, `cross2`, `head`, `vorticity`, `pv_flux1`, `pv_flux2`, `edge`, `edge_vorticity`:
 *     work arrays (fields/fields.h).
 *   - `dh`, `dv1`, `dv2`: tendencies of h, v1 and v2.
 *   - `k`, `y`: tendency and state, h, v1, v2 one after the other.
 *   - `next`: three states, Y1 to Y3.
 *   - `substep`, `weight`: 0 to 3, and the weight of its tendency: dt/2, dt/2, dt, dt/6 [s]
 *     (rk4/rk4_point.h). Of damping and dissipation `weight` is their strength dt sigma c/(a D) and
 *     dt eps c/(a D) [1] (solver/THEORY.md).
 *   - `next_weight`: weight of the following substep; used when one sweep computes two substeps.
 *   - `mean1`, `mean2`, `shear1`, `shear2` of vorticity, scratch: means Pcv_k v_k at vertices, and
 *     their derivatives Dvc_1 mean2 at (c,v), Dvc_2 mean1 at (v,c), spacing 1.
 *   - `field` of tracer: number of the advected field. `c`, `g1`, `g2`, `e1`, `e2`, scratch of one
 *     field each: its concentration q/h at vertices, F_k Pvc_k c, and F_k Dvc_k c where F_k is.
 *   - `changes` of damping, (12, n + 1), scratch: change of the velocity out of side a at the inner
 *     points of each edge [m2 s-1].
 *   - `scratch` of dissipation: five fields (dissipation_scratch).
 *   - `rows`: sums of integrals, doubles in both precisions (integrals/integrals.h). There h is the
 *     address of a whole state, with its advected fields (fields/fields.h).
 *
 * A flow is rotational if it has rotation or is nonlinear. In the list,
 *
 *   - coriolis: W = -q k x (h u), a rotation by 90 degrees clockwise, q = (zeta + f)/h; linear:
 *     -f k x u.
 *   - sat: the own flux is F1 or F2 of the panel, extrapolated to the edge. The consensus flux is
 *     that of the mean of both panels' Cartesian velocities (v1 and v2, extrapolated to the edge),
 *     in the nonlinear equations times h; it has no upwind term.
 *   - tracer: q = h c of one advected field at the result of the substep (tracer_point.h).
 *   - damping: v_n, normal to a panel edge, changes by -`weight` times half the jump (as a
 *     velocity).
 *   - dissipation: Z is a Cartesian vector, a_k the covariant basis. Z is minus D^T D of the scaled
 *     mass flux, D the p-th differences, p = order/2 + 1.
 *
 * On the CPU all threads of a team call a stage and return from it when all of its work is done
 * (backend.h, share). Outside of a team one caller does all the work. On a GPU a stage starts its
 * kernels and returns (backend.h, synchronize). */
#ifndef SWE_STAGES_STAGES_H
#define SWE_STAGES_STAGES_H

#include <stdbool.h>

#include "base/context.h"
#include "stages/execution.h"
#include "stages/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/*  STAGE(name, what it computes, parameters, arguments)
 *
 *  `arguments` are what a step passes after the execution context and the kernel parameters; `s` is
 *  the substep of time/step.c. */
#define SWE_STAGE_LIST(STAGE)                                                                      \
    STAGE(projection, "mean of a field over the copies of each shared point",                      \
          (const swe_execution *execution, const swe_params *params, real *field), (s->projected)) \
    STAGE(contravariant, "F_k = J g^kk v_k + Pvc_k [J g^12 Pcv_m v_m], m the other direction",     \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, real *cross1, real *cross2, real *f1, real *f2),        \
          (s->at.h, s->at.v1, s->at.v2, s->work.cross1, s->work.cross2, s->work.f1, s->work.f2))   \
    STAGE(bernoulli, "head = h + b + K/g",                                                         \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, real *head),                                            \
          (s->at.h, s->at.v1, s->at.v2, s->work.head))                                             \
    STAGE(                                                                                         \
        vorticity, "zeta = Pcv_1 Pcv_2 (Dvc_1 v2 - Dvc_2 v1)/J",                                   \
        (const swe_execution *execution, const swe_params *params, const real *v1, const real *v2, \
         real *mean1, real *mean2, real *shear1, real *shear2, real *vorticity),                   \
        (s->at.v1, s->at.v2, s->work.cross1, s->work.cross2, s->k.v1, s->k.v2, s->work.vorticity)) \
    STAGE(gradient, "dv_k = -g Dvc_k head; the head of the linear equations is h",                 \
          (const swe_execution *execution, const swe_params *params, const real *head, real *dv1,  \
           real *dv2),                                                                             \
          (s->head, s->k.v1, s->k.v2))                                                             \
    STAGE(coriolis,                                                                                \
          "dv_k += Pvc_k W_k, W the mass flux rotated by 90 degrees, times (zeta + f)/h",          \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *vorticity, const real *f1, const real *f2, real *pv_flux1, real *pv_flux2,  \
           real *dv1, real *dv2),                                                                  \
          (s->at.h, s->work.vorticity, s->work.f1, s->work.f2, s->work.cross1, s->work.cross2,     \
           s->k.v1, s->k.v2))                                                                      \
    STAGE(divergence, "dh = -1/J (Dcv_1 F1 + Dcv_2 F2), in the linear equations times H0",         \
          (const swe_execution *execution, const swe_params *params, const real *f1,               \
           const real *f2, real *dh),                                                              \
          (s->work.f1, s->work.f2, s->k.h))                                                        \
    STAGE(sat, "dh += 1/J Hv^-1 (own - consensus normal flux) at edges, linear times H0",          \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, const real *f1, const real *f2, real *edge, real *dh),  \
          (s->at.h, s->at.v1, s->at.v2, s->work.f1, s->work.f2, s->work.edge, s->k.h))             \
    STAGE(rk4, "classical Runge-Kutta update of h, v1 and v2",                                     \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           const real *k, real *y, real *next),                                                    \
          (s->number, s->weight, s->k.h, s->y.h, s->next))                                         \
    STAGE(fused, "non-rotating: one substep, or two, in one sweep; h not yet projected",           \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           real next_weight, real *y, real *next),                                                 \
          (s->number, s->weight, s->next_weight, s->y.h, s->next))                                 \
    STAGE(transport,                                                                               \
          "rotational, first sweep: h of the next state, head and W; on a CPU most of v",          \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           real *y, real *next, real *head, real *pv_flux1, real *pv_flux2, real *edge_vorticity), \
          (s->number, s->weight, s->y.h, s->next, s->head, s->work.pv_flux1, s->work.pv_flux2,     \
           s->work.edge_vorticity))                                                                \
    STAGE(flux_projection, "one value of h, head and W at the copies of each shared point",        \
          (const swe_execution *execution, const swe_params *params, int substep, real *y,         \
           real *next, real *head, real *pv_flux1, real *pv_flux2, real *edge_vorticity),          \
          (s->number, s->y.h, s->next, s->head, s->work.pv_flux1, s->work.pv_flux2,                \
           s->work.edge_vorticity))                                                                \
    STAGE(momentum,                                                                                \
          "rotational, second sweep: v of the next state, dv_k = Pvc_k W_k - g Dvc_k head",        \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           const real *head, const real *pv_flux1, const real *pv_flux2, real *y, real *next),     \
          (s->number, s->weight, s->head, s->work.pv_flux1, s->work.pv_flux2, s->y.h, s->next))    \
    STAGE(tracer,                                                                                  \
          "q = h c of an advected field of the next state, dq = -1/J div (F c) in split form",     \
          (const swe_execution *execution, const swe_params *params, int field, int substep,       \
           real weight, const real *f1, const real *f2, real *c, real *g1, real *g2, real *e1,     \
           real *e2, real *y, real *next),                                                         \
          (s->field, s->number, s->weight, s->work.f1, s->work.f2, s->work.head, s->work.cross1,   \
           s->work.cross2, s->work.slope1, s->work.slope2, s->y.h, s->next))                       \
    STAGE(damping, "removes jumps of the normal flux at panel edges from v_n",                     \
          (const swe_execution *execution, const swe_params *params, real weight, const real *h,   \
           real *v1, real *v2, real *changes),                                                     \
          (s->dt * s->params->damping, s->y.h, s->y.v1, s->y.v2, s->scratch))                      \
    STAGE(dissipation, "v_k += Pvc_k (Z . a_k), Z high differences of the mass flux",              \
          (const swe_execution *execution, const swe_params *params, real weight, const real *h,   \
           real *v1, real *v2, real *scratch),                                                     \
          (s->dt * s->params->dissipation, s->y.h, s->y.v1, s->y.v2, s->scratch))                  \
    STAGE(integrals, "mass, energy, circulation and extremes of every row of every panel",         \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, const real *vorticity, double *rows),                   \
          (s->y.h, s->y.v1, s->y.v2, s->vorticity, s->rows))

/*  KERNEL(stage, name, threads of a block)
 *
 *  <name>_kernel in <stage>_cuda.cu, in the order of the launches; a call launches only those that
 *  it needs. Sizes of blocks: kernels.h. Of sat, `consensus` computes `edge` and `exchange` adds
 * the term to dh. Of integrals, `integrals` sums over the flow and `field_integrals` over each
 * advected field. Of dissipation, `flow` computes the scaled mass flux x at vertices, `force` Z .
 * a_k from the differences of x, and `slow` adds Pvc_k of it to v. */
#define SWE_KERNEL_LIST(KERNEL)                                                                    \
    KERNEL(projection, projection, LAUNCH_BLOCK_LINE)                                              \
    KERNEL(contravariant, cross, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(contravariant, flux, LAUNCH_BLOCK_POINTS)                                               \
    KERNEL(bernoulli, bernoulli, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(vorticity, mean, LAUNCH_BLOCK_POINTS)                                                   \
    KERNEL(vorticity, shear, LAUNCH_BLOCK_POINTS)                                                  \
    KERNEL(vorticity, vorticity, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(gradient, gradient, LAUNCH_BLOCK_POINTS)                                                \
    KERNEL(coriolis, pv_flux, LAUNCH_BLOCK_POINTS)                                                 \
    KERNEL(coriolis, project_pv_flux, LAUNCH_BLOCK_LINE)                                           \
    KERNEL(coriolis, accelerate, LAUNCH_BLOCK_POINTS)                                              \
    KERNEL(divergence, divergence, LAUNCH_BLOCK_POINTS)                                            \
    KERNEL(sat, consensus, LAUNCH_BLOCK_LINE)                                                      \
    KERNEL(sat, exchange, LAUNCH_BLOCK_LINE)                                                       \
    KERNEL(rk4, rk4, LAUNCH_BLOCK_VALUES)                                                          \
    KERNEL(fused, fused, LAUNCH_BLOCK_TILES)                                                       \
    KERNEL(fused, two_substeps, LAUNCH_BLOCK_TWO_SUBSTEPS)                                         \
    KERNEL(fused, last_two_substeps, LAUNCH_BLOCK_TWO_SUBSTEPS)                                    \
    KERNEL(transport, transport, LAUNCH_BLOCK_TILE)                                                \
    KERNEL(flux_projection, flux_projection, LAUNCH_BLOCK_LINE)                                    \
    KERNEL(momentum, momentum, LAUNCH_BLOCK_POINTS)                                                \
    KERNEL(tracer, concentration, LAUNCH_BLOCK_POINTS)                                             \
    KERNEL(tracer, tracer_flux, LAUNCH_BLOCK_POINTS)                                               \
    KERNEL(tracer, tracer, LAUNCH_BLOCK_POINTS)                                                    \
    KERNEL(damping, change, LAUNCH_BLOCK_LINE)                                                     \
    KERNEL(damping, damping, LAUNCH_BLOCK_LINE)                                                    \
    KERNEL(dissipation, flow, LAUNCH_BLOCK_TILES)                                                  \
    KERNEL(dissipation, project_flow, LAUNCH_BLOCK_LINE)                                           \
    KERNEL(dissipation, force, LAUNCH_BLOCK_POINTS)                                                \
    KERNEL(dissipation, project_force, LAUNCH_BLOCK_LINE)                                          \
    KERNEL(dissipation, slow, LAUNCH_BLOCK_POINTS)                                                 \
    KERNEL(integrals, integrals, LAUNCH_BLOCK_LINE)                                                \
    KERNEL(integrals, field_integrals, LAUNCH_BLOCK_LINE)

enum {
#define SWE_STAGE_ENUM(name, what, parameters, arguments) SWE_STAGE_##name,
    SWE_STAGE_LIST(SWE_STAGE_ENUM)
#undef SWE_STAGE_ENUM
        SWE_STAGE_COUNT
};

/* The two ways to compute a substep. Their results agree to rounding. */
typedef enum swe_pipeline {
    SWE_PIPELINE_FUSED,  /* fused, projection; rotational: transport, flux_projection, momentum */
    SWE_PIPELINE_STAGED, /* one stage for each term of the right-hand side, then rk4 */
    SWE_PIPELINES
} swe_pipeline;

const char *swe_pipeline_name(swe_pipeline pipeline);

/* Name of a stage and its meaning, from the list. Static strings. */
const char *swe_stage_name(int stage);
const char *swe_stage_meaning(int stage);

/* Whether a state of n cells a side with values of so many bytes exceeds the caches of a CPU. The
 * CPU then prefetches rows and, in a non-rotating flow, computes two substeps in one sweep
 * (fused/fused_cpu.c; number 39 of tools/lab). */
bool swe_state_exceeds_cache(int n, size_t bytes);

/* Whether a GPU computes two substeps of a non-rotating flow in one sweep
 * (fused/fused_two_substeps_cuda.h); its steps then alternate buffers (time/step.h). True where the
 * boundary strips, which are computed substep by substep, cover less than a third of a panel
 * (number 79 of tools/lab; knob two_substeps_from). */
bool swe_state_swaps_buffers(int n);

/* A backend's implementation of every stage, in one precision. */
typedef struct swe_stage_table {
#define SWE_STAGE_MEMBER(name, what, parameters, arguments) void(*name) parameters;
    SWE_STAGE_LIST(SWE_STAGE_MEMBER)
#undef SWE_STAGE_MEMBER
    /* Number of values of params->scratch that the stages need; NULL: none. */
    size_t (*scratch)(const swe_execution *execution, const swe_params *params);
    /* Set to zero the panels, `panels` in number, that start at `values` and that `reserve` of
     * backend.h left uninitialised. Each thread writes the rows that it computes later, so that the
     * pages are in its own memory. Within backend->share; NULL where memory is uniform. */
    void (*clear)(const swe_params *params, int panels, real *values);
    /* Query the device: set the launch limits in `execution` and the preferred split of shared
     * memory on the device. NULL: nothing to do. Errors: SWE_INTERNAL. */
    swe_status (*prepare)(swe_context *ctx, swe_execution *execution, const swe_params *params);
    bool swaps_buffers; /* steps alternate buffers where swe_state_swaps_buffers */
} swe_stage_table;

extern const swe_stage_table swe_stages_cpu REAL_SYMBOL(swe_stages_cpu);
extern const swe_stage_table swe_stages_cuda REAL_SYMBOL(swe_stages_cuda);

/* Run a stage as a region of its name: SWE_RUN(stages, gradient, execution, params, h, dv1, dv2).
 */
#define SWE_RUN(stages, stage, execution, ...)                                                     \
    (swe_region_begin(execution, SWE_STAGE_##stage), (stages)->stage(execution, __VA_ARGS__),      \
     swe_region_end(execution))

/* Begin and end a region (regions.h) around stages. The team's first thread reports it to the
 * profiler before any thread goes on. */
void swe_region_begin(const swe_execution *execution, int region);
void swe_region_end(const swe_execution *execution);

#define SWE_STAGE_DECLARE(name, what, parameters, arguments)                                       \
    void swe_##name##_cpu parameters REAL_SYMBOL(swe_##name##_cpu);                                \
    void swe_##name##_cuda parameters REAL_SYMBOL(swe_##name##_cuda);
SWE_STAGE_LIST(SWE_STAGE_DECLARE)
#undef SWE_STAGE_DECLARE

#ifdef __cplusplus
}
#endif
#endif
