#include "stages/contravariant/contravariant_tile_cpu.h"
#include "stages/fused/fused_cpu.h"
#include "stages/stages.h"
#include "stages/transport/transport_cpu.h"

/* The stages share one scratch buffer, sized for its largest user; dissipation needs half of what
 * fused needs. */
static size_t scratch(const swe_execution *execution, const swe_params *params)
{
    const size_t flux = swe_fused_scratch_cpu(execution),
                 transport = swe_transport_scratch_cpu(execution, params);
    return flux > transport ? flux : transport;
}

const swe_stage_table swe_stages_cpu = {
#define SWE_STAGE_CPU(name, what, parameters, arguments) swe_##name##_cpu,
    SWE_STAGE_LIST(SWE_STAGE_CPU)
#undef SWE_STAGE_CPU
        scratch,
    swe_fused_clear_cpu,
    NULL,
    false,
};
