/* A candidate: the linear non-rotating step of order 4 in its second-order form. No card has run it
 * yet (2026-11-29).
 *
 *     q = A v    G = A B    g = G h    r = G q    s = G g    t = G r
 *
 *     h' = h + dt q + dt^2/2 g + dt^3/6 r + dt^4/24 s
 *
 *     q' = q + dt g + dt^2/2 r + dt^3/6 s + dt^4/24 t
 *
 *     S' = S + dt h + dt^2/2 q + dt^3/6 g + dt^4/24 r
 *
 * v is v0 + B S. The step equals classical RK4 to 4e-15 after 200 steps.
 *
 * A step has two sweeps, each one G of two fields; (h, q) is updated in place, for the second sweep
 * reads it at its own points only. A point has 5 words. A warp has 64 columns, two a lane, and
 * marches along xi2 over a band of rows, with no barrier but __syncwarp. Stencils along xi1 go
 * through shared memory, stencils along xi2 through registers.
 *
 *     stream<PHASE>       one launch a sweep
 *
 *     persistent<false>   cooperative, all steps in one launch, operands through the second level
 *
 *     persistent<true>    the operand of the stencil stays in shared memory
 *
 * Panels and metric terms are the product's. Points at least six points off every side of a panel
 * (inner points) are marched over: no operator there is in a closure. The others are the boundary
 * of a panel. A part of it has up to 26 columns of half a side, counted from the nearer corner, and
 * six points across. Seen from their corners, all 48 halves have the same closures and the same
 * metric terms. Stencils along a side go through shared memory with a row of weights a lane;
 * stencils across it go through registers with weights in the bank of constants. The first warp of
 * a block computes parts of boundaries.
 *
 * A panel writes its value of a shared point to a list of copies, of which a step has two. Who
 * reads the point takes the mean of its copies. Panels share nothing else.
 *
 * tools/lab/gpu/run runs it on a card, `ctest -R test_lab_gpu` over emulate.h. */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>
#ifdef EMULATE
#include "emulate.h"
#else
#include <cuda_runtime.h>
#define SYNCWARP()  __syncwarp()
#define SYNCBLOCK() __syncthreads()
#endif

#include "grid/grid.h"
#include "operators/sbp_point.h"
#include "stages/projection/projection_point.h"

#ifdef SWE_SINGLE
typedef float2 real2;
#else
typedef double2 real2;
#endif

enum {
    LANES = 32,
    SLOTS = 64,
    SIDE = 4,
    OWN = SLOTS - 2 * SIDE,
    PAD = 2,
    LINE = LANES + 2 * PAD,
    PANELS = 6,
    BOUNDARY = 6,        /* points of the boundary across a side, */
    DEEP = BOUNDARY + 3, /* and those that they need */
    BOUNDARY_SIDE = 3,   /* halo along the side */
    BOUNDARY_OWN = LANES - 2 * BOUNDARY_SIDE,
    HALVES = 2 * SWE_SIDES * PANELS,
    FAR = 1 << 20 /* the other end of a line in the operators of solver/ */
};

struct alignas(2 * sizeof(real)) two {
    real a, b;
}; /* the two fields at a point */
#define FN static __device__ __forceinline__
FN two operator-(two x, two y)
{
    return {x.a - y.a, x.b - y.b};
}
FN two operator+(two x, two y)
{
    return {x.a + y.a, x.b + y.b};
}
FN two operator*(real c, two x)
{
    return {c * x.a, c * x.b};
}
/* c x + y */
FN two axpy(real c, two x, two y)
{
    return {fma(c, x.a, y.a), fma(c, x.b, y.b)};
}
/* derivative and mean between b and c; both of them one after the other at the vertex between z[-1]
 * and z[1] */
FN two D(two a, two b, two c, two d)
{
    return axpy((real)(-1.0 / 24), d - a, (real)(9.0 / 8) * (c - b));
}
FN two P(two a, two b, two c, two d)
{
    return axpy((real)(-1.0 / 16), a + d, (real)(9.0 / 16) * (b + c));
}
FN two M(two m3, two m2, two m1, two p1, two p2, two p3)
{
    return axpy((real)(1.0 / 384), p3 - m3,
                axpy((real)(-36.0 / 384), p2 - m2, (real)(261.0 / 384) * (p1 - m1)));
}

/* Row r of each operator: of a closure; the last is the stencil of inner points. */
struct weights {
    real of[6];
};
struct line_weights {
    weights dvc, pcv, pvc, weak;
};
enum { ROWS = 6 };

struct wave {
    int n, pitch, panel; /* cells of a side, values from row to row, from panel to panel */
    const real *m11, *m12, *m22, *k; /* of one panel; k = g H0/(D^2 J) */
    real *h, *q, *g, *r, *s;         /* of all */
    two *copies[2];                  /* (h, q) and (g, r) of shared points, three places each */
    real c1, c2, c3, c4;             /* dt, dt^2/2, dt^3/6, dt^4/24 */
    int strips, bands, rows;         /* teams of a panel along xi1, xi2; most rows of one */
    int parts;                       /* of half a side */
    unsigned *barrier;
    const line_weights *lines; /* (ROWS) */
    struct {
        int first, step;
    } sides[PANELS][SWE_SIDES]; /* place of point k in `copies`: first + step k */
    int corners[PANELS][2][2];  /* the same of cube vertices */
    swe_sbp sbp;
};
static_assert(sizeof(wave) <= 4096, "arguments of a kernel");

/* Shared memory of a warp. Even and odd columns apart: 16-byte accesses without bank conflicts. */
struct pair_row {
    two even[LINE], odd[LINE];
};
struct exchange {
    pair_row cross, flux;
};

struct team {
    int lane, panel, i, col, first,
        rows;                      /* i: first column of the lane, col: wrapped; own rows first.. */
    bool own, whole, side, second; /* whole: both columns are own; second: of the two sweeps, where
                                      that is no constant */
};

FN bool team_of(const wave &p, int number, team *t)
{
    /* panels of a position come one after the other: they read the same metric terms */
    const int panel = number % PANELS, place = number / PANELS, strip = place % p.strips,
              band = place / p.strips;
    if (band >= p.bands)
        return false;
    const int inner = p.n + 1 - 2 * BOUNDARY, c0 = BOUNDARY + strip * inner / p.strips / 2 * 2,
              c1 = strip + 1 < p.strips ? BOUNDARY + (strip + 1) * inner / p.strips / 2 * 2
                                        : BOUNDARY + inner;
    const int r0 = BOUNDARY + band * inner / p.bands, r1 = BOUNDARY + (band + 1) * inner / p.bands;
    t->lane = threadIdx.x % LANES;
    t->panel = panel * p.panel;
    t->i = c0 - SIDE + 2 * t->lane;
    t->own = t->i >= c0 && t->i < c1;
    t->whole = t->own && t->i + 1 < c1;
    /* own points that other teams read; columns beyond the last halo are nobody's: they repeat the
     * last one */
    t->side = t->i < c0 + SIDE || t->i + 2 > c1 - SIDE;
    const int most = (c1 + SIDE - 2) / 2 * 2;
    t->col = t->i < most ? t->i : most;
    t->first = r0;
    t->rows = r1 - r0;
    return true;
}

FN int row_at(const wave &p, int j)
{
    return j * p.pitch;
}
FN real2 pair(const real *f, int at)
{
    return *reinterpret_cast<const real2 *>(f + at);
}
FN real2 fresh(const real *f, int at)
{
    return __ldcg(reinterpret_cast<const real2 *>(f + at));
}
FN void put(const team &t, real *f, int at, real x, real y)
{
    if (t.whole)
        *reinterpret_cast<real2 *>(f + at) = real2{x, y};
    else
        f[at] = x;
}

/* (h, q, S) of the next step; (s, t) of the end */
struct after {
    real h, q, s;
};
FN after after_step(const wave &p, real h, real q, real s, two gr, two st)
{
    return {fma(p.c4, st.a, fma(p.c3, gr.b, fma(p.c2, gr.a, fma(p.c1, q, h)))),
            fma(p.c4, st.b, fma(p.c3, st.a, fma(p.c2, gr.b, fma(p.c1, gr.a, q)))),
            fma(p.c4, gr.b, fma(p.c3, gr.a, fma(p.c2, q, fma(p.c1, h, s))))};
}

struct metrics {
    real2 m12, m12v, m22, m11, k;
};
FN metrics metrics_at(const wave &p, const team &t, int j)
{
    const int at = row_at(p, j) + t.col, v = row_at(p, j - 3) + t.col, c = row_at(p, j - 2) + t.col;
    return {pair(p.m12, at), pair(p.m12, v), pair(p.m22, c), pair(p.m11, v), pair(p.k, v)};
}

struct column {
    two at[2];
};
struct registers {
    column z[8], cross[4], flux[4]; /* newest rows */
    column next;
    metrics m;
};

/* Row j of the operand: of a halo, or all of them, from L2; else from the tile. */
template <int PHASE, bool TILE>
FN column load(const wave &p, const team &t, const pair_row *tile, int j)
{
    const bool outside = !t.whole || j < t.first || j >= t.first + t.rows;
    if (TILE && !outside) {
        const pair_row &row = tile[j - t.first + 3];
        return {{row.even[t.lane + PAD], row.odd[t.lane + PAD]}};
    }
    const int at = t.panel + row_at(p, j) + t.col;
    const bool second = PHASE == 0 ? t.second : PHASE == 2;
    const real2 a = fresh(second ? p.g : p.h, at), b = fresh(second ? p.r : p.q, at);
    return {{{a.x, b.x}, {a.y, b.y}}};
}

/* Row j; K: its place in the ring of registers. WHAT: 0 cross terms alone (halo), 1 fluxes, too, 2
 * all. False: the end. */
template <int PHASE, bool TILE, bool AHEAD, int WHAT, int K>
FN bool row(const wave &p, const team &t, int j, int last, pair_row *tile, exchange &x,
            registers &w)
{
    enum { Z = 8, R = 4 };
    if (j > last)
        return false;
    const int l = t.lane + PAD;
    const column z = w.next;
    /* what the persistent forms load ahead would not fit in registers: metric terms come from the
     * first-level cache */
    const metrics m = AHEAD ? w.m : metrics_at(p, t, j);
    const int v = j - 3, at = t.panel + row_at(p, v) + t.col;
    real2 h = {}, q = {}, s = {};
    const bool second = PHASE == 0 ? t.second : PHASE == 2;
    if (second && (WHAT == 2 || (WHAT < 0 && v >= t.first))) { /* of own points */
        h = fresh(p.h, at);
        q = fresh(p.q, at);
        s = fresh(p.s, at);
    }
    const int ahead = j < last ? j + 1 : j;
    w.next = load<PHASE, TILE>(p, t, tile, ahead);
    if (AHEAD)
        w.m = metrics_at(p, t, ahead);
    w.z[K] = z;
    pair_row &zrow = tile[TILE ? j - t.first + 3 : K % R];
    zrow.even[l] = z.at[0];
    zrow.odd[l] = z.at[1];
    SYNCWARP();
    {
        const two a = zrow.odd[l - 2], b = zrow.even[l - 1], c = zrow.odd[l - 1],
                  d = zrow.even[l + 1], e = zrow.odd[l + 1], f = zrow.even[l + 2];
        w.cross[K % R] = {
            {m.m12.x * M(a, b, c, z.at[1], d, e), m.m12.y * M(b, c, z.at[0], d, e, f)}};
    }
    if (WHAT == 0 || (WHAT < 0 && j < t.first))
        return true;
    for (int c = 0; c < 2; c++) {
        const two u2 =
            D(w.z[(K + 5) % Z].at[c], w.z[(K + 6) % Z].at[c], w.z[(K + 7) % Z].at[c], z.at[c]);
        w.flux[K % R].at[c] = axpy(c == 0 ? m.m22.x : m.m22.y, u2,
                                   P(w.cross[(K + 1) % R].at[c], w.cross[(K + 2) % R].at[c],
                                     w.cross[(K + 3) % R].at[c], w.cross[K % R].at[c]));
    }
    if (WHAT == 1 || (WHAT < 0 && v < t.first))
        return true;
    const column &zv = w.z[(K + 5) % Z];
    two cross2[2];
    for (int c = 0; c < 2; c++)
        cross2[c] = (c == 0 ? m.m12v.x : m.m12v.y) *
                    M(w.z[(K + 2) % Z].at[c], w.z[(K + 3) % Z].at[c], w.z[(K + 4) % Z].at[c],
                      w.z[(K + 6) % Z].at[c], w.z[(K + 7) % Z].at[c], z.at[c]);
    x.cross.even[l] = cross2[0];
    x.cross.odd[l] = cross2[1];
    pair_row &zvrow = tile[TILE ? v - t.first + 3 : (K + 1) % R];
    two u1[2];
    {
        const two c = zvrow.odd[l - 1], d = zvrow.even[l + 1], e = zvrow.odd[l + 1];
        u1[0] = D(c, zv.at[0], zv.at[1], d);
        u1[1] = D(zv.at[0], zv.at[1], d, e);
    }
    SYNCWARP();
    two f1[2];
    {
        const two c = x.cross.odd[l - 1], d = x.cross.even[l + 1], e = x.cross.odd[l + 1];
        f1[0] = axpy(m.m11.x, u1[0], P(c, cross2[0], cross2[1], d));
        f1[1] = axpy(m.m11.y, u1[1], P(cross2[0], cross2[1], d, e));
    }
    x.flux.even[l] = f1[0];
    x.flux.odd[l] = f1[1];
    SYNCWARP();
    two result[2];
    {
        const two b = x.flux.even[l - 1], c = x.flux.odd[l - 1], d = x.flux.even[l + 1];
        const two dx[2] = {D(b, c, f1[0], f1[1]), D(c, f1[0], f1[1], d)};
        for (int c2 = 0; c2 < 2; c2++) {
            const two lo = w.flux[(K + 2) % R].at[c2], mid = w.flux[(K + 3) % R].at[c2];
            const two far = w.flux[K % R].at[c2] - w.flux[(K + 1) % R].at[c2];
            result[c2] = (c2 == 0 ? m.k.x : m.k.y) *
                         axpy((real)(-1.0 / 24), far, axpy((real)(9.0 / 8), mid - lo, dx[c2]));
        }
    }
    if (!t.own)
        return true;
    if (!second) {
        if (!TILE || t.side || v < t.first + 3 || v >= t.first + t.rows - 3) {
            put(t, p.g, at, result[0].a, result[1].a);
            put(t, p.r, at, result[0].b, result[1].b);
        }
    } else {
        const two g[2] = {zv.at[0], zv.at[1]}; /* (g, r) */
        real2 ends[3];
        two *const out[2] = {&result[0], &result[1]};
        for (int c = 0; c < 2; c++) {
            const after y = after_step(p, c == 0 ? h.x : h.y, c == 0 ? q.x : q.y,
                                       c == 0 ? s.x : s.y, g[c], result[c]);
            *out[c] = {y.h, y.q};
            (c == 0 ? ends[0].x : ends[0].y) = y.h;
            (c == 0 ? ends[1].x : ends[1].y) = y.q;
            (c == 0 ? ends[2].x : ends[2].y) = y.s;
        }
        put(t, p.h, at, ends[0].x, ends[0].y);
        put(t, p.q, at, ends[1].x, ends[1].y);
        put(t, p.s, at, ends[2].x, ends[2].y);
    }
    if (TILE) { /* row v of the operand is read only from registers now */
        zvrow.even[l] = result[0];
        zvrow.odd[l] = result[1];
    }
    return true;
}

template <int PHASE, bool TILE, bool AHEAD, bool START, int... K>
FN bool rows(const wave &p, const team &t, int j, int last, pair_row *tile, exchange &x,
             registers &w, std::integer_sequence<int, K...>)
{
    return (row < PHASE, TILE, AHEAD,
            PHASE == 0         ? -1
            : !START || K >= 6 ? 2
            : K >= 3           ? 1
                               : 0,
            K > (p, t, j + K, last, tile, x, w) && ...);
}

template <int PHASE, bool TILE, bool AHEAD>
FN void march(const wave &p, const team &t, pair_row *tile, exchange &x)
{
    registers w;
    const int first = t.first - 3, last = t.first + t.rows + 2;
    w.next = load<PHASE, TILE>(p, t, tile, first);
    if (AHEAD)
        w.m = metrics_at(p, t, first);
    int j = first;
    if (PHASE == 0) { /* short code, which fits in the caches of instructions */
        while (rows<PHASE, TILE, AHEAD, false>(p, t, j, last, tile, x, w,
                                               std::make_integer_sequence<int, 8>{}))
            j += 8;
    } else if (rows<PHASE, TILE, AHEAD, true>(p, t, j, last, tile, x, w,
                                              std::make_integer_sequence<int, 8>{}))
        do
            j += 8;
        while (rows<PHASE, TILE, AHEAD, false>(p, t, j, last, tile, x, w,
                                               std::make_integer_sequence<int, 8>{}));
    SYNCWARP();
}

/* ---- the boundary of a panel: point a from a corner on, b across the side -------------------- */

struct boundary_team {
    int lane, panel, side, high, a, k, at, up; /* k: a from the side's begin; at: point (0, a) of a
                                                  field; up: from b to b + 1 */
    int vertex, cell, last_vertex, last_cell;  /* what line operators read (see `along`) */
    bool own;
};

FN boundary_team boundary_team_of(const wave &p, int number)
{
    /* panels and sides of a position come one after the other: they read the same metric terms */
    const int half = number % HALVES, part = number / HALVES;
    boundary_team t;
    t.panel = half % PANELS;
    t.side = half / PANELS % SWE_SIDES;
    t.high = half / (PANELS * SWE_SIDES);
    const bool upright = t.side == SWE_WEST || t.side == SWE_EAST;
    const int corner = upright ? BOUNDARY : 0, end = (t.high ? p.n + 1 : p.n + 2) / 2,
              first = corner + part * (end - corner) / p.parts,
              last = corner + (part + 1) * (end - corner) / p.parts - 1,
              a0 = first == 0 ? 0 : first - BOUNDARY_SIDE;
    t.lane = threadIdx.x % LANES;
    t.a = a0 + t.lane < last + BOUNDARY_SIDE ? a0 + t.lane : last + BOUNDARY_SIDE;
    t.own = a0 + t.lane >= first && a0 + t.lane <= last;
    t.k = t.high ? p.n - t.a : t.a;
    const bool far = t.side == SWE_EAST || t.side == SWE_NORTH;
    const int along = upright ? p.pitch : 1, across = upright ? 1 : p.pitch;
    t.at = t.panel * p.panel + t.k * along + (far ? p.n * across : 0);
    t.up = far ? -across : across;
    /* first and last of the values, as lanes: off the closures, a stencil has four */
    const int most = LANES - 4, v = t.lane - 2, c = t.lane - 1;
    const bool closes_v = t.a < 5, closes_c = t.a < 4;
    t.vertex = closes_v || v < 0 ? 0 : v < most ? v : most;
    t.cell = closes_c || c < 0 ? 0 : c < most ? c : most;
    t.last_vertex = t.vertex + (closes_v ? 5 : 3);
    t.last_cell = t.cell + (closes_c ? 5 : 3);
    return t;
}

FN bool is_shared(const boundary_team &t, int b)
{
    return b == 0 || t.a == 0;
}
/* Place of the panel's own copy of shared point (b, a). */
FN int copy_of(const wave &p, const boundary_team &t, int b)
{
    if (b > 0) /* teams of south and north alone have a = 0 */
        return p.sides[t.panel][t.high ? SWE_EAST : SWE_WEST].first +
               p.sides[t.panel][t.high ? SWE_EAST : SWE_WEST].step *
                   (t.side == SWE_SOUTH ? b : p.n - b);
    if (t.a == 0)
        return p.corners[t.panel][t.side == SWE_NORTH][t.high];
    return p.sides[t.panel][t.side].first + p.sides[t.panel][t.side].step * t.k;
}
FN two fresh(const two *x)
{
    const real2 y = __ldcg(reinterpret_cast<const real2 *>(x));
    return {y.x, y.y};
}
/* The operand at (b, a): at a shared point the mean of its copies. */
FN two operand(const wave &p, const boundary_team &t, bool second, int b)
{
    if (is_shared(t, b)) {
        const two *copies = p.copies[second] + copy_of(p, t, b) / 3 * 3;
        const int count = b == 0 && t.a == 0 ? 3 : 2;
        const two x = fresh(copies), y = fresh(copies + 1), z = count == 3 ? fresh(copies + 2) : y;
        return {projection_mean(count, x.a, y.a, z.a), projection_mean(count, x.b, y.b, z.b)};
    }
    const int at = t.at + b * t.up;
    return {__ldcg((second ? p.g : p.h) + at), __ldcg((second ? p.r : p.q) + at)};
}

/* A line operator along the side: six values from `first` on, the last of them `last`. */
FN two along(const weights &w, const two *line, int first, int last)
{
    two sum = w.of[0] * line[first];
    for (int k = 1; k < 4; k++)
        sum = axpy(w.of[k], line[first + k], sum);
    sum = axpy(w.of[4], line[first + 4 < last ? first + 4 : last], sum);
    return axpy(w.of[5], line[last], sum);
}
/* A line operator across the side, at point b of an array in registers. */
#define ACROSS(op, f, k)                                                                           \
    two                                                                                            \
    {                                                                                              \
        op(4, SBP_ANYWHERE, &p.sbp, FAR, k, &(f)[k].a, 2),                                         \
            op(4, SBP_ANYWHERE, &p.sbp, FAR, k, &(f)[k].b, 2)                                      \
    }

#ifndef EMULATE
extern __shared__ __align__(16) char shared_bytes[];
#endif
struct boundary_lines {
    two z[DEEP][LANES], v1[DEEP][LANES], cross2[BOUNDARY][LANES]; /* flux1 in place of v1 */
};

FN void boundary(const wave &p, const boundary_team &t, bool second, boundary_lines &x)
{
    /* weights are read where they are in use: all at once have 48 registers */
    const line_weights &lines = p.lines[t.a < ROWS ? t.a : ROWS - 1];
    weights w = lines.dvc;
    two z[DEEP], cross1[DEEP], v2[DEEP - 2], f2[DEEP - 2];
    SWE_UNROLL
    for (int b = 0; b < DEEP; b++)
        z[b] = operand(p, t, second, b);
    SWE_UNROLL
    for (int b = 0; b < DEEP; b++)
        x.z[b][t.lane] = z[b];
    SYNCWARP();
    SWE_UNROLL
    for (int b = 0; b < DEEP; b++)
        x.v1[b][t.lane] = along(w, x.z[b], t.cell, t.last_cell);
    SYNCWARP();
    w = lines.pcv;
    SWE_UNROLL
    for (int b = 0; b < DEEP; b++)
        cross1[b] = p.m12[b * p.pitch + t.a] * along(w, x.v1[b], t.vertex, t.last_vertex);
    SWE_UNROLL
    for (int c = 0; c < DEEP - 2; c++)
        v2[c] = ACROSS(sbp_dvc, z, c);
    SWE_UNROLL
    for (int c = 0; c < DEEP - 2; c++)
        f2[c] = axpy(p.m22[c * p.pitch + t.a], v2[c], ACROSS(sbp_pvc, cross1, c));
    SWE_UNROLL
    for (int b = 0; b < BOUNDARY; b++)
        x.cross2[b][t.lane] = p.m12[b * p.pitch + t.a] * ACROSS(sbp_pcv, v2, b);
    SYNCWARP();
    w = lines.pvc;
    SWE_UNROLL
    for (int b = 0; b < BOUNDARY; b++)
        x.v1[b][t.lane] = axpy(p.m11[b * p.pitch + t.a], x.v1[b][t.lane],
                               along(w, x.cross2[b], t.cell, t.last_cell));
    SYNCWARP();
    w = lines.weak;
    SWE_UNROLL
    for (int b = 0; b < BOUNDARY; b++) {
        const two result = p.k[b * p.pitch + t.a] *
                           (along(w, x.v1[b], t.vertex, t.last_vertex) + ACROSS(sbp_weak, f2, b));
        const int at = t.at + b * t.up;
        const bool shared = is_shared(t, b);
        const two before = x.z[b][t.lane];
        if (!t.own)
            continue;
        two out = result;
        if (second) {
            const after y =
                after_step(p, __ldcg(p.h + at), __ldcg(p.q + at), __ldcg(p.s + at), before, result);
            out = {y.h, y.q};
            p.s[at] = y.s;
        } else if (shared) { /* for the second sweep, which replaces the copies */
            p.h[at] = before.a;
            p.q[at] = before.b;
        }
        if (shared) {
            p.copies[!second][copy_of(p, t, b)] = out;
        } else {
            (second ? p.h : p.g)[at] = out.a;
            (second ? p.q : p.r)[at] = out.b;
        }
    }
    SYNCWARP();
}

/* ---- kernels: the first warp of a block has boundaries, the others have inner points --------- */

/* All parts of a block, one after the other. */
FN void boundaries(const wave &p, bool second)
{
    for (int number = blockIdx.x; number < HALVES * p.parts; number += gridDim.x)
        boundary(p, boundary_team_of(p, number), second,
                 *reinterpret_cast<boundary_lines *>(shared_bytes));
}

/* Bytes of shared memory of a block. */
static inline __host__ __device__ int block_bytes(bool tile, int rows, int warps)
{
    return (int)sizeof(boundary_lines) +
           (warps - 1) * ((int)sizeof(exchange) + (tile ? rows + 6 : 4) * (int)sizeof(pair_row));
}

/* Team and shared memory of another warp. */
FN bool inner_of(const wave &p, bool tile, team *t, exchange **x, pair_row **rows)
{
    const int warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    char *mine = shared_bytes + block_bytes(tile, p.rows, warp);
    *x = reinterpret_cast<exchange *>(mine);
    *rows = reinterpret_cast<pair_row *>(mine + sizeof(exchange));
    return warp > 0 && team_of(p, (int)blockIdx.x * (warps - 1) + warp - 1, t);
}

enum { STREAM_THREADS = 128, THREADS = 256 };

template <int PHASE>
static __global__ void __launch_bounds__(STREAM_THREADS, 2) stream(const __grid_constant__ wave p)
{
    exchange *x;
    pair_row *rows;
    team t;
    if (threadIdx.x < LANES)
        boundaries(p, PHASE == 2);
    else if (inner_of(p, false, &t, &x, &rows))
        march<PHASE, false, true>(p, t, rows, *x);
}

FN void grid_barrier(unsigned *count, unsigned *turn)
{
    SYNCBLOCK();
    *turn += gridDim.x;
    if (threadIdx.x == 0) {
#ifdef EMULATE
        emulated_barrier(count, *turn);
#else
        __threadfence();
        atomicAdd(count, 1u);
        unsigned seen;
        do
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(count) : "memory");
        while ((int)(seen - *turn) < 0);
#endif
    }
    SYNCBLOCK();
}

#ifndef PERSISTENT_AHEAD
#define PERSISTENT_AHEAD true
#endif

template <bool TILE>
static __global__ void __launch_bounds__(THREADS, 1)
    persistent(const __grid_constant__ wave p, int steps)
{
    exchange *x;
    pair_row *tile;
    team t;
    const bool works = inner_of(p, TILE, &t, &x, &tile);
    unsigned turn = 0;
    if (TILE && works && t.own)
        for (int j = t.first; j < t.first + t.rows; j++) {
            const column z = load<1, false>(p, t, tile, j);
            tile[j - t.first + 3].even[t.lane + PAD] = z.at[0];
            tile[j - t.first + 3].odd[t.lane + PAD] = z.at[1];
        }
    for (int sweep = 0; sweep < 2 * steps; sweep++) {
        t.second = sweep % 2 != 0;
        if (threadIdx.x < LANES)
            boundaries(p, t.second);
        else if (works)
            march<0, TILE, PERSISTENT_AHEAD>(p, t, tile, *x);
        grid_barrier(p.barrier, &turn);
    }
}

#include "wave_main.h"
