/* Scratch of the fused stage on the CPU. */
#ifndef SWE_SWEEPS_FUSED_CPU_H
#define SWE_SWEEPS_FUSED_CPU_H

#include "stages/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of values of a thread's scratch. */
size_t swe_fused_scratch(const swe_params *params) REAL_SYMBOL(swe_fused_scratch);

#ifdef __cplusplus
}
#endif
#endif
