#include "stages/cost_kernels.h"

#include <stdlib.h>

void cost_append(swe_cost *cost, prof_access access)
{
    if (cost->access_count == SWE_MOST_ACCESSES)
        abort();
    cost->accesses[cost->access_count++] = access;
}

cost_function *const cost_of_kernels[SWE_KERNEL_COUNT] = {
#define COUNT_OF_KERNEL(stage, name, threads) swe_count_##name,
    SWE_KERNEL_LIST(COUNT_OF_KERNEL)
#undef COUNT_OF_KERNEL
};
