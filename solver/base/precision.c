#include "base/precision.h"

const char *swe_precision_name(swe_precision precision)
{
    return precision == SWE_PRECISION_SINGLE ? "single" : "double";
}

size_t swe_precision_bytes(swe_precision precision)
{
    return precision == SWE_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}
