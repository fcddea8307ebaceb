/* The row buffer of head and W on the CPU: it holds the rows that a thread computed last, and stays
 * in a cache. v of inner cells is computed from it; the fields hold only what later stages read. */
#ifndef SWE_STAGES_TRANSPORT_WINDOW_CPU_H
#define SWE_STAGES_TRANSPORT_WINDOW_CPU_H

#include "stages/tiles_cpu.h"
#include "stages/transport/transport_point.h"

/* Rows of a strip. The buffers of a tile and this one have 0.8 MB in double precision at n = 384,
 * order 4: they fit in a second-level cache of 1 MiB; larger ones stay in the third level. */
enum { TRANSPORT_STRIP_J = 40 };

/* The rows of a strip of one panel, as long as the panel's rows; before them the last rows of the
 * strip before, which interior operators along xi2 read. */
typedef struct transport_window {
    int first;          /* row of the panel that is the buffer's first */
    int before;         /* rows before the strip */
    int has_head;       /* 0: linear equations, where h is the head */
    ptrdiff_t pitch;    /* of a row */
    transport_out rows; /* (before + TRANSPORT_STRIP_J, pitch) each of head, W1 and W2 */
    real *last; /* (6, 2, before, pitch) head and W2 of the last rows of each panel's strip */
} transport_window;

/* Number of values that the row buffer needs. */
static inline size_t transport_window_size(const swe_params *params)
{
    const size_t before = (size_t)params->sbp.order - 1, pitch = (size_t)params->layout.pitch;
    return (3 * (before + TRANSPORT_STRIP_J) + SWE_PANELS * 2 * before) * pitch;
}

static inline transport_window transport_window_of(const swe_params *params, real *memory)
{
    const int before = params->sbp.order - 1;
    const ptrdiff_t pitch = params->layout.pitch, rows = (before + TRANSPORT_STRIP_J) * pitch;
    const int has_head = params->equations == SWE_NONLINEAR;
    const transport_window w = {
        0, before, has_head, pitch, {memory, memory + rows, memory + 2 * rows}, memory + 3 * rows};
    return w;
}

/* Head and W of a row of the panel, at its first vertex. */
static inline transport_out transport_window_row(const transport_window *w, int j)
{
    return transport_out_at(w->rows, (j - w->first) * w->pitch);
}

/* Begin a strip of a panel at row `first`; end one at row `last`, exclusive. */

static inline void transport_window_begin(transport_window *w, int panel, int first)
{
    const ptrdiff_t size = w->before * w->pitch;
    const real *from = w->last + panel * 2 * size;
    w->first = first - w->before;
    if (w->has_head)
        rows_copy(size, from, w->rows.head);
    rows_copy(size, from + size, w->rows.pv_flux2);
}

static inline void transport_window_end(const transport_window *w, int panel, int last)
{
    const ptrdiff_t size = w->before * w->pitch;
    const transport_out rows = transport_window_row(w, last - w->before);
    real *to = w->last + panel * 2 * size;
    if (w->has_head)
        rows_copy(size, rows.head, to);
    rows_copy(size, rows.pv_flux2, to + size);
}

#endif
