#include "stages/fused/fused_cuda.h"
#include "stages/stages.h"

const swe_stage_table swe_stages_cuda = {
#define SWE_STAGE_CUDA(name, what, parameters, arguments) swe_##name##_cuda,
    SWE_STAGE_LIST(SWE_STAGE_CUDA)
#undef SWE_STAGE_CUDA
        nullptr, /* tile buffers are in shared memory */
    nullptr,     /* memory is uniform */
    nullptr,     /* whole panels */
    swe_fused_prepare_cuda,
    true,
};
