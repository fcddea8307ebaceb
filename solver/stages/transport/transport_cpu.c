#include "stages/transport/transport_cpu.h"

#include "stages/contravariant/contravariant_tile_cpu.h"
#include "stages/momentum/momentum_row_cpu.h"
#include "stages/threads_cpu.h"
#include "stages/tiles_cpu.h"
#include "stages/transport/transport_rows.h"
#include "stages/transport/transport_window_cpu.h"

enum {
    TRANSPORT_ROWS = TRANSPORT_TILE_J + CPU_TILE_MARGIN,
    TRANSPORT_WINDOW = TRANSPORT_ROWS * CPU_TILE_PITCH
};

/* What lives while a tile is worked on. Windows have the columns of the tile; row r of one is row
 * r - first. Lines have the columns that the tile's vertices take. */
typedef struct cpu_transport_work {
    real *mean1, *cross1;           /* windows of rows of vertices */
    real *shear2, *square2, *flux2; /* windows of rows of cells */
    real *mean2, *cross2;           /* lines of vertices */
    real *shear1, *square1, *flux1; /* lines of cells */
    real *dh, *g1, *g2, *vorticity; /* of a row of the tile */
    int next_vertex, first_vertex;  /* rows: to be made next, first of the window */
    int next_cell, first_cell;
    rows_range cells, vertices; /* columns of lines */
} cpu_transport_work;

static const size_t transport_work_size =
    5 * (size_t)TRANSPORT_WINDOW + 9 * (size_t)CPU_TILE_PITCH;

static size_t scratch_of_a_thread(const swe_view *view)
{
    return transport_work_size + transport_window_size(view);
}

size_t swe_transport_scratch_cpu(const swe_view *view)
{
    return view->turns ? (size_t)view->workers.threads * scratch_of_a_thread(view) : 0;
}

static cpu_transport_work cpu_transport_work_of(int order, int n, cpu_tile t, real *memory)
{
    cpu_transport_work w;
    w.mean1 = memory;
    w.cross1 = w.mean1 + TRANSPORT_WINDOW;
    w.shear2 = w.cross1 + TRANSPORT_WINDOW;
    w.square2 = w.shear2 + TRANSPORT_WINDOW;
    w.flux2 = w.square2 + TRANSPORT_WINDOW;
    w.mean2 = w.flux2 + TRANSPORT_WINDOW;
    w.cross2 = w.mean2 + CPU_TILE_PITCH;
    w.shear1 = w.cross2 + CPU_TILE_PITCH;
    w.square1 = w.shear1 + CPU_TILE_PITCH;
    w.flux1 = w.square1 + CPU_TILE_PITCH;
    w.dh = w.flux1 + CPU_TILE_PITCH;
    w.g1 = w.dh + CPU_TILE_PITCH;
    w.g2 = w.g1 + CPU_TILE_PITCH;
    w.vorticity = w.g2 + CPU_TILE_PITCH;
    w.first_cell = w.next_cell = fused_first_cell(order, n, t.j.first);
    w.first_vertex = w.next_vertex = fused_first_vertex(order, n, w.first_cell);
    w.cells = tiles_cells(order, n, t.i);
    w.vertices = tiles_vertices(order, n, w.cells);
    return w;
}

/* Means and cross terms of the next row of vertices of the window. */
static void make_vertex_row(const swe_view *view, cpu_tile t, const real *h, const real *v1,
                            const cpu_transport_work *w)
{
    const ptrdiff_t at = w->next_vertex * view->layout.pitch + t.i.first;
    const ptrdiff_t in_window = (w->next_vertex - w->first_vertex) * (ptrdiff_t)CPU_TILE_PITCH;
    fetch(view, t.i, w->next_vertex + 1, v1);
    fetch(view, t.i, w->next_vertex + 1, h);
    fetch_metric(view, t, t.i, w->next_vertex + 1, view->metric12);
    mean1_row(view, t.i, view->metric12 + at, h + at, v1 + at, w->mean1 + in_window,
              w->cross1 + in_window);
}

/* F2, shear_2 and squares of the rows that vertex row j takes, each made once. */
static void make_along2(const swe_view *view, cpu_tile t, const real *h, const real *v1,
                        const real *v2, int j, cpu_transport_work *w)
{
    const int order = view->sbp.order, n = view->layout.n, columns = t.i.last - t.i.first;
    for (; w->next_cell <= fused_last_cell(order, n, j); w->next_cell++) {
        for (; w->next_vertex <= fused_last_vertex(order, n, w->next_cell); w->next_vertex++)
            make_vertex_row(view, t, h, v1, w);
        const ptrdiff_t at = w->next_cell * view->layout.pitch + t.i.first;
        const ptrdiff_t vertex = (w->next_cell - w->first_vertex) * (ptrdiff_t)CPU_TILE_PITCH;
        const ptrdiff_t cell = (w->next_cell - w->first_cell) * (ptrdiff_t)CPU_TILE_PITCH;
        fetch(view, t.i, w->next_cell + 1, v2);
        fetch_metric(view, t, t.i, w->next_cell + 1, view->metric22);
        swe_flux2_row(view, w->next_cell, columns, view->metric22 + at, h + at, v2 + at,
                      w->cross1 + vertex, w->flux2 + cell);
        if (view->equations == SWE_NONLINEAR) {
            squares_row(columns, view->metric22 + at, v2 + at, w->square2 + cell);
            shear2_row(view, w->next_cell, columns, w->mean1 + vertex, w->shear2 + cell);
        }
    }
}

/* F1, shear_1 and squares of the cells that row j of the tile takes. */
static void make_along1(const swe_view *view, cpu_tile t, const real *h, const real *v1,
                        const real *v2, int j, const cpu_transport_work *w)
{
    const ptrdiff_t pitch = view->layout.pitch, skip = w->cells.first - w->vertices.first;
    const ptrdiff_t vertex = j * pitch + w->vertices.first, cell = j * pitch + w->cells.first;
    fetch_metric(view, t, w->cells, j + 1, view->metric11);
    mean2_row(view, j, w->vertices.last - w->vertices.first, view->metric12 + vertex, h + vertex,
              v2 + vertex, w->mean2, w->cross2);
    swe_flux1_row(view, w->cells, view->metric11 + cell, h + cell, v1 + cell, w->cross2 + skip,
                  w->flux1);
    if (view->equations == SWE_NONLINEAR) {
        squares_row(w->cells.last - w->cells.first, view->metric11 + cell, v1 + cell, w->square1);
        shear1_row(view, w->cells, w->mean2 + skip, w->shear1);
    }
}

/* Leave a panel's own vorticity of shared points for the join. */
static void keep_margin(const swe_view *view, cpu_tile t, int j, const real *vorticity,
                        real *margin)
{
    const int n = view->layout.n, along = j == 0 || j == n ? 1 : n; /* from one to the next */
    for (int i = along == 1 || t.i.first == 0 ? t.i.first : n; i < t.i.last; i += along)
        margin[join_margin_at(n, t.panel, j, i)] = vorticity[i - t.i.first];
}

/* What is between two tiles and the fields of a part, at a panel. */
typedef struct cpu_transport_part {
    int part;
    real weight;
    rk4_arrays arrays; /* of h */
    const real *bottom, *coriolis;
    momentum_row fields;
    transport_out out;
    real *margin; /* whole */
    transport_window *window;
} cpu_transport_part;

static transport_row row_of(const swe_view *view, cpu_tile t, int j, const cpu_transport_part *p,
                            const cpu_transport_work *w)
{
    const ptrdiff_t at = j * view->layout.pitch + t.i.first;
    const ptrdiff_t cell = (j - w->first_cell) * (ptrdiff_t)CPU_TILE_PITCH,
                    vertex = (j - w->first_vertex) * (ptrdiff_t)CPU_TILE_PITCH;
    const int cells = t.i.first - w->cells.first, vertices = t.i.first - w->vertices.first;
    const transport_out out = transport_window_row(view, p->window, j);
    const transport_row r = {.j = j,
                             .in_panel = at,
                             .h = p->arrays.in + at,
                             .bottom = p->bottom + at,
                             .coriolis = p->coriolis + at,
                             .flux1 = w->flux1 + cells,
                             .flux2 = w->flux2 + cell,
                             .square1 = w->square1 + cells,
                             .square2 = w->square2 + cell,
                             .shear1 = w->shear1 + cells,
                             .shear2 = w->shear2 + cell,
                             .mean1 = w->mean1 + vertex,
                             .mean2 = w->mean2 + vertices,
                             .dh = w->dh,
                             .g1 = w->g1,
                             .g2 = w->g2,
                             .vorticity = w->vorticity,
                             .out = {out.head + t.i.first, out.turned1 + t.i.first,
                                     out.turned2 + t.i.first}};
    return r;
}

static void sweep_row(const swe_view *view, cpu_tile t, int j, const cpu_transport_part *p,
                      cpu_transport_work *w)
{
    const ptrdiff_t field = view->layout.field;
    const real *h = p->arrays.in, *v1 = h + field, *v2 = h + 2 * field;
    make_along2(view, t, h, v1, v2, j, w);
    make_along1(view, t, h, v1, v2, j, w);
    const transport_row r = row_of(view, t, j, p, w);
    const rk4_arrays a = rk4_arrays_at(p->arrays, r.in_panel);
    fetch_metric(view, t, t.i, j + 1, view->inverse_jacobian);
    fetch_part(view, p->part, t.i, j + 1, p->arrays);
    fluxes_row(view, t.i, &r);
    fetch(view, t.i, j + 1, p->coriolis);
    if (view->equations == SWE_NONLINEAR) {
        fetch(view, t.i, j + 1, p->bottom);
        vorticity_row(view, t.i, &r);
        head_row(view, t.i, &r);
        keep_margin(view, t, j, w->vorticity, p->margin);
    }
    turn_row(view, t.i, &r);
    update_row(p->part, p->weight, t.i.last - t.i.first, r.dh, &a);
}

static void sweep_tile(const swe_view *view, cpu_tile t, const cpu_transport_part *p, real *memory)
{
    cpu_transport_work w = cpu_transport_work_of(view->sbp.order, view->layout.n, t, memory);
    for (int j = t.j.first; j < t.j.last; j++)
        sweep_row(view, t, j, p, &w);
}

/* Leave what the stages after this one take: of rows near another thread's, or near an edge, all;
 * of the others what closures take at their ends. */

SWE_POINT void keep_ends_of(int order, const swe_view *view, rows_range strip,
                            const cpu_transport_part *p)
{
    const int columns = sbp_columns(order), high = view->layout.n + 1 - columns;
    const int has_head = view->equations == SWE_NONLINEAR;
    for (int j = strip.first; j < strip.last; j++) {
        const ptrdiff_t at = j * view->layout.pitch;
        const transport_out row = transport_window_row(view, p->window, j);
        const transport_out out = {p->out.head + at, p->out.turned1 + at, p->out.turned2 + at};
        for (int end = 0; end <= high; end += high) {
            if (has_head)
                memcpy(out.head + end, row.head + end, (size_t)columns * sizeof(real));
            memcpy(out.turned1 + end, row.turned1 + end, (size_t)columns * sizeof(real));
        }
        out.turned2[0] = row.turned2[0];
        out.turned2[view->layout.n] = row.turned2[view->layout.n];
    }
}

SWE_CLONES
static void keep_ends(const swe_view *view, rows_range strip, const cpu_transport_part *p)
{
    SWE_WITH_ORDER(view->sbp.order, keep_ends_of(ORDER, view, strip, p));
}

static void keep_whole_rows(const swe_view *view, rows_range strip, const cpu_transport_part *p)
{
    const rows_range own = threads_piece(view->layout.n + 1);
    const int columns = sbp_columns(view->sbp.order);
    const size_t size = ((size_t)view->layout.n + 1) * sizeof(real);
    for (int j = strip.first; j < strip.last; j++) {
        const transport_out row = transport_window_row(view, p->window, j);
        const ptrdiff_t at = j * view->layout.pitch;
        if (j >= own.first + columns && j < own.last - columns)
            continue;
        if (view->equations == SWE_NONLINEAR)
            memcpy(p->out.head + at, row.head, size);
        memcpy(p->out.turned1 + at, row.turned1, size);
        memcpy(p->out.turned2 + at, row.turned2, size);
    }
}

/* Head and W of row j in the window, and the part's arrays there. */
static momentum_row momentum_row_of(const swe_view *view, int j, const cpu_transport_part *p)
{
    const transport_out window = transport_window_row(view, p->window, j);
    momentum_row row = momentum_row_at(p->fields, j * view->layout.pitch);
    if (view->equations == SWE_NONLINEAR)
        row.head = window.head;
    row.turned1 = window.turned1;
    row.turned2 = window.turned2;
    return row;
}

/* v of what the rows of a strip complete. */
static void make_inner_cells(const swe_view *view, rows_range strip, const cpu_transport_part *p)
{
    const int order = view->sbp.order, n = view->layout.n;
    const rows_range own = threads_piece(n + 1), interior = rows_cells(order, n), columns = {1, n},
                     rows = tiles_inner(order, n, own), all = {0, n + 1};
    for (int j = strip.first; j < strip.last; j++) {
        const int cell = j - order / 2;
        const momentum_row row1 = momentum_row_of(view, j, p);
        fetch_part(view, p->part, all, j + 1, p->fields.v1);
        if (j > 0 && j < n)
            swe_momentum1_row(view, p->part, p->weight, interior, &row1);
        fetch_part(view, p->part, all, cell + 1, p->fields.v2);
        if (cell >= rows.first && cell < rows.last) {
            const momentum_row row2 = momentum_row_of(view, cell, p);
            swe_momentum2_row(view, p->part, p->weight, cell, columns, &row2);
        }
    }
}

/* v2 of inner cells whose operators take rows of another thread. */
static void make_border_cells(const swe_view *view, const cpu_transport_part *p)
{
    const int order = view->sbp.order, n = view->layout.n;
    const rows_range own = threads_piece(n + 1), interior = rows_cells(order, n), columns = {1, n},
                     rows = tiles_inner(order, n, own);
    const int last = rows_clamp(own.last, interior);
    for (int j = rows_clamp(own.first, interior); j < last; j++) {
        const momentum_row row = momentum_row_at(p->fields, j * view->layout.pitch);
        if (j < rows.first || j >= rows.last)
            swe_momentum2_row(view, p->part, p->weight, j, columns, &row);
    }
}

static void sweep_strip(const swe_view *view, tiles_cut cut, int panel, int strip,
                        const cpu_transport_part *p, real *memory)
{
    const rows_range rows = rows_piece(cut.n + 1, strip, cut.rows);
    transport_window_begin(view, panel, rows.first, p->window);
    for (int column = 0; column < cut.columns; column++)
        sweep_tile(view, tiles_at(cut, panel, strip * cut.columns + column), p, memory);
    keep_ends(view, rows, p);
    keep_whole_rows(view, rows, p);
    make_inner_cells(view, rows, p);
    transport_window_end(view, panel, rows.last, p->window);
}

void swe_transport_cpu(const swe_view *view, int part, real weight, real *y, real *next, real *head,
                       real *turned1, real *turned2, real *margin)
{
    const ptrdiff_t field = view->layout.field, panel_size = view->layout.panel;
    const rk4_arrays arrays = rk4_arrays_of(view, part, y, next);
    real *memory = threads_scratch(view, scratch_of_a_thread(view));
    transport_window window = transport_window_of(view, memory + transport_work_size);
    cpu_transport_part parts[SWE_PANELS];
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const ptrdiff_t at = panel * panel_size;
        parts[panel] = (cpu_transport_part){
            part,
            weight,
            rk4_arrays_at(arrays, at),
            view->bottom + at,
            view->coriolis + at,
            {head + at, turned1 + at, turned2 + at, rk4_arrays_at(arrays, field + at),
             rk4_arrays_at(arrays, 2 * field + at)},
            {head + at, turned1 + at, turned2 + at},
            margin,
            &window};
    }
    thread_begin(view);
    const tiles_cut cut = tiles_cut_of(view, TRANSPORT_TILE_J);
    const rows_range strips = threads_piece(cut.rows);
    for (int strip = strips.first; strip < strips.last; strip++)
        for (int panel = 0; panel < SWE_PANELS; panel++)
            sweep_strip(view, cut, panel, strip, &parts[panel], memory);
#pragma omp barrier
    for (int panel = 0; panel < SWE_PANELS; panel++)
        make_border_cells(view, &parts[panel]);
    thread_end(view);
#pragma omp barrier
}
