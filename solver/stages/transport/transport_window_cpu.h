/* Head and W on the CPU: of the rows that a thread made last they are in a window, which stays in a
 * cache; in the fields is only what stages after `transport` take. */
#ifndef SWE_STAGES_TRANSPORT_WINDOW_CPU_H
#define SWE_STAGES_TRANSPORT_WINDOW_CPU_H

#include <string.h>

#include "stages/tiles_cpu.h"
#include "stages/transport/transport_point.h"

enum {
    TRANSPORT_TILE_J = 40, /* lower than those of `fused`: twice as much lives meanwhile */
    TRANSPORT_KEPT = 5     /* rows of the strip before that operators of order 6 take */
};

/* Rows of a strip and, before it, those kept of the strip before; all as long as a panel's. */
typedef struct transport_window {
    transport_out rows; /* head, W1, W2 (TRANSPORT_KEPT + TRANSPORT_TILE_J, pitch) */
    real *kept;         /* (6, 2, TRANSPORT_KEPT, pitch) head and W2 */
    int first;          /* row of the panel that is the window's first */
} transport_window;

static inline size_t transport_window_rows(const swe_view *view)
{
    return (TRANSPORT_KEPT + TRANSPORT_TILE_J) * (size_t)view->layout.pitch;
}

static inline size_t transport_window_kept(const swe_view *view)
{
    return TRANSPORT_KEPT * (size_t)view->layout.pitch;
}

/* Values of memory that a window wants. */
static inline size_t transport_window_size(const swe_view *view)
{
    return 3 * transport_window_rows(view) + SWE_PANELS * 2 * transport_window_kept(view);
}

static inline transport_window transport_window_of(const swe_view *view, real *memory)
{
    const size_t rows = transport_window_rows(view);
    const transport_window w = {
        {memory, memory + rows, memory + 2 * rows}, memory + 3 * rows, -TRANSPORT_KEPT};
    return w;
}

/* Head and W of a row of the panel, at its first vertex. */
static inline transport_out transport_window_row(const swe_view *view, const transport_window *w,
                                                 int j)
{
    const ptrdiff_t at = (j - w->first) * view->layout.pitch;
    const transport_out row = {w->rows.head + at, w->rows.turned1 + at, w->rows.turned2 + at};
    return row;
}

/* Begin a strip of a panel at row `first`, and end one of which the last row is last - 1: its last
 * rows are the next one's kept. */

static inline void transport_window_begin(const swe_view *view, int panel, int first,
                                          transport_window *w)
{
    const size_t kept = transport_window_kept(view);
    const real *from = w->kept + (size_t)panel * 2 * kept;
    w->first = first - TRANSPORT_KEPT;
    memcpy(w->rows.head, from, kept * sizeof *from);
    memcpy(w->rows.turned2, from + kept, kept * sizeof *from);
}

static inline void transport_window_end(const swe_view *view, int panel, int last,
                                        const transport_window *w)
{
    const size_t kept = transport_window_kept(view);
    const transport_out rows = transport_window_row(view, w, last - TRANSPORT_KEPT);
    real *to = w->kept + (size_t)panel * 2 * kept;
    memcpy(to, rows.head, kept * sizeof *to);
    memcpy(to + kept, rows.turned2, kept * sizeof *to);
}

#endif
