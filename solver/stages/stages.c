#include "stages/stages.h"

#include "base/tuning.h"
#include "stages/kernels.h"

static const struct {
    const char *name, *meaning;
} stages[] = {
#define SWE_STAGE_ROW(name, what, parameters, arguments) {#name, what},
    SWE_STAGE_LIST(SWE_STAGE_ROW)
#undef SWE_STAGE_ROW
};

const char *swe_stage_name(int stage)
{
    return stages[stage].name;
}

const char *swe_stage_meaning(int stage)
{
    return stages[stage].meaning;
}

const char *swe_pipeline_name(swe_pipeline pipeline)
{
    return pipeline == SWE_PIPELINE_FUSED ? "fused" : "staged";
}

bool swe_state_marches(int n)
{
    const int least = 40;
    return n >= least;
}

bool swe_state_exceeds_cache(int n, size_t bytes)
{
    const size_t cached = 3 << 20;
    return 3 * (size_t)swe_layout_of(n).field * bytes >= cached;
}

const swe_kernel swe_kernels[SWE_KERNEL_COUNT] = {
#define SWE_KERNEL_ROW(stage, name, threads) {#name "_kernel", SWE_STAGE_##stage, threads},
    SWE_KERNEL_LIST(SWE_KERNEL_ROW)
#undef SWE_KERNEL_ROW
};
