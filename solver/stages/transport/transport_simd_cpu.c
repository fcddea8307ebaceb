/* transport_simd_rows.h for what all is compiled for. */
#define TRANSPORT_SIMD swe_transport_simd_base
#include "stages/transport/transport_simd_rows.h"
