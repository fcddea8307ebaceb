#include "stages/kernels.h"

const swe_kernel swe_kernels[SWE_KERNEL_COUNT] = {
#define SWE_KERNEL_ROW(stage, name, threads) {#name "_kernel", SWE_STAGE_##stage, threads},
    SWE_KERNEL_LIST(SWE_KERNEL_ROW)
#undef SWE_KERNEL_ROW
};
