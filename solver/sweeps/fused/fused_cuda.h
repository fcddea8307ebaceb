/* The fused stage on a GPU: its preparation, once before the steps of a model. */
#ifndef SWE_SWEEPS_FUSED_CUDA_H
#define SWE_SWEEPS_FUSED_CUDA_H

#include "base/context.h"
#include "stages/execution.h"
#include "stages/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set execution->march_blocks, the blocks of a march that the device runs at a time. Errors:
 * SWE_INTERNAL. */
swe_status swe_fused_prepare_cuda(swe_context *ctx, swe_execution *execution,
                                  const swe_params *params) REAL_SYMBOL(swe_fused_prepare_cuda);

#ifdef __cplusplus
}
#endif
#endif
