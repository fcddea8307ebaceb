#include "stages/stages.h"

static const struct {
    const char *name, *meaning;
} stages[] = {
#define SWE_STAGE_ROW(name, what, arguments) {#name, what},
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
