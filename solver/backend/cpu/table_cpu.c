#include "stages/contravariant/contravariant_cpu.h"
#include "stages/exchange.h"
#include "sweeps/fused/fused_cpu.h"
#include "stages/integrals/integrals_rows.h"
#include "stages/stages.h"
#include "sweeps/transport/transport_row_cpu.h"

/* The stages share one scratch buffer, sized for its largest user; dissipation needs half of what
 * fused needs. */
static size_t scratch(const swe_execution *execution, const swe_params *params)
{
    const bool is_rotational = swe_physics_flow(&params->physics) != SWE_FLOW_NONROTATING;
    const size_t flux = is_rotational ? flux_tile_size : swe_fused_scratch(params),
                 transport = is_rotational ? transport_scratch_size(params) : 0;
    const size_t sweeps = (size_t)execution->threads * (flux > transport ? flux : transport),
                 integrals = integrals_scratch_size(params);
    return sweeps > integrals ? sweeps : integrals;
}

static void clear(const swe_params *params, int panels, real *values)
{
    const swe_layout *layout = &params->layout;
    const rows_range share = threads_share(layout->n + 1);
    for (int panel = 0; panel < panels; panel++) {
        real *rows = values + panel * layout->panel;
        for (ptrdiff_t k = share.first * layout->pitch; k < share.last * layout->pitch; k++)
            rows[k] = 0;
    }
}

static void exchange(const swe_execution *execution, const swe_params *params, real *field)
{
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(field));
}

const swe_stage_table swe_stages_cpu = {
#define SWE_STAGE_CPU(name, what, parameters, arguments) swe_##name##_cpu,
    SWE_STAGE_LIST(SWE_STAGE_CPU)
#undef SWE_STAGE_CPU
        scratch,
    clear,
    exchange,
    NULL,
};
