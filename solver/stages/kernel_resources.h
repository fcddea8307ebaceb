/* What the compiler made of the kernels, for every architecture of the build. */
#ifndef SWE_STAGES_KERNEL_RESOURCES_H
#define SWE_STAGES_KERNEL_RESOURCES_H

#include "base/precision.h"

typedef struct swe_kernel_resources {
    const char *kernel; /* name of its function */
    swe_precision precision;
    int order;                     /* for which the template is compiled; 0: for all */
    int equations;                 /* likewise, a swe_equations; -1: for all */
    int architecture;              /* compute capability: 90 is 9.0 */
    int registers;                 /* of a thread */
    int shared;                    /* bytes of a block */
    int stack;                     /* bytes of a thread */
    int spill_stores, spill_loads; /* bytes of a thread */
} swe_kernel_resources;

/* By kernel, precision, order and architecture in no order; NULL after the last. A build without
 * CUDA has none. */
const swe_kernel_resources *swe_kernel_resources_at(int index);

#endif
