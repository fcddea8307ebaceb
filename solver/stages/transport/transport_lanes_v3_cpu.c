/* transport_lanes_rows.h for processors with AVX2. */
#include "stages/transport/transport_lanes_cpu.h"

#if SWE_HAS_CLONES
#pragma GCC target("arch=x86-64-v3")
#define TRANSPORT_LANES swe_transport_lanes_v3
#include "stages/transport/transport_lanes_rows.h"
#endif
