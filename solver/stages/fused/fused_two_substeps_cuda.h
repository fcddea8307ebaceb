/* Two substeps in one sweep on a GPU (temporal blocking), inside the boundary strips of every
 * panel or block: no operator there reads a closure or a shared point. Single substeps compute the
 * strips (fused_strip_cuda.h). A thread block has some columns of two panels, or of one block of a
 * panel, and marches along xi2, one row at a time. Row j brings, with m = order/2 and v = j - 2m +
 * 1:
 *
 *     vertices j     h and v1 of the state, cross1 of both substeps, v1 of the first substep
 *     cells j - m    v2 of the state, F2 of both substeps, v2 of the first substep
 *     vertices v     cross2, F1 and dh of both substeps, h of both, v1 of the second
 *     cells v - m    v2 of the second substep
 *
 * The newest 2m rows that stencils along xi2 read stay in registers; rows that stencils along xi1
 * read are exchanged in shared memory. Threads at both ends of a block compute columns of their
 * neighbours, and the first and last rows of a march belong to other marches: a block stores only
 * its own columns and rows of both substeps. */
#ifndef SWE_STAGES_FUSED_TWO_SUBSTEPS_CUDA_H
#define SWE_STAGES_FUSED_TWO_SUBSTEPS_CUDA_H

#include <utility>

#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/fused/fused_strip_cuda.h"
#include "stages/gradient/gradient_point.h"
#include "stages/rk4/rk4_point.h"

template <int ORDER> struct pair_shape {
    enum {
        HALF = ORDER / 2,
        BEFORE = 3 * HALF - 2, /* columns and rows that a block reads beyond its own */
        AFTER = 3 * HALF - 1,
        COLUMNS = LAUNCH_TWO_SUBSTEPS_LANES - BEFORE - AFTER,
        /* Whether offsets behind the first row of a march may lie before the panel. */
        IS_PREFETCHED = 2 * BEFORE + 1 > strip_shape<ORDER>::AFTER
    };
};

/* The newest rows of a column. The index NEWEST of the last row is a compile-time constant, so all
 * rows stay in registers. */
template <int ORDER> struct pair_window {
    real row[ORDER];
};

template <int ORDER> struct pair_column {
    real row[ORDER]; /* from the oldest on */
};

template <int NEWEST, int ORDER>
static __device__ __forceinline__ pair_column<ORDER> column_of(const pair_window<ORDER> &w)
{
    pair_column<ORDER> column;
    for (int k = 0; k < ORDER; k++)
        column.row[k] = w.row[(NEWEST + 1 + k) % ORDER];
    return column;
}

template <int NEWEST, int ORDER>
static __device__ __forceinline__ real oldest_of(const pair_window<ORDER> &w)
{
    return w.row[(NEWEST + 1) % ORDER];
}

/* A point of the state. */
struct pair_values {
    real h, v1, v2;
};

/* Registers of a thread for its column, of one substep. */
template <int ORDER> struct pair_windows {
    pair_window<ORDER> h, v1, v2, cross1, flux2;
};

/* A row of one substep in shared memory; operators read beyond its ends. */
template <int ORDER> struct pair_line {
    real value[LAUNCH_TWO_SUBSTEPS_LANES + ORDER];
};

template <int ORDER> struct pair_lines {
    pair_line<ORDER> h, v1, cross2, flux1;
};

/* Threads that store nothing read beyond the ends of a line. */
template <int ORDER> static __device__ void clear_ends(pair_line<ORDER> &line, int lane)
{
    if (lane < ORDER / 2)
        line.value[lane] = line.value[ORDER / 2 + LAUNCH_TWO_SUBSTEPS_LANES + lane] = 0;
}

template <int ORDER>
static __device__ __forceinline__ void lay_out(pair_line<ORDER> &line, int lane, real value)
{
    line.value[ORDER / 2 + lane] = value;
}

/* Values of a line that operators read at a cell, or at a vertex; a thread has its own value in a
 * register. */
template <int ORDER>
static __device__ __forceinline__ pair_column<ORDER> around(const pair_line<ORDER> &line, int lane,
                                                            int first, real own)
{
    pair_column<ORDER> values;
    for (int k = 0; k < ORDER; k++)
        values.row[k] = first + k == 0 ? own : line.value[ORDER / 2 + lane + first + k];
    return values;
}

template <int ORDER>
static __device__ __forceinline__ pair_column<ORDER> around_cell(const pair_line<ORDER> &line,
                                                                 int lane, real own)
{
    return around(line, lane, 1 - ORDER / 2, own);
}

template <int ORDER>
static __device__ __forceinline__ pair_column<ORDER> around_vertex(const pair_line<ORDER> &line,
                                                                   int lane, real own)
{
    return around(line, lane, -(ORDER / 2), own);
}

/* Index of a thread's own value among those that operators at a cell, or at a vertex, read. */
template <int ORDER> struct pair_at {
    enum { CELL = ORDER / 2 - 1, VERTEX = ORDER / 2 };
};

/* Both substeps; SUBSTEP, the first, is 0 or 2. */
struct pair_arrays {
    rk4_arrays h, v1, v2;
};

struct pair_parts {
    int rows; /* own rows of a block */
    real weight, after;
    pair_arrays first, second;
};

static inline pair_arrays pair_arrays_of(const swe_params *params, int substep, real *y, real *next)
{
    const rk4_arrays h = rk4_arrays_of(params, substep, y, next);
    return {h, rk4_arrays_at(h, params->layout.field), rk4_arrays_at(h, 2 * params->layout.field)};
}

/* Loads of a thread for a row; where SUBSTEP is 0 the state is y. */
struct pair_loads {
    pair_values state; /* state at which the first substep is computed */
    pair_values y,
        after_y;    /* y at the points of the first substep's results, and of the second's */
    pair_values y1; /* Y1 at the points of the second substep's results */
    real metric11, metric22, metric12, metric12_behind, inverse_jacobian;
};

/* Position of a thread. */
template <int ORDER> struct pair_lane {
    const swe_params *params;
    int lane;
    int column;                   /* offset of its column in a row of metric terms */
    int field;                    /* from an offset in metric terms to that in a field */
    bool puts_first, puts_second; /* whether the block stores its column of either substep */
    span first_rows, second_rows; /* own rows of the block in either substep */
};

static __device__ __forceinline__ bool is_in(span places, int place)
{
    return place >= places.first && place <= places.last;
}

/* Offsets in a panel of the values that come with row j. */
struct pair_places {
    int row, cell, behind, cell_behind;
};

/* The first rows of a march may read before the first row of a panel, or ghosts of a block; their
 * results are not used. */
template <int ORDER>
static __device__ __forceinline__ pair_places places_of(const pair_lane<ORDER> &at, int j)
{
    using shape = pair_shape<ORDER>;
    const int v = j - ORDER + 1;
    const auto place = [&](int row) {
        return (shape::IS_PREFETCHED && row < 0 ? 0 : row) * (int)at.params->layout.pitch +
               at.column;
    };
    return {place(j), place(j - shape::HALF), place(v), place(v - shape::HALF)};
}

template <int ORDER, int SUBSTEP>
static __device__ __forceinline__ pair_loads load_row(const pair_lane<ORDER> &at, int j,
                                                      const pair_places &place, const pair_parts &p)
{
    const swe_params *params = at.params;
    const int v = j - ORDER + 1, row = at.field + place.row, cell = at.field + place.cell,
              behind = at.field + place.behind, cell_behind = at.field + place.cell_behind;
    pair_loads l = {};
    l.state = {p.first.h.in[row], p.first.v1.in[row], p.first.v2.in[cell]};
    l.metric12 = params->metric12[place.row];
    l.metric12_behind = params->metric12[place.behind];
    l.metric22 = params->metric22[place.cell];
    l.metric11 = params->metric11[place.behind];
    l.inverse_jacobian = params->inverse_jacobian[place.behind];
    if (SUBSTEP == 0)
        return l;
    l.y = {p.first.h.y[behind], p.first.v1.y[row], p.first.v2.y[cell]};
    l.after_y = {l.y.h, p.first.v1.y[behind], p.first.v2.y[cell_behind]};
    /* The result overwrites Y1: only the thread that owns the column may read it. */
    if (at.puts_second && is_in(at.second_rows, v)) {
        l.y1.h = p.second.h.y1[behind];
        l.y1.v1 = p.second.v1.y1[behind];
    }
    if (at.puts_second && is_in(at.second_rows, v - pair_shape<ORDER>::HALF))
        l.y1.v2 = p.second.v2.y1[cell_behind];
    return l;
}

/* A substep's result at a value. */
template <int SUBSTEP>
static __device__ __forceinline__ real pair_value(real weight, real k, real y, real y1, real y2,
                                                  real y3)
{
    const rk4_arrays at = {&y3, nullptr, &y, &y1, &y2};
    return rk4_value(SUBSTEP, weight, k, at);
}

/* ---- what a row j completes; `own` are a substep's windows, `lines` its rows ----------------- */

template <int ORDER, int NEWEST>
static __device__ __forceinline__ real compute_cross2(const swe_params *params, real metric12,
                                                      const pair_windows<ORDER> &own)
{
    const pair_column<ORDER> v2 = column_of<NEWEST>(own.v2);
    return contravariant_cross2_point(SWE_LINEAR, ORDER, SBP_INTERIOR, params, 0, metric12, nullptr,
                                      v2.row + pair_at<ORDER>::VERTEX, 1);
}

/* cross1 of row j, and F2. */
template <int ORDER, int NEWEST>
static __device__ __forceinline__ void
compute_flux2(const pair_lane<ORDER> &at, const pair_loads &l, const pair_lines<ORDER> &lines,
              pair_windows<ORDER> &own)
{
    const pair_column<ORDER> v1 = around_vertex(lines.v1, at.lane, own.v1.row[NEWEST]);
    own.cross1.row[NEWEST] =
        contravariant_cross1_point(SWE_LINEAR, ORDER, SBP_INTERIOR, at.params, 0, l.metric12,
                                   nullptr, v1.row + pair_at<ORDER>::VERTEX);
    const pair_column<ORDER> cross1 = column_of<NEWEST>(own.cross1);
    own.flux2.row[NEWEST] = contravariant_flux2_point(SWE_LINEAR, ORDER, SBP_INTERIOR, at.params, 0,
                                                      l.metric22, nullptr, &own.v2.row[NEWEST], 1,
                                                      cross1.row + pair_at<ORDER>::CELL, 1);
}

template <int ORDER, int NEWEST>
static __device__ __forceinline__ real compute_flux1(const pair_lane<ORDER> &at,
                                                     const pair_loads &l,
                                                     const pair_lines<ORDER> &lines,
                                                     real own_cross2,
                                                     const pair_windows<ORDER> &own)
{
    const real v1 = oldest_of<NEWEST>(own.v1);
    const pair_column<ORDER> cross2 = around_cell(lines.cross2, at.lane, own_cross2);
    return contravariant_flux1_point(SWE_LINEAR, ORDER, SBP_INTERIOR, at.params, 0, l.metric11,
                                     nullptr, &v1, cross2.row + pair_at<ORDER>::CELL);
}

template <int ORDER, int NEWEST>
static __device__ __forceinline__ real compute_dh(const pair_lane<ORDER> &at, const pair_loads &l,
                                                  const pair_lines<ORDER> &lines, real own_flux1,
                                                  const pair_windows<ORDER> &own)
{
    const pair_column<ORDER> flux1 = around_vertex(lines.flux1, at.lane, own_flux1),
                             flux2 = column_of<NEWEST>(own.flux2);
    return divergence_point(DIVERGENCE_WEAK, ORDER, SBP_INTERIOR, SBP_INTERIOR, at.params, 0, 0,
                            l.inverse_jacobian, flux1.row + pair_at<ORDER>::VERTEX,
                            flux2.row + pair_at<ORDER>::VERTEX, 1);
}

template <int ORDER>
static __device__ __forceinline__ real compute_dv1(const pair_lane<ORDER> &at,
                                                   const pair_lines<ORDER> &lines, real own_h)
{
    const pair_column<ORDER> h = around_cell(lines.h, at.lane, own_h);
    return gradient_point1(ORDER, SBP_INTERIOR, at.params, 0, h.row + pair_at<ORDER>::CELL);
}

template <int ORDER, int NEWEST>
static __device__ __forceinline__ real compute_dv2(const swe_params *params,
                                                   const pair_windows<ORDER> &own)
{
    const pair_column<ORDER> h = column_of<NEWEST>(own.h);
    return gradient_point2(ORDER, SBP_INTERIOR, params, 0, h.row + pair_at<ORDER>::CELL, 1);
}

/* ---- a march --------------------------------------------------------------------------------- */

template <int ORDER> struct pair_state {
    pair_windows<ORDER> first, second;
    pair_places places; /* offsets of the next row, */
    pair_loads loads;   /* and its loads */
};

template <int ORDER, int SUBSTEP>
static __device__ __forceinline__ void load_next(const pair_lane<ORDER> &at, int j,
                                                 const pair_parts &p, pair_state<ORDER> &s)
{
    s.places = places_of(at, j);
    s.loads = load_row<ORDER, SUBSTEP>(at, j, s.places, p);
}

/* Row j, at index NEWEST of the register window; false: the march is over. */
template <int ORDER, int SUBSTEP, int NEWEST>
static __device__ __forceinline__ bool march_row(const pair_lane<ORDER> &at, int j, int last,
                                                 const pair_parts &p, pair_lines<ORDER> (&lines)[2],
                                                 pair_state<ORDER> &s)
{
    if (j > last)
        return false;
    const int lane = at.lane, v = j - ORDER + 1, cell = j - ORDER / 2, cell_behind = v - ORDER / 2;
    const pair_loads l = s.loads;
    const pair_places place = s.places;
    load_next<ORDER, SUBSTEP>(at, j < last ? j + 1 : j, p, s);

    s.first.h.row[NEWEST] = l.state.h;
    s.first.v1.row[NEWEST] = l.state.v1;
    s.first.v2.row[NEWEST] = l.state.v2;
    const pair_values state_behind = {oldest_of<NEWEST>(s.first.h), oldest_of<NEWEST>(s.first.v1),
                                      oldest_of<NEWEST>(s.first.v2)};
    const pair_values y = SUBSTEP == 0 ? pair_values{state_behind.h, l.state.v1, l.state.v2} : l.y;
    const pair_values after_y = SUBSTEP == 0 ? state_behind : l.after_y;
    const real first_cross2 = compute_cross2<ORDER, NEWEST>(at.params, l.metric12_behind, s.first);
    lay_out(lines[0].h, lane, l.state.h);
    lay_out(lines[0].v1, lane, l.state.v1);
    lay_out(lines[0].cross2, lane, first_cross2);
    __syncthreads();

    compute_flux2<ORDER, NEWEST>(at, l, lines[0], s.first);
    const real first_flux1 = compute_flux1<ORDER, NEWEST>(at, l, lines[0], first_cross2, s.first);
    const real v1 =
        pair_value<SUBSTEP>(p.weight, compute_dv1(at, lines[0], l.state.h), y.v1, 0, 0, 0);
    const real v2 = pair_value<SUBSTEP>(p.weight, compute_dv2<ORDER, NEWEST>(at.params, s.first),
                                        y.v2, 0, 0, 0);
    s.second.v1.row[NEWEST] = v1;
    s.second.v2.row[NEWEST] = v2;
    const real second_cross2 =
        compute_cross2<ORDER, NEWEST>(at.params, l.metric12_behind, s.second);
    lay_out(lines[0].flux1, lane, first_flux1);
    lay_out(lines[1].v1, lane, v1);
    lay_out(lines[1].cross2, lane, second_cross2);
    __syncthreads();

    const real h = pair_value<SUBSTEP>(
        p.weight, compute_dh<ORDER, NEWEST>(at, l, lines[0], first_flux1, s.first), y.h, 0, 0, 0);
    s.second.h.row[NEWEST] = h;
    compute_flux2<ORDER, NEWEST>(at, l, lines[1], s.second);
    const real second_flux1 =
        compute_flux1<ORDER, NEWEST>(at, l, lines[1], second_cross2, s.second);
    lay_out(lines[1].h, lane, h);
    lay_out(lines[1].flux1, lane, second_flux1);
    if (SUBSTEP == 0 && at.puts_first) {
        if (is_in(at.first_rows, v))
            p.first.h.out[at.field + place.behind] = h;
        if (is_in(at.first_rows, j))
            p.first.v1.out[at.field + place.row] = v1;
        if (is_in(at.first_rows, cell))
            p.first.v2.out[at.field + place.cell] = v2;
    }
    __syncthreads();

    if (!at.puts_second)
        return true;
    if (is_in(at.second_rows, v)) {
        p.second.h.out[at.field + place.behind] = pair_value<SUBSTEP + 1>(
            p.after, compute_dh<ORDER, NEWEST>(at, l, lines[1], second_flux1, s.second), after_y.h,
            l.y1.h, state_behind.h, h);
        p.second.v1.out[at.field + place.behind] =
            pair_value<SUBSTEP + 1>(p.after, compute_dv1(at, lines[1], h), after_y.v1, l.y1.v1,
                                    state_behind.v1, oldest_of<NEWEST>(s.second.v1));
    }
    if (is_in(at.second_rows, cell_behind))
        p.second.v2.out[at.field + place.cell_behind] = pair_value<SUBSTEP + 1>(
            p.after, compute_dv2<ORDER, NEWEST>(at.params, s.second), after_y.v2, l.y1.v2,
            state_behind.v2, oldest_of<NEWEST>(s.second.v2));
    return true;
}

/* One cycle of the register window: as many rows as it has, each at its index. */
template <int ORDER, int SUBSTEP, int... NEWEST>
static __device__ __forceinline__ bool
march_cycle(const pair_lane<ORDER> &at, int j, int last, const pair_parts &p,
            pair_lines<ORDER> (&lines)[2], pair_state<ORDER> &s,
            std::integer_sequence<int, NEWEST...>)
{
    return (march_row<ORDER, SUBSTEP, NEWEST>(at, j + NEWEST, last, p, lines, s) && ...);
}

template <int ORDER, int SUBSTEP>
static __device__ void march(const pair_lane<ORDER> &at, const pair_parts &p,
                             pair_lines<ORDER> (&lines)[2])
{
    const int last = at.second_rows.last + pair_shape<ORDER>::AFTER;
    int j = at.second_rows.first - pair_shape<ORDER>::BEFORE;
    pair_state<ORDER> s = {};
    for (pair_lines<ORDER> &own : lines)
        for (pair_line<ORDER> *line : {&own.h, &own.v1, &own.cross2, &own.flux1})
            clear_ends(*line, at.lane);
    load_next<ORDER, SUBSTEP>(at, j, p, s);
    while (march_cycle<ORDER, SUBSTEP>(at, j, last, p, lines, s,
                                       std::make_integer_sequence<int, ORDER>{}))
        j += ORDER;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { PAIR_LEAST_ROWS = 16, PAIR_MOST_ROWS = 96 };

static inline int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

/* Number of `own` vertices inside the strips along one direction. */
template <int ORDER> static inline int pair_inside(int own)
{
    const int inside = count_of(strip_inner({0, own}, strip_shape<ORDER>::AFTER));
    return inside > 0 ? inside : 0;
}

/* Short marches repeat more rows; long ones leave multiprocessors idle. Choose as many rows as let
 * all blocks of a moderate panel run at a time. Results do not depend on it. `together`: parts of a
 * block of threads, two panels, which share metric terms and have as many rows, or one block of a
 * panel. `blocks`: number of blocks of threads that the device runs at a time. */
template <int ORDER>
static inline int pair_rows(const launch_parts &parts, int together, int blocks)
{
    const int across = parts.count / together *
                       ceil_div(pair_inside<ORDER>(parts.i), pair_shape<ORDER>::COLUMNS),
              along = blocks > across && across > 0 ? blocks / across : 1,
              rows = ceil_div(pair_inside<ORDER>(parts.j), along);
    return rows < PAIR_LEAST_ROWS ? PAIR_LEAST_ROWS : rows > PAIR_MOST_ROWS ? PAIR_MOST_ROWS : rows;
}

/* x: parts, so that neighbouring blocks share metric terms; y: columns; z: rows. Empty where no
 * part has an inside. */
template <int ORDER> static inline dim3 pair_grid(const launch_parts &parts, int together, int rows)
{
    return dim3((unsigned)(parts.count / together),
                (unsigned)ceil_div(pair_inside<ORDER>(parts.i), pair_shape<ORDER>::COLUMNS),
                (unsigned)ceil_div(pair_inside<ORDER>(parts.j), rows));
}

template <int ORDER>
static __device__ pair_lane<ORDER> pair_lane_of(const swe_params *params, const swe_block &part,
                                                int count)
{
    using strip = strip_shape<ORDER>;
    const span inside = strip_inner(part.i, strip::AFTER), rows = strip_inner(part.j, strip::AFTER);
    pair_lane<ORDER> at = {};
    at.params = params;
    at.lane = (int)threadIdx.x;
    at.field = (int)(part.at - part.metric);
    const int column = at.lane - pair_shape<ORDER>::BEFORE,
              i = inside.first + (int)blockIdx.y * pair_shape<ORDER>::COLUMNS + column;
    /* some threads of the last block have no column */
    at.column = (int)part.metric + (i < part.i.last ? i : part.i.last - 1);
    at.puts_second = column >= 0 && column < pair_shape<ORDER>::COLUMNS && i <= inside.last;
    at.puts_first = at.puts_second && is_in(strip_inner(part.i, strip::WIDTH), i);
    at.second_rows = span_of(rows.first + (int)blockIdx.z * count, count, rows.last);
    at.first_rows = span_both(at.second_rows, strip_inner(part.j, strip::WIDTH));
    return at;
}

#endif
