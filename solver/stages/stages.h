/* THE STAGES
 *
 * One list. Each stage is a batched kernel over all six panels, has a folder of its name here, and
 * keeps that name in backends, tests, timings and reports. The right-hand side and the time step
 * are lists of them in time/plan.c.
 *
 *     folder/<stage>_point.h   the arithmetic at one point, shared by all backends
 *     folder/<stage>_cpu.c     loops over panels and rows
 *     folder/<stage>_cuda.cu   kernels and launches
 *
 * They are compiled for both precisions, as base/real.h says.
 *
 * Fields are [panel][j][i] in grid/layout.h's layout and in the backend's memory:
 *     h  (6, n+1, n+1) at vertices [m]: height above rest, nonlinear: depth of the fluid
 *     v1 (6, n+1, n), v2 (6, n, n+1)  covariant velocity [m2 s-1] at (c,v) and (v,c)
 *     f1 (6, n+1, n), f2 (6, n, n+1)  contravariant flux J u^1, J u^2 [m2 s-1]; nonlinear: times h
 *     head, vorticity, pv_flux1, pv_flux2 (6, n+1, n+1)  at vertices [m], [s-1], W [m2 s-2]
 *     d* the tendency of *            edge (12, n+1) flux out of side a of each panel edge
 *     k, y a tendency, the state: h, v1, v2 one after the other; next three states, Y1 to Y3;
 *          substep 0 to 3 of a step, weight that of its tendency (rk4/rk4_point.h); after, which
 *          even substeps take, that of the next substep: of a state that streams a CPU, and of
 * larger panels a GPU, then makes most of that substep, too, and in its own call the rest, after
 *          the projection of this one's h
 *     rows (6, n+1, INTEGRALS_VALUES) doubles in both precisions (integrals/integrals.h)
 * On the CPU all threads of a team call a stage, and leave it when it is done (backend.h, share);
 * outside of a team the one caller does all of it. On a GPU a stage starts its work and returns; it
 * may still run (backend.h, synchronize). */
#ifndef SWE_STAGES_STAGES_H
#define SWE_STAGES_STAGES_H

#include <stdbool.h>

#include "base/context.h"
#include "stages/execution.h"
#include "stages/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/*  STAGE(name, what it computes, arguments) */
#define SWE_STAGE_LIST(STAGE)                                                                      \
    STAGE(projection, "h = mean of h over the copies of each shared point",                        \
          (const swe_execution *execution, const swe_params *params, real *h))                     \
    STAGE(contravariant, "F_k = J g^kk v_k + Pvc_k [J g^12 Pcv_m v_m], m the other direction",     \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, real *cross1, real *cross2, real *f1, real *f2))        \
    STAGE(bernoulli, "head = h + b + K/g",                                                         \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, real *head))                                            \
    STAGE(vorticity, "zeta = Pcv_1 Pcv_2 (Dvc_1 v2 - Dvc_2 v1)/J",                                 \
          (const swe_execution *execution, const swe_params *params, const real *v1,               \
           const real *v2, real *mean1, real *mean2, real *shear1, real *shear2, real *vorticity)) \
    STAGE(gradient, "dv_k = -g Dvc_k head; the head of the linear equations is h",                 \
          (const swe_execution *execution, const swe_params *params, const real *head, real *dv1,  \
           real *dv2))                                                                             \
    STAGE(coriolis, "dv_k += Pvc_k W_k, W the mass flux turned, times (zeta + f)/h",               \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *vorticity, const real *f1, const real *f2, real *pv_flux1, real *pv_flux2,  \
           real *dv1, real *dv2))                                                                  \
    STAGE(divergence, "dh = -1/J (Dcv_1 F1 + Dcv_2 F2), in the linear equations times H0",         \
          (const swe_execution *execution, const swe_params *params, const real *f1,               \
           const real *f2, real *dh))                                                              \
    STAGE(sat, "dh += 1/J Hv^-1 (own - consensus normal flux), at panel edges; likewise",          \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, const real *f1, const real *f2, real *edge, real *dh))  \
    STAGE(rk4, "classical Runge-Kutta update of the whole state",                                  \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           const real *k, real *y, real *next))                                                    \
    STAGE(fused, "part of a Runge-Kutta step in one sweep, but for the projection of its h",       \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           real after, real *y, real *next))                                                       \
    STAGE(transport, "part of a step of a flow that turns: h, head and W; on a CPU most of v",     \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           real *y, real *next, real *head, real *pv_flux1, real *pv_flux2, real *edge_vorticity)) \
    STAGE(flux_projection, "one value of h, head and W at the copies of each shared point",        \
          (const swe_execution *execution, const swe_params *params, int substep, real *y,         \
           real *next, real *head, real *pv_flux1, real *pv_flux2, real *edge_vorticity))          \
    STAGE(momentum, "part of a step of a flow that turns: dv_k = Pvc_k W_k - g Dvc_k head",        \
          (const swe_execution *execution, const swe_params *params, int substep, real weight,     \
           const real *head, const real *pv_flux1, const real *pv_flux2, real *y, real *next))     \
    STAGE(damping, "v_n gives way to jumps of the normal flux at panel edges",                     \
          (const swe_execution *execution, const swe_params *params, real weight, const real *h,   \
           real *v1, real *v2, real *changes))                                                     \
    STAGE(dissipation, "v_k += Pvc_k (Z . a_k), Z high differences of the mass flux",              \
          (const swe_execution *execution, const swe_params *params, real weight, const real *h,   \
           real *v1, real *v2, real *scratch))                                                     \
    STAGE(integrals, "mass, energy, circulation and extremes of every row of every panel",         \
          (const swe_execution *execution, const swe_params *params, const real *h,                \
           const real *v1, const real *v2, const real *vorticity, double *rows))

enum {
#define SWE_STAGE_ENUM(name, what, arguments) SWE_STAGE_##name,
    SWE_STAGE_LIST(SWE_STAGE_ENUM)
#undef SWE_STAGE_ENUM
        SWE_STAGE_COUNT
};

/* How the four substeps of a step are made of stages: to the same numbers, but for rounding. */
typedef enum swe_pipeline {
    SWE_PIPELINE_FUSED,  /* fused, projection */
    SWE_PIPELINE_STAGED, /* the stages of the right-hand side, rk4 */
    SWE_PIPELINES
} swe_pipeline;

const char *swe_pipeline_name(swe_pipeline pipeline);

/* Name of a stage, and what it computes, as in the list. */
const char *swe_stage_name(int stage);
const char *swe_stage_meaning(int stage);

/* Whether a state of n cells a side, of values of so many bytes, is more than a CPU's caches
 * keep of it from substep to substep of a step (number 39 of tools/lab). A CPU then asks for rows
 * ahead of their use, and takes two substeps in a sweep (fused/fused_pair_cpu.h). */
bool swe_state_exceeds_cache(int n, size_t bytes);

/* Whether a GPU takes two substeps of a step in a sweep (fused/fused_two_substeps_cuda.h) of a flow
 * that is still, and then swaps_buffers through the states (time/step.h): where frames, which it
 * takes substep by substep, are less than a third of a panel (number 79 of tools/lab; the knob
 * two_substeps_from). */
bool swe_state_swaps_buffers(int n);

/* A backend's implementation of every stage, in one precision. */
typedef struct swe_stage_table {
#define SWE_STAGE_MEMBER(name, what, arguments) void(*name) arguments;
    SWE_STAGE_LIST(SWE_STAGE_MEMBER)
#undef SWE_STAGE_MEMBER
    /* Values of params->scratch that they want; NULL: none. */
    size_t (*scratch)(const swe_execution *execution, const swe_params *params);
    /* Set panels of memory that was reserved (backend.h) to zero, each thread what it works on
     * later; within backend->share. NULL: memory is the same to all that work. */
    void (*clear)(const swe_params *params, int panels, real *values);
    /* Set in `execution` what launches of the kernels need to know of the device, and on the device
     * what the kernels prefer; NULL: nothing. Errors: SWE_INTERNAL. */
    swe_status (*prepare)(swe_context *ctx, swe_execution *execution, const swe_params *params);
    bool swaps_buffers; /* through the states, where swe_state_swaps_buffers */
} swe_stage_table;

extern const swe_stage_table swe_stages_cpu REAL_SYMBOL(swe_stages_cpu);
extern const swe_stage_table swe_stages_cuda REAL_SYMBOL(swe_stages_cuda);

/* Run a stage as a region of its name: SWE_RUN(stages, gradient, execution, params, h, dv1, dv2).
 */
#define SWE_RUN(stages, stage, execution, ...)                                                     \
    (swe_region_begin(execution, SWE_STAGE_##stage), (stages)->stage(execution, __VA_ARGS__),      \
     swe_region_end(execution))

/* A region (regions.h) around stages: the profiler hears of it from the team's first thread, before
 * any thread goes on. */
void swe_region_begin(const swe_execution *execution, int region);
void swe_region_end(const swe_execution *execution);

#define SWE_STAGE_DECLARE(name, what, arguments)                                                   \
    void swe_##name##_cpu arguments REAL_SYMBOL(swe_##name##_cpu);                                 \
    void swe_##name##_cuda arguments REAL_SYMBOL(swe_##name##_cuda);
SWE_STAGE_LIST(SWE_STAGE_DECLARE)
#undef SWE_STAGE_DECLARE

#ifdef __cplusplus
}
#endif
#endif
