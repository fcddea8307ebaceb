/* A row of a tile in the first sweep (transport_point.h): its inputs and outputs. */
#ifndef SWE_STAGES_TRANSPORT_ROW_H
#define SWE_STAGES_TRANSPORT_ROW_H

#include "stages/tiles_cpu.h"
#include "stages/transport/transport_point.h"

enum {
    TRANSPORT_PITCH =
        CPU_TILE_NARROW +
        4 * ROWS_LINE, /* a tile, the columns that its stencils read, and one SIMD vector */
    TRANSPORT_LINE_BEFORE =
        2 * ROWS_LINE, /* operators of order 6 read eleven rows at a panel edge */
    TRANSPORT_LINE = TRANSPORT_LINE_BEFORE + TRANSPORT_PITCH
};

/* All point at the first column of the tile. Columns that operators read beyond the tile are valid,
 * too. */
typedef struct transport_row {
    int j;
    rows_range i;       /* columns of the tile */
    ptrdiff_t in_panel; /* first column of the panel */
    const real *h, *v1, *v2, *bottom, *coriolis;
    const real *metric11, *metric12, *metric22, *inverse_jacobian;
    rk4_arrays h_of_substep;
    /* Row buffers; rows are TRANSPORT_PITCH apart. */
    real *mean1, *cross1;           /* of vertices */
    real *shear2, *square2, *flux2; /* of cells */
    /* Lines. */
    real *mean2, *cross2;           /* of vertices */
    real *shear1, *square1, *flux1; /* of cells */
    real *dh, *g1, *g2, *vorticity; /* of the tile's vertices */
    real *weak_of_flux1, *mean_of_flux1, *mean_of_shear1, *mean_of_square1; /* of closures */
    transport_out out;
} transport_row;

#endif
