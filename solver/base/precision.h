/* The precisions that a model may compute in; base/real.h is how sources are written for both. */
#ifndef SWE_BASE_PRECISION_H
#define SWE_BASE_PRECISION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum swe_precision {
    SWE_PRECISION_DOUBLE,
    SWE_PRECISION_SINGLE,
    SWE_PRECISIONS
} swe_precision;

/* As in a configuration, and the bytes of a value. */
const char *swe_precision_name(swe_precision precision);
size_t swe_precision_bytes(swe_precision precision);

#ifdef __cplusplus
}
#endif
#endif
