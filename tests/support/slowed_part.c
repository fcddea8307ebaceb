/* SIMD rows whose divergence is slower in `fused`: its factor waits for CUBESWE_SLOWED_DIVISIONS
 * divisions by 1, one after another, with each vector. The file defines the tables of all
 * instruction sets, so that the linker uses no table of the product. */
#include <stdlib.h>

#include "stages/divergence/divergence_point.h"
#include "sweeps/simd/simd_rows_cpu.h"

static int divisions;
static volatile real one = 1;

__attribute__((constructor)) static void read_divisions(void)
{
    const char *text = getenv("CUBESWE_SLOWED_DIVISIONS");
    divisions = text != NULL ? atoi(text) : 0;
}

/* The number of rounds does not depend on the divisions, so the processor predicts the end of the
 * loop in time: a late end would slow the code after the loop, which belongs to another part. */
SWE_POINT real slowed_scale(const swe_params *params)
{
    real scale = divergence_scale(params);
    for (int k = 0; k < divisions; k++)
        scale /= one;
    return scale;
}

#define divergence_scale slowed_scale
#include "sweeps/simd/fused_simd.h"
#undef divergence_scale
#include "sweeps/simd/momentum_simd.h"
#include "sweeps/simd/transport_simd.h"

const swe_simd_table swe_simd_rows_v4 = {velocity_rows, h_rows, v_rows, transport_row_in_simd},
                     swe_simd_rows_v3 = {velocity_rows, h_rows, v_rows, transport_row_in_simd},
                     swe_simd_rows_base = {velocity_rows, h_rows, v_rows, transport_row_in_simd};
