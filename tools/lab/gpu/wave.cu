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
 * v is v0 + B S. The step is that of classical RK4 to 4e-15 after 200 steps.
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
 * Panels are tori of n x n points, without closures and shared points; metric arrays are any smooth
 * numbers. tools/lab/gpu/run runs it on a card, `ctest -R test_lab_gpu` over emulate.h. */
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

#ifdef SINGLE
typedef float real;
typedef float2 real2;
#else
typedef double real;
typedef double2 real2;
#endif

enum {
    LANES = 32,
    SLOTS = 64,
    SIDE = 4,
    OWN = SLOTS - 2 * SIDE,
    PAD = 2,
    LINE = LANES + 2 * PAD,
    PANELS = 6
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

struct wave {
    int n, pitch, panel; /* points of a row, values from row to row, from panel to panel */
    const real *m11, *m12, *m22, *k; /* of one panel; k = g H0/(D^2 J) */
    real *h, *q, *g, *r, *s;         /* of all */
    real c1, c2, c3, c4;             /* dt, dt^2/2, dt^3/6, dt^4/24 */
    int strips, bands, rows;         /* teams of a panel along xi1, xi2; most rows of one */
    unsigned *barrier;
};

/* Shared memory of a warp. Even and odd columns apart: 16-byte accesses without bank conflicts. */
struct pair_row {
    two even[LINE], odd[LINE];
};
struct exchange {
    pair_row cross, flux;
};

struct team {
    int lane, panel, i, col, first,
        rows;               /* i: first column of the lane, col: wrapped; own rows first.. */
    bool own, side, second; /* second: of the two sweeps, where that is no constant */
};

FN bool team_of(const wave &p, int number, team *t)
{
    /* panels of a position come one after the other: they read the same metric terms */
    const int panel = number % PANELS, place = number / PANELS, strip = place % p.strips,
              band = place / p.strips;
    if (band >= p.bands)
        return false;
    const int c0 = strip * p.n / p.strips / 2 * 2, c1 = (strip + 1) * p.n / p.strips / 2 * 2;
    const int r0 = band * p.n / p.bands, r1 = (band + 1) * p.n / p.bands;
    t->lane = threadIdx.x % LANES;
    t->panel = panel * p.panel;
    t->i = c0 - SIDE + 2 * t->lane;
    t->own = t->i >= c0 && t->i < c1;
    /* own points that other teams read; columns beyond the last halo are nobody's: they repeat the
     * last one */
    t->side = t->i < c0 + SIDE || t->i + 2 > c1 - SIDE;
    const int most = c1 + SIDE - 2, i = t->i < most ? t->i : most;
    t->col = i < 0 ? i + p.n : i >= p.n ? i - p.n : i;
    t->first = r0;
    t->rows = r1 - r0;
    return true;
}

FN int row_at(const wave &p, int j)
{
    return (j < 0 ? j + p.n : j >= p.n ? j - p.n : j) * p.pitch;
}
FN real2 pair(const real *f, int at)
{
    return *reinterpret_cast<const real2 *>(f + at);
}
FN real2 fresh(const real *f, int at)
{
    return __ldcg(reinterpret_cast<const real2 *>(f + at));
}
FN void put(real *f, int at, real x, real y)
{
    *reinterpret_cast<real2 *>(f + at) = real2{x, y};
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
    const bool outside = !t.own || j < t.first || j >= t.first + t.rows;
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
            put(p.g, at, result[0].a, result[1].a);
            put(p.r, at, result[0].b, result[1].b);
        }
    } else {
        const two g[2] = {zv.at[0], zv.at[1]}; /* (g, r) */
        real2 ends[3];
        two *const out[2] = {&result[0], &result[1]};
        for (int c = 0; c < 2; c++) {
            const real hc = c == 0 ? h.x : h.y, qc = c == 0 ? q.x : q.y, sc = c == 0 ? s.x : s.y;
            const two w0 = result[c];
            const real nh =
                fma(p.c4, w0.a, fma(p.c3, g[c].b, fma(p.c2, g[c].a, fma(p.c1, qc, hc))));
            const real nq =
                fma(p.c4, w0.b, fma(p.c3, w0.a, fma(p.c2, g[c].b, fma(p.c1, g[c].a, qc))));
            const real ns = fma(p.c4, g[c].b, fma(p.c3, g[c].a, fma(p.c2, qc, fma(p.c1, hc, sc))));
            *out[c] = {nh, nq};
            (c == 0 ? ends[0].x : ends[0].y) = nh;
            (c == 0 ? ends[1].x : ends[1].y) = nq;
            (c == 0 ? ends[2].x : ends[2].y) = ns;
        }
        put(p.h, at, ends[0].x, ends[0].y);
        put(p.q, at, ends[1].x, ends[1].y);
        put(p.s, at, ends[2].x, ends[2].y);
    }
    if (TILE) { /* row v of the operand is no longer read, but for the registers */
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

/* Bytes of shared memory of a warp. */
static inline __host__ __device__ int warp_bytes(bool tile, int rows)
{
    return (int)sizeof(exchange) + (tile ? rows + 6 : 4) * (int)sizeof(pair_row);
}

#ifndef EMULATE
extern __shared__ __align__(16) char shared_bytes[];
#endif

enum { STREAM_THREADS = 128, THREADS = 256 };

template <int PHASE>
static __global__ void __launch_bounds__(STREAM_THREADS, 2) stream(const __grid_constant__ wave p)
{
    const int warp = threadIdx.x / LANES;
    char *mine = shared_bytes + warp * warp_bytes(false, 0);
    team t;
    if (team_of(p, (int)(blockIdx.x * (blockDim.x / LANES)) + warp, &t))
        march<PHASE, false, true>(p, t, reinterpret_cast<pair_row *>(mine + sizeof(exchange)),
                                  *reinterpret_cast<exchange *>(mine));
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
    const int warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    char *mine = shared_bytes + warp * warp_bytes(TILE, p.rows);
    exchange &x = *reinterpret_cast<exchange *>(mine);
    pair_row *tile = reinterpret_cast<pair_row *>(mine + sizeof(exchange));
    team t;
    const bool works = team_of(p, (int)blockIdx.x * warps + warp, &t);
    unsigned turn = 0;
    if (TILE && works && t.own)
        for (int j = t.first; j < t.first + t.rows; j++) {
            const column z = load<1, false>(p, t, tile, j);
            tile[j - t.first + 3].even[t.lane + PAD] = z.at[0];
            tile[j - t.first + 3].odd[t.lane + PAD] = z.at[1];
        }
    for (int sweep = 0; sweep < 2 * steps; sweep++) {
        t.second = sweep % 2 != 0;
        if (works)
            march<0, TILE, PERSISTENT_AHEAD>(p, t, tile, x);
        grid_barrier(p.barrier, &turn);
    }
}

#include "wave_main.h"
