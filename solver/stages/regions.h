/* THE REGIONS of a run that the profiler and NVTX tools record: the stages by their names, and the
 * phases that call them. */
#ifndef SWE_STAGES_REGIONS_H
#define SWE_STAGES_REGIONS_H

#include "profiler.h"
#include "stages/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/*  REGION(name, text, kind) */
#define SWE_REGION_LIST(REGION)                                                                    \
    REGION(rhs, "rhs", PROF_SUBSTEP)                                                               \
    REGION(step, "step", PROF_STEP)                                                                \
    REGION(launch, "graph", PROF_LAUNCH)                                                           \
    REGION(messages, "messages", PROF_WAIT)                                                        \
    REGION(setup, "setup", PROF_PHASE)                                                             \
    REGION(peaks, "ceilings", PROF_PHASE)                                                          \
    REGION(warm_up, "warm-up", PROF_PHASE)                                                         \
    REGION(steps, "steps", PROF_PHASE)                                                             \
    REGION(diagnostics, "diagnostics", PROF_PHASE)                                                 \
    REGION(forcing_change, "forcing change", PROF_PHASE)                                           \
    REGION(output, "output", PROF_PHASE)                                                           \
    REGION(output_wait, "output wait", PROF_PHASE)

/* A stage's region has the number of the stage; the other regions follow. */
enum {
    SWE_REGION_before_first = SWE_STAGE_COUNT - 1,
#define SWE_REGION_ENUM(name, text, kind) SWE_REGION_##name,
    SWE_REGION_LIST(SWE_REGION_ENUM)
#undef SWE_REGION_ENUM
        SWE_REGION_COUNT
};

/* All regions by number. */
extern const prof_region swe_regions[SWE_REGION_COUNT];

/*  PART(stage, name, stages of the staged pipeline that compute the same, functions)
 *
 *  The parts of the sweeps, by their functions (prof_part): the first lines list functions of a
 *  CPU, the last line functions of a GPU. On a CPU each term that rows of SIMD vectors compute is a
 *  part. All loops over points are one part, the boundary rows: rows in the closures along xi2,
 *  rows next to another thread's rows, and the ends of all rows. On a GPU the boundary rows are the
 *  boundary strips, and panels whose strips have no inside. Lists are separated by blanks. */
#define SWE_PART_LIST(PART)                                                                        \
    PART(fused, "boundary rows", "",                                                               \
         "h_row cross1_row cross2_row swe_flux1_row swe_flux2_row swe_gradient_row1"               \
         " swe_gradient_row2 v1_closures cross1_closures h_closures_before h_closures_after"       \
         " fused_kernel")                                                                          \
    PART(fused, "prefetch", "",                                                                    \
         "prefetch_step prefetch_end sweep_prefetch leap_prefetch"                                 \
         " load_next")                                                                             \
    PART(fused, "cross terms", "contravariant",                                                    \
         "cross1_vectors h_cross2"                                                                 \
         " compute_cross2 contravariant_cross1_point")                                             \
    PART(fused, "fluxes", "contravariant",                                                         \
         "h_flux1 h_flux2"                                                                         \
         " compute_flux1 compute_flux2")                                                           \
    PART(fused, "divergence", "divergence",                                                        \
         "h_vectors"                                                                               \
         " compute_dh")                                                                            \
    PART(fused, "gradient", "gradient",                                                            \
         "v1_next v2_vectors"                                                                      \
         " compute_dv1 compute_dv2 complete_kernel")                                               \
    PART(fused, "update", "rk4",                                                                   \
         "combine_row leap_row"                                                                    \
         " store_row")                                                                             \
    PART(fused, "shared points", "projection",                                                     \
         "average_both"                                                                            \
         " average_kernel")                                                                        \
    PART(transport, "boundary rows", "",                                                           \
         "mean1_row mean2_row shear1_row shear2_row squares_row swe_flux1_row swe_flux2_row"       \
         " fluxes_row vorticity_row head_row pv_flux_row update_row row1 row2 mean_closures"       \
         " cell_closures vertex_closures")                                                         \
    PART(transport, "prefetch", "", "prefetch_step prefetch_end prefetch_add prefetch_row")        \
    PART(transport, "means and cross terms", "contravariant",                                      \
         "vertex_vectors simd_cross"                                                               \
         " compute_means")                                                                         \
    PART(transport, "fluxes, shears, squares", "contravariant",                                    \
         "cell_vectors along1_vectors"                                                             \
         " compute_fluxes bernoulli_squares")                                                      \
    PART(transport, "head", "bernoulli",                                                           \
         "head_vectors"                                                                            \
         " bernoulli_point")                                                                       \
    PART(transport, "vorticity", "vorticity",                                                      \
         "vorticity_vectors"                                                                       \
         " vorticity_point")                                                                       \
    PART(transport, "update", "rk4",                                                               \
         "simd_rk4"                                                                                \
         " rk4_value")                                                                             \
    PART(transport, "gradient and Coriolis", "gradient", "v_vectors")                              \
    PART(transport, "divergence and W", "divergence coriolis",                                     \
         "row_vectors"                                                                             \
         " divergence_point transport_point")                                                      \
    PART(transport, "rows kept of head and W", "",                                                 \
         "store_strip transport_buffer_begin transport_buffer_end")

enum {
#define SWE_PART_COUNTED(stage, name, staged, functions) +1
    SWE_PART_COUNT = SWE_PART_LIST(SWE_PART_COUNTED)
#undef SWE_PART_COUNTED
};

/* The parts, and for each the stages of the staged pipeline. */
extern const prof_part swe_parts[SWE_PART_COUNT];
extern const char *const swe_part_stages[SWE_PART_COUNT];

/* The CUDA kernels of the stages, by number. */
extern const prof_kernel swe_profiled_kernels[SWE_KERNEL_COUNT];

#ifdef __cplusplus
}
#endif
#endif
