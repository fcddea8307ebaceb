/* Scratch of the integrals on a CPU. */
#ifndef SWE_STAGES_INTEGRALS_CPU_H
#define SWE_STAGES_INTEGRALS_CPU_H

#include "stages/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of values of params->scratch for rows that cross blocks of several ranks. */
size_t integrals_scratch_size(const swe_params *params) REAL_SYMBOL(integrals_scratch_size);

#ifdef __cplusplus
}
#endif
#endif
