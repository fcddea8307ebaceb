/* A row of the first sweep made lanes after lanes, off the closures along xi2: the same numbers as
 * those of transport_rows.h, for less work (transport_lanes_rows.h). */
#ifndef SWE_STAGES_TRANSPORT_LANES_CPU_H
#define SWE_STAGES_TRANSPORT_LANES_CPU_H

#include "stages/tiles_cpu.h"
#include "stages/transport/transport_point.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What row j of a tile, whose columns are `i`, takes and makes; all point at its first place. */
typedef struct transport_lanes {
    int j;
    rows_range i;
    const real *h, *v1, *v2, *bottom, *coriolis;
    const real *metric11, *metric12, *metric22, *inverse_jacobian;
    rk4_arrays h_of_part;
    real *mean1, *cross1;           /* windows, rows CPU_TILE_PITCH apart: of vertices, */
    real *shear2, *square2, *flux2; /* of cells; the next row of either is made */
    /* Lines, of which what is near closures along xi1 is made: */
    real *mean2, *cross2;           /* of vertices */
    real *shear1, *square1, *flux1; /* of cells */
    real *vorticity;                /* of vertices, and what stencils make there */
    real *weak_of_flux1, *mean_of_flux1, *mean_of_shear1, *mean_of_square1;
    transport_out out;
} transport_lanes;

/* Asks for a piece of `ahead` with each cache line of its rows. */
typedef void transport_lanes_row(const swe_view *view, int part, real weight,
                                 const transport_lanes *row, tile_ahead *ahead);

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
