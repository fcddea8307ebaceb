/* A row of the first sweep in SIMD vectors, off the closures along xi2: the results of
 * transport_rows.h to the bit, faster (transport_simd_rows.h). */
#ifndef SWE_STAGES_TRANSPORT_SIMD_CPU_H
#define SWE_STAGES_TRANSPORT_SIMD_CPU_H

#include "stages/transport/transport_row.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the next row of all row buffers, too. Issues one step of `prefetch` with each cache line
 * of its rows. */
typedef void transport_simd_row(const swe_params *params, int substep, real weight,
                                const transport_row *row, tile_prefetch *prefetch);

/* Compiled for AVX-512, for AVX2 and for the baseline instruction set. */
transport_simd_row swe_transport_simd_v4, swe_transport_simd_v3, swe_transport_simd_base;

/* The fastest that this processor runs; NULL in the build that counts operations. */
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
