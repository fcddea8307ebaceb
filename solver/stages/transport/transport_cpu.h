/* The transport stage on the CPU: its scratch. */
#ifndef SWE_STAGES_TRANSPORT_CPU_H
#define SWE_STAGES_TRANSPORT_CPU_H

#include <stddef.h>

#include "stages/execution.h"
#include "stages/params.h"

/* Values of params->scratch: for each thread the buffers of a tile, and a row buffer of head
 * and W. */
size_t swe_transport_scratch_cpu(const swe_execution *execution, const swe_params *params);

#endif
