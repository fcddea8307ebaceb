/* What the transport stage wants on the CPU besides its arguments. */
#ifndef SWE_STAGES_TRANSPORT_CPU_H
#define SWE_STAGES_TRANSPORT_CPU_H

#include <stddef.h>

#include "stages/execution.h"
#include "stages/params.h"

/* Values of params->scratch: for each thread what lives while a tile is worked on, and a window of
 * rows. */
size_t swe_transport_scratch_cpu(const swe_execution *execution, const swe_params *params);

#endif
