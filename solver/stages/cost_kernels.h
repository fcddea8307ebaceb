/* The cost of each kernel (cost.h), its accesses in values, not bytes. */
#ifndef SWE_STAGES_COST_KERNELS_H
#define SWE_STAGES_COST_KERNELS_H

#include "stages/cost_formulas.h"

/* Add an access to a cost; one more than it has room for is an error of these sources, and ends the
 * program. */
void cost_append(swe_cost *cost, prof_access access);

typedef void cost_function(const cost_sizes *s, swe_cost *cost);

extern cost_function *const cost_of_kernels[SWE_KERNEL_COUNT];

#endif
