/* transport_simd_rows.h for processors with AVX2. */
#include "stages/transport/transport_simd_cpu.h"

#if SWE_HAS_CLONES
#pragma GCC target("arch=x86-64-v3")
#define TRANSPORT_SIMD swe_transport_simd_v3
#include "stages/transport/transport_simd_rows.h"
#endif
