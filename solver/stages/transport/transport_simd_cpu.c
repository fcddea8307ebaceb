/* transport_simd_rows.h for the baseline instruction set. */
#define TRANSPORT_SIMD swe_transport_simd_base
#include "stages/transport/transport_simd_rows.h"
