/* The table of SIMD rows for one instruction set: solver/CMakeLists.txt compiles this file for
 * each, with SWE_SIMD_LEVEL 4 (AVX-512), 3 (AVX2) or 1 (baseline). */
#include "sweeps/simd/simd_rows_cpu.h"

#if SWE_SIMD_LEVEL == 1
#define SIMD_TABLE swe_simd_rows_base
#elif SWE_HAS_CLONES && SWE_SIMD_LEVEL == 3
#pragma GCC target("arch=x86-64-v3")
#define SIMD_TABLE swe_simd_rows_v3
#elif SWE_HAS_CLONES
#pragma GCC target("arch=x86-64-v4")
#define SIMD_TABLE swe_simd_rows_v4
#endif

#ifdef SIMD_TABLE
#include "sweeps/simd/fused_simd.h"
#include "sweeps/simd/momentum_simd.h"
#include "sweeps/simd/transport_simd.h"

const swe_simd_table SIMD_TABLE = {velocity_rows, h_rows, v_rows, transport_row_in_simd};
#endif
