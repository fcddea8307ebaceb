/* What the fused stage wants on the CPU besides its arguments. */
#ifndef SWE_STAGES_FUSED_CPU_H
#define SWE_STAGES_FUSED_CPU_H

#include <stddef.h>

#include "stages/view.h"

/* Values of view->scratch: a tile's cross terms and fluxes, for each thread. */
size_t swe_fused_scratch_cpu(const swe_view *view);

#endif
