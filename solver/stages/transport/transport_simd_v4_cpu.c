/* transport_simd_rows.h for processors with AVX-512. */
#include "stages/transport/transport_simd_cpu.h"

#if SWE_HAS_CLONES
#pragma GCC target("arch=x86-64-v4")
#define TRANSPORT_SIMD swe_transport_simd_v4
#include "stages/transport/transport_simd_rows.h"
#endif
