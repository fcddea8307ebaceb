/* fused_two_rows.h for processors with AVX-512. */
#include "stages/fused/fused_two_cpu.h"

#if SWE_HAS_CLONES
#pragma GCC target("arch=x86-64-v4")
#define TWO_ROWS swe_two_rows_v4
#include "stages/fused/fused_two_rows.h"
#endif
