#include "stages/regions.h"

#include <omp.h>

#include "stages/team_cpu.h"

const prof_region swe_regions[SWE_REGION_COUNT] = {
#define SWE_REGION_OF_STAGE(name, what, parameters, arguments) {#name, PROF_STAGE},
    SWE_STAGE_LIST(SWE_REGION_OF_STAGE)
#undef SWE_REGION_OF_STAGE
#define SWE_REGION_ROW(name, text, kind) {text, kind},
        SWE_REGION_LIST(SWE_REGION_ROW)
#undef SWE_REGION_ROW
};

const prof_part swe_parts[SWE_PART_COUNT] = {
#define SWE_PART_ROW(stage, name, staged, functions) {#stage, name, functions},
    SWE_PART_LIST(SWE_PART_ROW)
#undef SWE_PART_ROW
};

const char *const swe_part_stages[SWE_PART_COUNT] = {
#define SWE_PART_ROW(stage, name, staged, functions) staged,
    SWE_PART_LIST(SWE_PART_ROW)
#undef SWE_PART_ROW
};

void swe_region_begin(const swe_execution *execution, int region)
{
    if (execution->profiler == NULL)
        return;
    if (omp_get_thread_num() == 0)
        prof_begin(execution->profiler, region);
    if (omp_get_num_threads() > 1)
        swe_team_wait(execution->team);
}

void swe_region_end(const swe_execution *execution)
{
    if (execution->profiler != NULL && omp_get_thread_num() == 0)
        prof_end(execution->profiler);
}

const prof_kernel swe_profiled_kernels[SWE_KERNEL_COUNT] = {
#define SWE_PROFILED_KERNEL(stage, name, threads) {#name "_kernel", #stage},
    SWE_KERNEL_LIST(SWE_PROFILED_KERNEL)
#undef SWE_PROFILED_KERNEL
};
