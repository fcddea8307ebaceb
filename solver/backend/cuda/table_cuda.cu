#include "stages/exchange.h"
#include "sweeps/fused/fused_cuda.h"
#include "stages/integrals/integrals_rows.h"
#include "stages/stages.h"

/* Tile buffers are in shared memory: only the rows that ranks share need scratch. */
static size_t scratch_of_rows(const swe_execution *execution, const swe_params *params)
{
    (void)execution;
    return integrals_scratch_size(params);
}

static void exchange_field(const swe_execution *execution, const swe_params *params, real *field)
{
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(field));
}

const swe_stage_table swe_stages_cuda = {
#define SWE_STAGE_CUDA(name, what, parameters, arguments) swe_##name##_cuda,
    SWE_STAGE_LIST(SWE_STAGE_CUDA)
#undef SWE_STAGE_CUDA
        scratch_of_rows,
    nullptr, /* memory is uniform */
    exchange_field,
    swe_fused_prepare_cuda,
};
