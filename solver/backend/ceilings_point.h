/* A chain of multiply-adds: x = a x + b, which goes from its start towards 1 and stays in range
 * however long it is: after m of them x - 1 is a^m times what it was. */
#ifndef SWE_BACKEND_CEILINGS_POINT_H
#define SWE_BACKEND_CEILINGS_POINT_H

#include <stddef.h>

#include "base/point.h"

/* Where chain `number` starts: each elsewhere, so that none of them can be saved. */
SWE_POINT double chain_start(size_t number)
{
    return 2.0 + 0x1p-24 * (double)number;
}

SWE_POINT double chain_point(double x)
{
    return (1.0 - 0x1p-20) * x + 0x1p-20;
}

#endif
