/* A row of the first sweep made simd after simd, off the closures along xi2: the same numbers as
 * those of transport_rows.h, for less work (transport_simd_rows.h). */
#ifndef SWE_STAGES_TRANSPORT_SIMD_CPU_H
#define SWE_STAGES_TRANSPORT_SIMD_CPU_H

#include "stages/transport/transport_row.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the next row of all windows, too. Asks for a piece of `prefetch` with each cache line of
 * its rows. */
typedef void transport_simd_row(const swe_params *params, int substep, real weight,
                                const transport_row *row, tile_prefetch *prefetch);

/* Compiled for AVX-512, for AVX2, and for what the rest is compiled for. */
transport_simd_row swe_transport_simd_v4, swe_transport_simd_v3, swe_transport_simd_base;

/* That which is fastest on this processor; none where numbers have no simd, as those that count.
 */
static inline transport_simd_row *transport_simd_here(void)
{
#ifdef SWE_NO_SIMD
    return NULL;
#else
#if SWE_HAS_CLONES
    if (__builtin_cpu_supports("x86-64-v4"))
        return swe_transport_simd_v4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return swe_transport_simd_v3;
#endif
    return swe_transport_simd_base;
#endif
}

#ifdef __cplusplus
}
#endif
#endif
