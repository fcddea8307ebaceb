/* A sweep of the fused stage on a GPU, inside the boundary strips of every panel or block: no
 * operator there is in a closure. fused_cuda.cu computes the strips. A thread block has some
 * columns of two panels, or of one block of a panel, and marches along xi2, one row at a time. With
 * row j a thread computes of both velocities, with m = order/2 and r = j - 2m + 1:
 *
 *     vertices j     the field whose gradient is the velocity, v1, cross1
 *     cells j - m    v2, F2
 *     vertices r     cross2, F1, the tendency
 *
 * The newest 2m rows that stencils along xi2 read stay in registers; rows that stencils along xi1
 * read are exchanged in shared memory. Threads at both ends of a block compute columns of their
 * neighbours, and the first and last rows of a march belong to other marches: a block stores only
 * its own columns and rows. */
#ifndef SWE_SWEEPS_FUSED_MARCH_CUDA_H
#define SWE_SWEEPS_FUSED_MARCH_CUDA_H

#include <utility>

#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "sweeps/fused/fused_point.h"
#include "stages/gradient/gradient_point.h"
#include "stages/tiles_cuda.h"

template <int ORDER> struct march_shape {
    enum {
        HALF = ORDER / 2,
        HALO = ORDER - 1, /* columns and rows that a block reads beyond its own, on either side */
        COLUMNS = LAUNCH_MARCH_LANES - 2 * HALO,
        STRIP = LAUNCH_FUSED_STRIP(ORDER)
    };
};

/* The newest rows of a column. The index NEWEST of the last row is a compile-time constant, so all
 * rows stay in registers. */
template <int ORDER> struct march_window {
    real row[ORDER];
};

template <int ORDER> struct march_column {
    real row[ORDER]; /* from the oldest on */
};

template <int NEWEST, int ORDER>
static __device__ __forceinline__ march_column<ORDER> column_of(const march_window<ORDER> &w)
{
    march_column<ORDER> column;
    for (int k = 0; k < ORDER; k++)
        column.row[k] = w.row[(NEWEST + 1 + k) % ORDER];
    return column;
}

template <int NEWEST, int ORDER>
static __device__ __forceinline__ real oldest_of(const march_window<ORDER> &w)
{
    return w.row[(NEWEST + 1) % ORDER];
}

/* Registers of a thread for its column, of one velocity. */
template <int ORDER> struct march_windows {
    march_window<ORDER> head, v1, v2, cross1, flux2;
};

/* A row in shared memory; operators read beyond its ends. */
template <int ORDER> struct march_line {
    real value[LAUNCH_MARCH_LANES + ORDER];
};

template <int ORDER> struct march_lines {
    march_line<ORDER> head, v1, cross2, flux1;
};

/* Threads that store nothing read beyond the ends of a line. */
template <int ORDER> static __device__ void clear_ends(march_line<ORDER> &line, int lane)
{
    if (lane < ORDER / 2)
        line.value[lane] = line.value[ORDER / 2 + LAUNCH_MARCH_LANES + lane] = 0;
}

template <int ORDER>
static __device__ __forceinline__ void lay_out(march_line<ORDER> &line, int lane, real value)
{
    line.value[ORDER / 2 + lane] = value;
}

/* Values of a line that operators read at a cell, or at a vertex; a thread has its own value in a
 * register. */
template <int ORDER>
static __device__ __forceinline__ march_column<ORDER> around(const march_line<ORDER> &line,
                                                             int lane, int first, real own)
{
    march_column<ORDER> values;
    for (int k = 0; k < ORDER; k++)
        values.row[k] = first + k == 0 ? own : line.value[ORDER / 2 + lane + first + k];
    return values;
}

template <int ORDER>
static __device__ __forceinline__ march_column<ORDER> around_cell(const march_line<ORDER> &line,
                                                                  int lane, real own)
{
    return around(line, lane, 1 - ORDER / 2, own);
}

template <int ORDER>
static __device__ __forceinline__ march_column<ORDER> around_vertex(const march_line<ORDER> &line,
                                                                    int lane, real own)
{
    return around(line, lane, -(ORDER / 2), own);
}

/* Index of a thread's own value among those that operators at a cell, or at a vertex, read. */
template <int ORDER> struct march_at {
    enum { CELL = ORDER / 2 - 1, VERTEX = ORDER / 2 };
};

/* Loads of a thread for a row. */
struct march_loads {
    real v1, v2;  /* first sweep: v of the state */
    real head[2]; /* of either velocity */
    real h;       /* second sweep: at the tendency's point */
    real metric11, metric22, metric12, metric12_behind, inverse_jacobian;
};

/* Position of a thread. */
template <int ORDER> struct march_lane {
    const swe_params *params;
    int lane;
    int column;      /* offset of its column in a row of metric terms */
    ptrdiff_t field; /* offset in a field minus the offset in metric terms */
    bool puts;       /* whether the block stores its column */
    span rows;       /* own rows of the block */
};

static __device__ __forceinline__ bool is_in(span places, int place)
{
    return place >= places.first && place <= places.last;
}

/* Offsets in a panel of the values that come with row j. */
struct march_places {
    int row, cell, behind;
};

template <int ORDER>
static __device__ __forceinline__ march_places places_of(const march_lane<ORDER> &at, int j)
{
    const int pitch = (int)at.params->layout.pitch;
    return {j * pitch + at.column, (j - march_shape<ORDER>::HALF) * pitch + at.column,
            (j - ORDER + 1) * pitch + at.column};
}

template <int ORDER, int SWEEP>
static __device__ __forceinline__ march_loads load_row(const march_lane<ORDER> &at,
                                                       const march_places &place,
                                                       const fused_fields &f)
{
    const swe_params *params = at.params;
    const ptrdiff_t row = at.field + place.row;
    march_loads l = {};
    if (SWEEP == FUSED_FIRST) {
        l.v1 = f.v1[row];
        l.v2 = f.v2[at.field + place.cell];
        l.head[1] = f.h[row];
    } else {
        l.head[0] = f.h1[row];
        l.head[1] = f.h2[row];
        l.h = f.h[at.field + place.behind];
    }
    l.metric12 = params->metric12[place.row];
    l.metric12_behind = params->metric12[place.behind];
    l.metric22 = params->metric22[place.cell];
    l.metric11 = params->metric11[place.behind];
    l.inverse_jacobian = params->inverse_jacobian[place.behind];
    return l;
}

/* Compiler barrier: keeps a product from being contracted into an FMA. Tiles of strips have it in
 * shared memory, and compute the same bits. */
static __device__ __forceinline__ real march_rounded(real x)
{
#if defined(__CUDA_ARCH__) && defined(SWE_SINGLE)
    asm("" : "+f"(x));
#elif defined(__CUDA_ARCH__)
    asm("" : "+d"(x));
#elif defined(__x86_64__) && !defined(SWE_NO_SIMD)
    asm("" : "+x"(x));
#endif
    return x;
}

/* ---- what a row j completes of a velocity; `own` are its windows, `lines` its rows ------------
 */

template <int ORDER>
static __device__ __forceinline__ real compute_dv1(const march_lane<ORDER> &at,
                                                   const march_lines<ORDER> &lines, real head)
{
    const march_column<ORDER> near = around_cell(lines.head, at.lane, head);
    return gradient_point1(ORDER, SBP_INTERIOR, at.params, 0, near.row + march_at<ORDER>::CELL);
}

template <int ORDER, int NEWEST>
static __device__ __forceinline__ real compute_dv2(const swe_params *params,
                                                   const march_windows<ORDER> &own)
{
    const march_column<ORDER> head = column_of<NEWEST>(own.head);
    return gradient_point2(ORDER, SBP_INTERIOR, params, 0, head.row + march_at<ORDER>::CELL, 1);
}

template <int ORDER, int NEWEST>
static __device__ __forceinline__ real compute_cross2(const swe_params *params, real metric12,
                                                      const march_windows<ORDER> &own)
{
    const march_column<ORDER> v2 = column_of<NEWEST>(own.v2);
    return contravariant_cross2_point(SWE_LINEAR, ORDER, SBP_INTERIOR, params, 0, metric12, nullptr,
                                      v2.row + march_at<ORDER>::VERTEX, 1);
}

/* cross1 of row j, and F2. */
template <int ORDER, int NEWEST>
static __device__ __forceinline__ void
compute_flux2(const march_lane<ORDER> &at, const march_loads &l, const march_lines<ORDER> &lines,
              march_windows<ORDER> &own)
{
    const march_column<ORDER> v1 = around_vertex(lines.v1, at.lane, own.v1.row[NEWEST]);
    own.cross1.row[NEWEST] = march_rounded(
        contravariant_cross1_point(SWE_LINEAR, ORDER, SBP_INTERIOR, at.params, 0, l.metric12,
                                   nullptr, v1.row + march_at<ORDER>::VERTEX));
    const march_column<ORDER> cross1 = column_of<NEWEST>(own.cross1);
    own.flux2.row[NEWEST] = contravariant_flux2_point(SWE_LINEAR, ORDER, SBP_INTERIOR, at.params, 0,
                                                      l.metric22, nullptr, &own.v2.row[NEWEST], 1,
                                                      cross1.row + march_at<ORDER>::CELL, 1);
}

template <int ORDER, int NEWEST>
static __device__ __forceinline__ real compute_flux1(const march_lane<ORDER> &at,
                                                     const march_loads &l,
                                                     const march_lines<ORDER> &lines,
                                                     real own_cross2,
                                                     const march_windows<ORDER> &own)
{
    const real v1 = oldest_of<NEWEST>(own.v1);
    const march_column<ORDER> cross2 = around_cell(lines.cross2, at.lane, own_cross2);
    return contravariant_flux1_point(SWE_LINEAR, ORDER, SBP_INTERIOR, at.params, 0, l.metric11,
                                     nullptr, &v1, cross2.row + march_at<ORDER>::CELL);
}

template <int ORDER, int NEWEST>
static __device__ __forceinline__ real compute_dh(const march_lane<ORDER> &at, const march_loads &l,
                                                  const march_lines<ORDER> &lines, real own_flux1,
                                                  const march_windows<ORDER> &own)
{
    const march_column<ORDER> flux1 = around_vertex(lines.flux1, at.lane, own_flux1),
                              flux2 = column_of<NEWEST>(own.flux2);
    return divergence_point(DIVERGENCE_WEAK, ORDER, SBP_INTERIOR, SBP_INTERIOR, at.params, 0, 0,
                            l.inverse_jacobian, flux1.row + march_at<ORDER>::VERTEX,
                            flux2.row + march_at<ORDER>::VERTEX, 1);
}

/* ---- a march --------------------------------------------------------------------------------- */

template <int ORDER> struct march_state {
    march_windows<ORDER> own[2];
    march_places places; /* offsets of the next row, */
    march_loads loads;   /* and its loads */
};

template <int ORDER, int SWEEP>
static __device__ __forceinline__ void load_next(const march_lane<ORDER> &at, int j,
                                                 const fused_fields &f, march_state<ORDER> &s)
{
    s.places = places_of(at, j);
    s.loads = load_row<ORDER, SWEEP>(at, s.places, f);
}

template <int ORDER, int SWEEP, int NEWEST>
static __device__ __forceinline__ void store_row(const march_lane<ORDER> &at, const march_loads &l,
                                                 int behind, const real (&dh)[2], fused_weights w,
                                                 const fused_fields &f, const march_state<ORDER> &s)
{
    const ptrdiff_t to = at.field + behind;
    if (SWEEP == FUSED_FIRST) {
        f.h1[to] = dh[0];
        f.h2[to] = dh[1];
    } else {
        real h = l.h;
        fused_point(w, &h, oldest_of<NEWEST>(s.own[0].head), oldest_of<NEWEST>(s.own[1].head),
                    dh[0], dh[1], f.mean + to);
        f.h[to] = h;
    }
}

/* Row j, at index NEWEST of the register window; false: the march is over. */
template <int ORDER, int SWEEP, int NEWEST>
static __device__ __forceinline__ bool
march_row(const march_lane<ORDER> &at, int j, int last, fused_weights w, const fused_fields &f,
          march_lines<ORDER> (&lines)[2], march_state<ORDER> &s)
{
    if (j > last)
        return false;
    const march_loads l = s.loads;
    const march_places place = s.places;
    load_next<ORDER, SWEEP>(at, j < last ? j + 1 : j, f, s);
    real cross2[2], flux1[2], dh[2];
    for (int k = SWEEP == FUSED_FIRST; k < 2; k++) {
        s.own[k].head.row[NEWEST] = l.head[k];
        lay_out(lines[k].head, at.lane, l.head[k]);
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        const bool is_given = SWEEP == FUSED_FIRST && k == 0;
        march_windows<ORDER> &own = s.own[k];
        own.v1.row[NEWEST] = is_given ? l.v1 : march_rounded(compute_dv1(at, lines[k], l.head[k]));
        own.v2.row[NEWEST] =
            is_given ? l.v2 : march_rounded(compute_dv2<ORDER, NEWEST>(at.params, own));
        cross2[k] = march_rounded(compute_cross2<ORDER, NEWEST>(at.params, l.metric12_behind, own));
        lay_out(lines[k].v1, at.lane, own.v1.row[NEWEST]);
        lay_out(lines[k].cross2, at.lane, cross2[k]);
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        compute_flux2<ORDER, NEWEST>(at, l, lines[k], s.own[k]);
        flux1[k] = compute_flux1<ORDER, NEWEST>(at, l, lines[k], cross2[k], s.own[k]);
        lay_out(lines[k].flux1, at.lane, flux1[k]);
    }
    __syncthreads();
    if (!at.puts || !is_in(at.rows, j - ORDER + 1))
        return true;
    for (int k = 0; k < 2; k++)
        dh[k] = compute_dh<ORDER, NEWEST>(at, l, lines[k], flux1[k], s.own[k]);
    store_row<ORDER, SWEEP, NEWEST>(at, l, place.behind, dh, w, f, s);
    return true;
}

/* One cycle of the register window: as many rows as it has, each at its index. */
template <int ORDER, int SWEEP, int... NEWEST>
static __device__ __forceinline__ bool
march_cycle(const march_lane<ORDER> &at, int j, int last, fused_weights w, const fused_fields &f,
            march_lines<ORDER> (&lines)[2], march_state<ORDER> &s,
            std::integer_sequence<int, NEWEST...>)
{
    return (march_row<ORDER, SWEEP, NEWEST>(at, j + NEWEST, last, w, f, lines, s) && ...);
}

template <int ORDER, int SWEEP>
static __device__ __forceinline__ void march_sweep(const march_lane<ORDER> &at, fused_weights w,
                                                   const fused_fields &f,
                                                   march_lines<ORDER> (&lines)[2])
{
    const int last = at.rows.last + march_shape<ORDER>::HALO;
    int j = at.rows.first - march_shape<ORDER>::HALO;
    march_state<ORDER> s = {};
    for (march_lines<ORDER> &own : lines)
        for (march_line<ORDER> *line : {&own.head, &own.v1, &own.cross2, &own.flux1})
            clear_ends(*line, at.lane);
    load_next<ORDER, SWEEP>(at, j, f, s);
    while (march_cycle<ORDER, SWEEP>(at, j, last, w, f, lines, s,
                                     std::make_integer_sequence<int, ORDER>{}))
        j += ORDER;
}

template <int ORDER>
static __device__ void march(const march_lane<ORDER> &at, int sweep, fused_weights w,
                             const fused_fields &f, march_lines<ORDER> (&lines)[2])
{
    if (sweep == FUSED_FIRST)
        march_sweep<ORDER, FUSED_FIRST>(at, w, f, lines);
    else
        march_sweep<ORDER, FUSED_SECOND>(at, w, f, lines);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { MARCH_LEAST_ROWS = 16, MARCH_MOST_ROWS = 96 };

static inline int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

/* Number of `own` vertices inside the strips along one direction. */
template <int ORDER> static inline int march_inside(int own)
{
    const int inside = own - 2 * march_shape<ORDER>::STRIP;
    return inside > 0 ? inside : 0;
}

/* Number of rows of a march. Short marches repeat more rows; long marches leave multiprocessors
 * idle. The number lets all thread blocks of a moderate panel run at a time. Results do not depend
 * on it. `together`: parts of a thread block: two panels, which share metric terms and have the
 * same number of rows, or one block of a panel. `blocks`: number of thread blocks that the device
 * runs at a time. */
template <int ORDER>
static inline int march_rows(const launch_parts &parts, int together, int blocks)
{
    const int across = parts.count / together *
                       ceil_div(march_inside<ORDER>(parts.i), march_shape<ORDER>::COLUMNS),
              along = blocks > across && across > 0 ? blocks / across : 1,
              rows = ceil_div(march_inside<ORDER>(parts.j), along);
    return rows < MARCH_LEAST_ROWS  ? MARCH_LEAST_ROWS
           : rows > MARCH_MOST_ROWS ? MARCH_MOST_ROWS
                                    : rows;
}

/* x: parts, so that neighbouring blocks share metric terms; y: columns; z: rows. Empty where no
 * part has an inside. */
template <int ORDER>
static inline dim3 march_grid(const launch_parts &parts, int together, int rows)
{
    return dim3((unsigned)(parts.count / together),
                (unsigned)ceil_div(march_inside<ORDER>(parts.i), march_shape<ORDER>::COLUMNS),
                (unsigned)ceil_div(march_inside<ORDER>(parts.j), rows));
}

template <int ORDER>
static __device__ march_lane<ORDER> march_lane_of(const swe_params *params, const swe_block &part,
                                                  int count)
{
    using shape = march_shape<ORDER>;
    const swe_block inside = launch_inside_of(part, shape::STRIP);
    march_lane<ORDER> at = {};
    at.params = params;
    at.lane = (int)threadIdx.x;
    at.field = part.at - part.metric;
    const int column = at.lane - shape::HALO,
              i = inside.i.first + (int)blockIdx.y * shape::COLUMNS + column;
    /* some threads of the last block have no column */
    at.column = (int)part.metric + (i < part.i.last ? i : part.i.last - 1);
    at.puts = column >= 0 && column < shape::COLUMNS && i < inside.i.last;
    at.rows = span_of(inside.j.first + (int)blockIdx.z * count, count, inside.j.last - 1);
    return at;
}

#endif
