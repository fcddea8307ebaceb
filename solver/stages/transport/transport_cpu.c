#include "stages/transport/transport_cpu.h"

#include "stages/fused/fused_two_cpu.h"
#include "stages/momentum/momentum_row_cpu.h"
#include "stages/threads_cpu.h"
#include "stages/transport/transport_tile_cpu.h"

/* Rounded to whole cache lines. */
static size_t scratch_of_a_thread(const swe_params *params)
{
    const size_t values = transport_work_size + transport_window_size(params);
    return (values + ROWS_LINE - 1) / ROWS_LINE * ROWS_LINE;
}

size_t swe_transport_scratch_cpu(const swe_execution *execution, const swe_params *params)
{
    return params->rotational ? (size_t)execution->threads * scratch_of_a_thread(params) : 0;
}

/* ---- head and W for the stages after this one ------------------------------------------------ */

/* Copy a row of a field: its first and last `ends` values, or all. */
SWE_POINT void keep_row(int is_whole, int ends, int n, const real *SWE_RESTRICT row,
                        real *SWE_RESTRICT kept)
{
    if (is_whole) {
        rows_copy(n + 1, row, kept);
    } else {
        rows_copy(ends, row, kept);
        rows_copy(ends, row + n + 1 - ends, kept + n + 1 - ends);
    }
}

/* Store W1 where closures along rows read it, W2 where closures along columns do, the head for
 * both; and all of a row of W2 and head next to another thread's rows, where interior operators
 * read it. */
SWE_POINT void keep_strip_of(int order, const swe_params *params, rows_range strip,
                             const cpu_transport_substep *p)
{
    const int n = params->layout.n, columns = sbp_columns(order);
    const rows_range own = threads_piece(n + 1);
    for (int j = strip.first; j < strip.last; j++) {
        const transport_out row = transport_window_row(p->window, j);
        const transport_out kept = transport_out_at(p->kept, j * params->layout.pitch);
        const int is_end = j < own.first + columns || j >= own.last - columns;
        if (p->window->has_head)
            keep_row(is_end, columns, n, row.head, kept.head);
        keep_row(j == 0 || j == n, columns, n, row.pv_flux1, kept.pv_flux1);
        keep_row(is_end, 1, n, row.pv_flux2, kept.pv_flux2);
    }
}

SWE_CLONES
static void keep_strip(const swe_params *params, rows_range strip, const cpu_transport_substep *p)
{
    SWE_WITH_ORDER(params->sbp.order, keep_strip_of(ORDER, params, strip, p));
}

/* ---- v of inner cells ------------------------------------------------------------------------ */

/* Row j of the row buffer and of the substep's arrays; in the linear equations h is the head. */
static momentum_row momentum_row_of(const swe_params *params, int j, const cpu_transport_substep *p)
{
    const ptrdiff_t at = j * params->layout.pitch;
    const transport_out made = transport_window_row(p->window, j);
    const momentum_row row = {p->window->has_head ? made.head : p->h.in + at, made.pv_flux1,
                              made.pv_flux2, rk4_arrays_at(p->v1, at), rk4_arrays_at(p->v2, at)};
    return row;
}

/* Row j of vertices off the edges: cells in the interior along the row. */
static void make_row1(const swe_params *params, int j, const cpu_transport_substep *p)
{
    const rows_range all = {0, params->layout.n + 1},
                     cells = rows_cells(params->sbp.order, params->layout.n);
    const momentum_row row = momentum_row_of(params, j, p);
    prefetch_substep(params, p->substep, all, j + 1, p->v1);
    swe_momentum1_row(params, p->substep, p->weight, cells, &row);
}

/* Row j of cells without its ends. */
static void make_row2(const swe_params *params, int j, const cpu_transport_substep *p)
{
    const rows_range all = {0, params->layout.n + 1}, vertices = {1, params->layout.n};
    const momentum_row row = momentum_row_of(params, j, p);
    prefetch_substep(params, p->substep, all, j + 1, p->v2);
    swe_momentum2_row(params, p->substep, p->weight, j, vertices, &row);
}

/* Row j of the fields that the substep reads (stencils apart) and writes. */
static void add_substep(tile_prefetch *prefetch, const swe_params *params, int substep, int j,
                        rk4_arrays a)
{
    const rows_range all = {0, params->layout.n + 1};
    if (a.y != a.in)
        prefetch_add(prefetch, params, all, j, a.y);
    prefetch_add(prefetch, params, all, j, substep < 3 ? a.out : a.y1);
    if (substep == 3)
        prefetch_add(prefetch, params, all, j, a.y2);
}

/* Rows j and j + 1 of vertices, `cell` and cell + 1 of cells. */
static void make_two_rows(const swe_params *params, int j, int cell, const cpu_transport_substep *p)
{
    const int n = params->layout.n;
    const rows_range all = {0, n + 1}, vertices = {1, n};
    const momentum_row row1 = momentum_row_of(params, j, p),
                       row2 = momentum_row_of(params, cell, p);
    const two_v rows = {.i = all,
                        .cells = rows_cells(params->sbp.order, n),
                        .vertices = vertices,
                        .h1 = row1.head,
                        .h2 = row2.head,
                        .pv_flux1 = row1.pv_flux1,
                        .pv_flux2 = row2.pv_flux2,
                        .v1 = row1.v1,
                        .v2 = row2.v2};
    tile_prefetch prefetch = prefetch_begin(params, all, prefetch_lines(all));
    for (int next = 2; next < 4; next++) {
        add_substep(&prefetch, params, p->substep, j + next, p->v1);
        add_substep(&prefetch, params, p->substep, cell + next, p->v2);
    }
    two_rows_here()->v(params, p->substep, p->weight, &rows, &prefetch);
    prefetch_end(&prefetch);
}

/* Compute v of the inner cells that the rows of a strip complete. */
static void make_inner_cells(const swe_params *params, rows_range strip,
                             const cpu_transport_substep *p)
{
    const int order = params->sbp.order, n = params->layout.n;
    const rows_range inner = tiles_inner(order, n, threads_piece(n + 1));
    for (int j = strip.first; j < strip.last; j++) {
        const int cell = j - order / 2; /* the last row that reads row j */
        if (two_rows_here() != NULL && j > 0 && j + 1 < n && j + 1 < strip.last &&
            cell >= inner.first && cell + 1 < inner.last) {
            make_two_rows(params, j, cell, p);
            j++;
            continue;
        }
        if (j > 0 && j < n)
            make_row1(params, j, p);
        if (cell >= inner.first && cell < inner.last)
            make_row2(params, cell, p);
    }
}

/* ---- the stage ------------------------------------------------------------------------------- */

static cpu_transport_substep substep_at(const cpu_transport_substep *p, ptrdiff_t at)
{
    cpu_transport_substep moved = *p;
    moved.h = rk4_arrays_at(p->h, at);
    moved.v1 = rk4_arrays_at(p->v1, at);
    moved.v2 = rk4_arrays_at(p->v2, at);
    moved.bottom = p->bottom + at;
    moved.coriolis = p->coriolis + at;
    moved.kept = transport_out_at(p->kept, at);
    return moved;
}

static void sweep_strip(const swe_params *params, tiles_cut cut, int panel, int strip,
                        const cpu_transport_substep *p, real *memory)
{
    const rows_range rows = rows_piece(cut.n + 1, strip, cut.rows);
    transport_window_begin(p->window, panel, rows.first);
    for (int column = 0; column < cut.columns; column++)
        transport_sweep_tile(params, tiles_at(cut, panel, strip * cut.columns + column), p, memory);
    keep_strip(params, rows, p);
    make_inner_cells(params, rows, p);
    transport_window_end(p->window, panel, rows.last);
}

/* A thread's strips, panel by panel: the panels share metric terms. */
static void sweep_strips(const swe_params *params, const cpu_transport_substep *whole, real *memory)
{
    const tiles_cut cut = tiles_cut_of(params->layout.n, CPU_TILE_NARROW, TRANSPORT_STRIP_J);
    const rows_range strips = threads_piece(cut.rows);
    for (int strip = strips.first; strip < strips.last; strip++)
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            const cpu_transport_substep p = substep_at(whole, panel * params->layout.panel);
            sweep_strip(params, cut, panel, strip, &p, memory);
        }
}

void swe_transport_cpu(const swe_execution *execution, const swe_params *params, int substep,
                       real weight, real *y, real *next, real *head, real *pv_flux1, real *pv_flux2,
                       real *edge_vorticity)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    real *memory = threads_scratch(params, scratch_of_a_thread(params));
    transport_window window = transport_window_of(params, memory + transport_work_size);
    const cpu_transport_substep whole = {.substep = substep,
                                         .weight = weight,
                                         .h = arrays,
                                         .v1 = rk4_arrays_at(arrays, field),
                                         .v2 = rk4_arrays_at(arrays, 2 * field),
                                         .bottom = params->bottom,
                                         .coriolis = params->coriolis,
                                         .kept = {head, pv_flux1, pv_flux2},
                                         .edge_vorticity = edge_vorticity,
                                         .window = &window};
    thread_begin(execution);
    sweep_strips(params, &whole, memory);
    thread_end(execution);
    threads_wait(execution);
}
