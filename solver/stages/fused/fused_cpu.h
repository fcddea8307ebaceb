/* What the fused stage wants on the CPU besides its arguments. */
#ifndef SWE_STAGES_FUSED_CPU_H
#define SWE_STAGES_FUSED_CPU_H

#include <stddef.h>

#include "stages/execution.h"
#include "stages/params.h"

/* Values of params->scratch that it works in: fluxes of two tiles for each thread. */
size_t swe_fused_scratch_cpu(const swe_execution *execution);

/* Set panels to zero, called by all threads of a team: each writes the rows that it works on later,
 * so that they come into its own memory where no one has touched them yet. */
void swe_fused_clear_cpu(const swe_params *params, int panels, real *values);

#endif
