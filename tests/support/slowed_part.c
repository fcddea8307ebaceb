/* SIMD rows whose divergence is slower in `fused`: it spins CUBESWE_SLOWED_SPINS times with each
 * vector. The tables of all instruction sets are these, so that the linker takes none of the
 * product. */
#include <stdlib.h>

#include "stages/divergence/divergence_point.h"
#include "stages/simd_rows_cpu.h"

static int spins;

__attribute__((constructor)) static void read_spins(void)
{
    const char *text = getenv("CUBESWE_SLOWED_SPINS");
    spins = text != NULL ? atoi(text) : 0;
}

SWE_POINT real slowed_scale(const swe_params *params)
{
    for (volatile int k = 0; k < spins; k++)
        ;
    return divergence_scale(params);
}

#define divergence_scale slowed_scale
#include "stages/fused/fused_simd.h"
#undef divergence_scale
#include "stages/momentum/momentum_simd.h"
#include "stages/transport/transport_simd.h"

const swe_simd_table swe_simd_rows_v4 = {h_rows, v_rows, transport_row_in_simd},
                     swe_simd_rows_v3 = {h_rows, v_rows, transport_row_in_simd},
                     swe_simd_rows_base = {h_rows, v_rows, transport_row_in_simd};
