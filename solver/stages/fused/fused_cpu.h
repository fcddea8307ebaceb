/* The fused stage on the CPU: its scratch and the first touch of memory. */
#ifndef SWE_STAGES_FUSED_CPU_H
#define SWE_STAGES_FUSED_CPU_H

#include <stddef.h>

#include "stages/execution.h"
#include "stages/params.h"

/* Values of params->scratch: the fluxes of two tiles for each thread. */
size_t swe_fused_scratch_cpu(const swe_execution *execution);

/* Set panels to zero; all threads of a team call it. Each thread writes the rows that it computes
 * later, so that untouched pages are placed in its own memory. */
void swe_fused_clear_cpu(const swe_params *params, int panels, real *values);

#endif
