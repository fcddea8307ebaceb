/* THE STAGES
 *
 * One list. Each stage is a batched kernel over all six panels, has a folder of its name here, and
 * keeps that name in backends, tests, timings and reports. The right-hand side and the time step
 * are written with them in rhs.c and time/rk4_step.c.
 *
 *     folder/<stage>_point.h   the arithmetic at one point, shared by all backends
 *     folder/<stage>_cpu.c     loops over panels and rows
 *     folder/<stage>_cuda.cu   kernels and launches
 *
 * They are compiled for both precisions, as base/real.h says.
 *
 * Fields are [panel][j][i] in grid/layout.h's layout and in the backend's memory:
 *     h  (6, n+1, n+1) height perturbation at vertices [m]
 *     v1 (6, n+1, n), v2 (6, n, n+1)  covariant velocity [m2 s-1] at (c,v) and (v,c)
 *     f1 (6, n+1, n), f2 (6, n, n+1)  contravariant flux J u^1, J u^2 [m2 s-1]
 *     d* the tendency of *            edge (12, n+1) flux out of side a of each panel edge
 *     k, y a tendency, the state: h, v1, v2 one after the other; next three states, Y1 to Y3;
 *          part 0 to 3 of a step, weight that of its tendency (rk4/rk4_point.h)
 *     rows (6, n+1, BUDGETS_VALUES) doubles in both precisions (budgets/budgets.h)
 * On the CPU all threads of a team call a stage, and leave it when it is done (backend.h, share);
 * outside of a team the one caller does all of it. On a GPU a stage starts its work and returns; it
 * may still run (backend.h, synchronize). */
#ifndef SWE_STAGES_STAGES_H
#define SWE_STAGES_STAGES_H

#include "stages/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/*  STAGE(name, what it computes, arguments) */
#define SWE_STAGE_LIST(STAGE)                                                                      \
    STAGE(projection, "h = mean of h over the copies of each shared point",                        \
          (const swe_view *view, real *h))                                                         \
    STAGE(gradient, "dv_k = -g Dvc_k h",                                                           \
          (const swe_view *view, const real *h, real *dv1, real *dv2))                             \
    STAGE(contravariant, "F_k = J g^kk v_k + Pvc_k [J g^12 Pcv_m v_m], m the other direction",     \
          (const swe_view *view, const real *v1, const real *v2, real *cross1, real *cross2,       \
           real *f1, real *f2))                                                                    \
    STAGE(divergence, "dh = -H0/J (Dcv_1 F1 + Dcv_2 F2)",                                          \
          (const swe_view *view, const real *f1, const real *f2, real *dh))                        \
    STAGE(sat, "dh += H0/J Hv^-1 (own - consensus normal flux), at panel edges",                   \
          (const swe_view *view, const real *v1, const real *v2, const real *f1, const real *f2,   \
           real *edge, real *dh))                                                                  \
    STAGE(rk4, "classical Runge-Kutta update of the whole state",                                  \
          (const swe_view *view, int part, real weight, const real *k, real *y, real *next))       \
    STAGE(fused, "part of a Runge-Kutta step in one sweep, but for the projection of its h",       \
          (const swe_view *view, int part, real weight, real *y, real *next))                      \
    STAGE(budgets, "mass, energy, circulation and largest abs(h) of every row of every panel",     \
          (const swe_view *view, const real *h, const real *v1, const real *v2, double *rows))

enum {
#define SWE_STAGE_ENUM(name, what, arguments) SWE_STAGE_##name,
    SWE_STAGE_LIST(SWE_STAGE_ENUM)
#undef SWE_STAGE_ENUM
        SWE_STAGE_COUNT
};

/* How the four parts of a step are made of stages: to the same numbers, but for rounding. */
typedef enum swe_pipeline {
    SWE_PIPELINE_FUSED,  /* fused, projection */
    SWE_PIPELINE_STAGED, /* the stages of the right-hand side (rhs.h), rk4 */
    SWE_PIPELINES
} swe_pipeline;

const char *swe_pipeline_name(swe_pipeline pipeline);

/* Name of a stage, and what it computes, as in the list. */
const char *swe_stage_name(int stage);
const char *swe_stage_meaning(int stage);

/* A backend's implementation of every stage, in one precision. */
typedef struct swe_stage_table {
#define SWE_STAGE_MEMBER(name, what, arguments) void(*name) arguments;
    SWE_STAGE_LIST(SWE_STAGE_MEMBER)
#undef SWE_STAGE_MEMBER
    /* Values of view->scratch that they want; NULL: none. */
    size_t (*scratch)(const swe_view *view);
} swe_stage_table;

extern const swe_stage_table swe_stages_cpu, swe_stages_cuda;

/* Run a stage as a region of its name: SWE_RUN(stages, gradient, view, h, dv1, dv2). */
#define SWE_RUN(stages, stage, view, ...)                                                          \
    (swe_region_begin(&(view)->workers, SWE_STAGE_##stage), (stages)->stage(view, __VA_ARGS__),    \
     swe_region_end(&(view)->workers))

/* A region (regions.h) around stages: the profiler hears of it from the team's first thread, before
 * any thread goes on. */
void swe_region_begin(const swe_workers *workers, int region);
void swe_region_end(const swe_workers *workers);

#define SWE_STAGE_DECLARE(name, what, arguments)                                                   \
    void swe_##name##_cpu arguments;                                                               \
    void swe_##name##_cuda arguments;
SWE_STAGE_LIST(SWE_STAGE_DECLARE)
#undef SWE_STAGE_DECLARE

#ifdef __cplusplus
}
#endif
#endif
