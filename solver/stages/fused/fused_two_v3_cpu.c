/* fused_two_rows.h for processors with AVX2. */
#include "stages/fused/fused_two_cpu.h"

#if SWE_HAS_CLONES
#pragma GCC target("arch=x86-64-v3")
#define TWO_ROWS swe_two_rows_v3
#include "stages/fused/fused_two_rows.h"
#endif
