/* A row of the first sweep made lanes after lanes, off the closures along xi2: the same numbers as
 * those of transport_rows.h, for less work (transport_lanes_rows.h). */
#ifndef SWE_STAGES_TRANSPORT_LANES_CPU_H
#define SWE_STAGES_TRANSPORT_LANES_CPU_H

#include "stages/transport/transport_row.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the next row of all windows, too. Asks for a piece of `ahead` with each cache line of its
 * rows. */
typedef void transport_lanes_row(const swe_params *params, int part, real weight,
                                 const transport_row *row, tile_ahead *ahead);

/* Compiled for AVX-512, for AVX2, and for what the rest is compiled for. */
transport_lanes_row swe_transport_lanes_v4, swe_transport_lanes_v3, swe_transport_lanes_base;

/* That which is fastest on this processor; none where numbers have no lanes, as those that count.
 */
static inline transport_lanes_row *transport_lanes_here(void)
{
#ifdef SWE_NO_LANES
    return NULL;
#else
#if SWE_HAS_CLONES
    if (__builtin_cpu_supports("x86-64-v4"))
        return swe_transport_lanes_v4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return swe_transport_lanes_v3;
#endif
    return swe_transport_lanes_base;
#endif
}

#ifdef __cplusplus
}
#endif
#endif
