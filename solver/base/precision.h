/* The precisions that a model can compute in; base/real.h defines `real` for each of them. */
#ifndef SWE_BASE_PRECISION_H
#define SWE_BASE_PRECISION_H

#include <stddef.h>

enum { SWE_CACHE_LINE = 64 /* bytes */ };

typedef enum swe_precision {
    SWE_PRECISION_DOUBLE,
    SWE_PRECISION_SINGLE,
    SWE_PRECISIONS
} swe_precision;

/* Word of scheme.precision in a configuration. */
static inline const char *swe_precision_name(swe_precision precision)
{
    return precision == SWE_PRECISION_SINGLE ? "single" : "double";
}

/* Bytes of one value. */
static inline size_t swe_precision_bytes(swe_precision precision)
{
    return precision == SWE_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

#endif
