#include "stages/kernel_resources.h"

#include <stddef.h>

static const swe_kernel_resources table[] = {
#ifdef SWE_HAVE_KERNEL_RESOURCES
#include "kernel_resources.inc"
#endif
    {.kernel = NULL}};

const swe_kernel_resources *swe_kernel_resources_at(int index)
{
    return table[index].kernel != NULL ? &table[index] : NULL;
}
