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

#ifdef __cplusplus
}
#endif
#endif
