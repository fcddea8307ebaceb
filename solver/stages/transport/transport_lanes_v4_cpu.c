/* transport_lanes_rows.h for processors with AVX-512. */
#include "stages/transport/transport_lanes_cpu.h"

#if SWE_HAS_CLONES
#pragma GCC target("arch=x86-64-v4")
#define TRANSPORT_LANES swe_transport_lanes_v4
#include "stages/transport/transport_lanes_rows.h"
#endif
