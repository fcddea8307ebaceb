/* Registers, shared memory and spills of the compiled kernels, for every GPU architecture of the
 * build. */
#ifndef SWE_STAGES_KERNEL_RESOURCES_H
#define SWE_STAGES_KERNEL_RESOURCES_H

#include "base/precision.h"

typedef struct swe_kernel_resources {
    const char *kernel; /* name of its function */
    swe_precision precision;
    int order;                     /* order of the template; 0: all */
    int equations;                 /* swe_equations of the template; -1: all */
    int architecture;              /* compute capability: 90 is 9.0 */
    int registers;                 /* of a thread */
    int shared;                    /* bytes of a block */
    int stack;                     /* bytes of a thread */
    int spill_stores, spill_loads; /* bytes of a thread */
} swe_kernel_resources;

/* Unordered rows; the last has a NULL name. A build without CUDA has no rows. */
const swe_kernel_resources *swe_kernel_resources_at(int index);

#endif
