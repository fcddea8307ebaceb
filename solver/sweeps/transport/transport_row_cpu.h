/* The first sweep of rotational flows on the CPU (transport_point.h): a row of a tile, its inputs
 * and outputs, and the row buffer of head and W, from which v of inner cells is computed. */
#ifndef SWE_SWEEPS_TRANSPORT_ROW_CPU_H
#define SWE_SWEEPS_TRANSPORT_ROW_CPU_H

#include "stages/tiles_cpu.h"
#include "sweeps/transport/transport_point.h"

/* Rows of a strip, the tiles of a panel beside each other. The buffers of a tile and of a strip
 * have 0.8 MB in double precision at n = 384, order 4: they fit in a second-level cache of 1 MiB;
 * larger ones stay in the third level. */
enum {
    TRANSPORT_STRIP_J = 40,
    TRANSPORT_PITCH =
        CPU_TILE_NARROW +
        4 * ROWS_LINE, /* a tile, the columns that its stencils read, and one SIMD vector */
    TRANSPORT_LINE_BEFORE =
        2 * ROWS_LINE, /* operators of order 6 read eleven rows at a panel edge */
    TRANSPORT_LINE = TRANSPORT_LINE_BEFORE + TRANSPORT_PITCH,
    TRANSPORT_LINES = 13, /* of a tile */
    TRANSPORT_BUFFERS = 5,
    TRANSPORT_BUFFER = (TRANSPORT_STRIP_J + CPU_TILE_MARGIN) * TRANSPORT_PITCH
};

/* Number of values of a tile's row buffers and lines. */
static const size_t transport_tile_size =
    TRANSPORT_BUFFERS * (size_t)TRANSPORT_BUFFER + TRANSPORT_LINES * (size_t)TRANSPORT_LINE;

/* All point at the first column of the tile. Columns that operators read beyond the tile are valid,
 * too. */
typedef struct transport_row {
    int j;
    rows_range i;        /* columns of the tile */
    ptrdiff_t in_metric; /* in metric terms */
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

/* The row buffer of head and W: the rows of a strip of one panel, as long as the panel's rows,
 * after the last rows of the previous strip, which interior operators along xi2 read. The buffer
 * stays in a cache; the fields hold only the values that later stages read. */
typedef struct transport_buffer {
    int first;          /* row of the panel that is the buffer's first */
    int before;         /* rows before the strip */
    int has_head;       /* 0: linear equations, where h is the head */
    ptrdiff_t pitch;    /* of a row */
    ptrdiff_t column;   /* of the panel's column 0 in a row */
    transport_out rows; /* (before + TRANSPORT_STRIP_J, pitch) each of head, W1 and W2 */
    real *last; /* (6, 2, before, pitch) head and W2 of the last rows of each panel's strip */
} transport_buffer;

/* Number of values that the row buffer needs. */
static inline size_t transport_buffer_size(const swe_params *params)
{
    const size_t before = (size_t)params->sbp.order - 1, pitch = (size_t)params->layout.pitch;
    return (3 * (before + TRANSPORT_STRIP_J) + SWE_PANELS * 2 * before) * pitch;
}

/* Number of values of a thread's scratch, in whole cache lines: a tile's, and the row buffer's. */
static inline size_t transport_scratch_size(const swe_params *params)
{
    const size_t values = transport_tile_size + transport_buffer_size(params);
    return (values + ROWS_LINE - 1) / ROWS_LINE * ROWS_LINE;
}

static inline transport_buffer transport_buffer_of(const swe_params *params, real *scratch)
{
    const int before = params->sbp.order - 1;
    const ptrdiff_t pitch = params->layout.pitch, rows = (before + TRANSPORT_STRIP_J) * pitch;
    const transport_buffer b = {.first = 0,
                                .before = before,
                                .has_head = params->physics.equations == SWE_NONLINEAR,
                                .pitch = pitch,
                                .column = 0,
                                .rows = {scratch, scratch + rows, scratch + 2 * rows},
                                .last = scratch + 3 * rows};
    return b;
}

/* Head and W of a row of the panel, at its vertex 0. */
static inline transport_out transport_buffer_row(const transport_buffer *b, int j)
{
    return transport_out_at(b->rows, (j - b->first) * b->pitch + b->column);
}

/* Begin a strip of a block at row `first`; end one at row `last`, exclusive. If the block is cut at
 * its west side, the buffer has the same readable columns before it as a field. */

static inline void transport_buffer_begin(transport_buffer *b, const swe_block *block, int first)
{
    const ptrdiff_t size = b->before * b->pitch;
    const real *from = b->last + block->panel * 2 * size;
    b->first = first - b->before;
    b->column = block->i.first == 0 ? 0 : SWE_LINES_BEFORE * ROWS_LINE - block->i.first;
    if (b->has_head)
        rows_copy(size, from, b->rows.head);
    rows_copy(size, from + size, b->rows.pv_flux2);
}

static inline void transport_buffer_end(const transport_buffer *b, int panel, int last)
{
    const ptrdiff_t size = b->before * b->pitch;
    const transport_out rows = transport_out_at(b->rows, (last - b->before - b->first) * b->pitch);
    real *to = b->last + panel * 2 * size;
    if (b->has_head)
        rows_copy(size, rows.head, to);
    rows_copy(size, rows.pv_flux2, to + size);
}

#endif
