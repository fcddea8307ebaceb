/* THE REGIONS of a run that the profiler and NVTX tools record: the stages by their names, and the
 * phases that call them. */
#ifndef SWE_STAGES_REGIONS_H
#define SWE_STAGES_REGIONS_H

#include "profiler.h"
#include "stages/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

/*  REGION(name, text, kind) */
#define SWE_REGION_LIST(REGION)                                                                    \
    REGION(rhs, "rhs", PROF_SUBSTEP)                                                               \
    REGION(step, "step", PROF_STEP)                                                                \
    REGION(launch, "graph", PROF_LAUNCH)                                                           \
    REGION(setup, "setup", PROF_PHASE)                                                             \
    REGION(peaks, "ceilings", PROF_PHASE)                                                          \
    REGION(warm_up, "warm-up", PROF_PHASE)                                                         \
    REGION(steps, "steps", PROF_PHASE)                                                             \
    REGION(diagnostics, "diagnostics", PROF_PHASE)                                                 \
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
 *  The parts of the sweeps on a CPU, by their functions (prof_part). Each term that rows of SIMD
 *  vectors compute is a part. All loops over points are one part, the boundary rows: rows in the
 *  closures along xi2, rows next to another thread's, and the ends of all rows. Lists are separated
 *  by blanks. */
#define SWE_PART_LIST(PART)                                                                        \
    PART(fused, "boundary rows", "",                                                               \
         "h_row cross1_row cross2_row swe_flux1_row swe_flux2_row row1 row2 ends_of_rows"          \
         " h_closures_before h_closures_after v_closures")                                         \
    PART(fused, "prefetch", "", "prefetch_step prefetch_end sweep_prefetch")                       \
    PART(fused, "cross terms", "contravariant", "h_cross1 h_cross2")                               \
    PART(fused, "fluxes", "contravariant", "h_flux1 h_flux2")                                      \
    PART(fused, "update", "rk4", "simd_rk4")                                                       \
    PART(fused, "divergence", "divergence", "h_vectors")                                           \
    PART(fused, "gradient", "gradient", "v_vectors")                                               \
    PART(transport, "boundary rows", "",                                                           \
         "mean1_row mean2_row shear1_row shear2_row squares_row swe_flux1_row swe_flux2_row"       \
         " fluxes_row vorticity_row head_row pv_flux_row update_row row1 row2 mean_closures"       \
         " cell_closures vertex_closures")                                                         \
    PART(transport, "prefetch", "", "prefetch_step prefetch_end prefetch_add prefetch_row")        \
    PART(transport, "means and cross terms", "contravariant", "vertex_vectors simd_cross")         \
    PART(transport, "fluxes, shears, squares", "contravariant", "cell_vectors along1_vectors")     \
    PART(transport, "head", "bernoulli", "head_vectors")                                           \
    PART(transport, "vorticity", "vorticity", "vorticity_vectors")                                 \
    PART(transport, "update", "rk4", "simd_rk4")                                                   \
    PART(transport, "gradient and Coriolis", "gradient", "v_vectors")                              \
    PART(transport, "divergence and W", "divergence coriolis", "row_vectors")                      \
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

#ifdef __cplusplus
}
#endif
#endif
