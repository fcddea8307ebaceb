/* A chain of multiply-adds: x = a x + b, which goes from its start towards 1 and stays in range
 * however long it is: after m of them x - 1 is a^m times what it was. */
#ifndef SWE_BACKEND_PEAKS_POINT_H
#define SWE_BACKEND_PEAKS_POINT_H

#include <stddef.h>

#include "base/real.h"

/* Where chain `number` starts: each elsewhere, but for rounding, so that none of them can be saved.
 */
SWE_POINT real chain_start(size_t number)
{
    return (real)(2.0 + 0x1p-24 * (double)number);
}

SWE_POINT real chain_point(real x)
{
    return (real)(1.0 - 0x1p-20) * x + (real)0x1p-20;
}

#endif
