/* The cost of each kernel (cost.h), its accesses in values, not bytes. */
#ifndef SWE_STAGES_COST_KERNELS_H
#define SWE_STAGES_COST_KERNELS_H

#include "stages/cost_formulas.h"

/* Add an access to a cost; one more than it has room for is an error of these sources, and ends the
 * program. */
void cost_append(swe_cost *cost, prof_access access);

typedef void cost_function(const cost_sizes *s, swe_cost *cost);

/* Of a kernel of the right-hand side in cost_rhs.c, of parts of a step in cost_parts.c, of its end
 * and of diagnostics in cost_ends.c. */
#define COST_DECLARE(stage, name, threads)                                                         \
    void swe_count_##name(const cost_sizes *s, swe_cost *cost);
SWE_KERNEL_LIST(COST_DECLARE)
#undef COST_DECLARE

extern cost_function *const cost_of_kernels[SWE_KERNEL_COUNT];

#endif
