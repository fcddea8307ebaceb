#include "stages/fused/fused_cpu.h"
#include "stages/stages.h"

const swe_stage_table swe_stages_cpu = {
#define SWE_STAGE_CPU(name, what, arguments) swe_##name##_cpu,
    SWE_STAGE_LIST(SWE_STAGE_CPU)
#undef SWE_STAGE_CPU
        swe_fused_scratch_cpu,
};
