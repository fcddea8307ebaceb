/* A candidate: a substep of the nonlinear flow of order 4 as one sweep. No card has run it yet
 * (2026-11-29). The product's `transport` writes head and potential-vorticity fluxes, and its
 * `momentum` reads them. Here they stay on the chip.
 *
 *     sweep<true>               one sweep: h, v1 and v2 of the next state
 *
 *     sweep<false>, momentum    two kernels, the form to beat: the same march writes h, head and
 * the fluxes W; then a thread a point makes v1 and v2
 *
 * A block has 32 to 256 columns of a panel, one a thread. It marches along xi2 over a band of rows.
 * Stencils along xi2 read rows in registers. Stencils along xi1 read rows in shared memory, which
 * the block wrote a step earlier: a row costs one barrier. The step of vertex row u makes
 *
 *     mean1, cross1            of row u + 3
 *     mean2, cross2            of row u + 2
 *     F1, shear1, F2, shear2   of row u + 1
 *     h, head, W1, W2          of row u
 *     v1, v2                   of rows u - 1, u - 2
 *
 * A block makes 9 columns of its neighbours again, without momentum 7. A band takes 9 steps more
 * than it has rows: 3 make mean1 and cross1 alone, 3 all but h, head and W, 3 all. Without momentum
 * it takes the first 6.
 *
 * Arithmetic is the product's (solver/stages). Panels are tori of n x n points, without closures
 * and shared points: the inside of a panel decides the cost. Metric terms are any smooth numbers.
 * tools/lab/gpu/run runs it on a card, `ctest -R test_lab_gpu_nonlinear` over emulate.h. */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <valarray>
#include <vector>
#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "sweeps/momentum/momentum_point.h"
#include "stages/rk4/rk4_point.h"
#include "sweeps/transport/transport_point.h"
#ifdef EMULATE
#include "emulate.h"
enum { CONTRACTED = 0 };
#else
#include <cuda_runtime.h>
enum { CONTRACTED = 1 }; /* nvcc may contract other products and sums in each kernel */
#define SYNCBLOCK() __syncthreads()
extern __shared__ __align__(16) char shared_bytes[];
#include "harness.h"
static cudaStream_t stream;
#endif
#define FN static __device__ __forceinline__

enum { ORDER = 4, PANELS = SWE_PANELS, WEST = 4, EAST = 5, PAD = 2, MOST = 256 };
/* Arguments of the product's points; on a torus none reads its place. */
#define PLACE   SBP_INTERIOR, params, 0
#define POINT   ORDER, PLACE
#define PCV(at) sbp_pcv(ORDER, SBP_INTERIOR, &params->sbp, 0, 0, at, 1)

/* Rows in shared memory: four of v1, two of each other. */
enum { V1, MEAN2 = 4, CROSS2 = 6, H = 8, F1 = 10, SHEAR1 = 12, SQUARE1 = 14, HEAD = 16, W1 = 18 };
enum { SHARED_ROWS = 20 };

struct substep {
    swe_params params; /* layout: n x n points a panel, no padding */
    rk4_arrays arrays;
    real weight;
    transport_out out;      /* of two kernels */
    int own, strips, bands; /* columns of a block; blocks of a panel along xi1, xi2 */
};

FN int wrapped(int k, int n) /* k from -n on, below 2n */
{
    return k < 0 ? k + n : k >= n ? k - n : k;
}

/* Values at a point of which its next value is made. */
struct states {
    real y, y1, y2, in;
};
template <int SUBSTEP> FN states states_at(const rk4_arrays &a, ptrdiff_t at)
{
    return SUBSTEP < 3 ? states{a.y[at], 0, 0, 0} : states{a.y[at], a.y1[at], a.y2[at], a.in[at]};
}
template <int SUBSTEP> FN real next_of(const substep &p, const states &s, real k)
{
    return rk4_value(SUBSTEP, p.weight, k, {&s.in, nullptr, &s.y, &s.y1, &s.y2});
}

/* Rows of a column in registers, oldest first. */
FN void push(real (&rows)[4], real newest)
{
    rows[0] = rows[1], rows[1] = rows[2], rows[2] = rows[3], rows[3] = newest;
}

template <bool ONE, int SUBSTEP>
static __global__ void __launch_bounds__(MOST, 2) sweep(const __grid_constant__ substep p)
{
    const swe_params *const params = &p.params;
    const int n = params->layout.n, thread = (int)threadIdx.x, line = (int)blockDim.x + 2 * PAD;
    /* panels vary fastest: they read the same metric terms */
    const int panel = (int)blockIdx.x % PANELS, place = (int)blockIdx.x / PANELS;
    const int count = (n + p.bands - 1) / p.bands, first = place / p.strips * count,
              last = (first + count < n ? first + count : n) - 1;
    const int i = place % p.strips * p.own + thread - WEST, column = (i + n) % n;
    const bool own = thread >= WEST && thread < WEST + p.own && i < n;
    const ptrdiff_t field = params->layout.field, base = (ptrdiff_t)panel * n * n;
    const real *const h = p.arrays.in + base, *const v1 = h + field, *const v2 = v1 + field;
    real *const out = p.arrays.out + base, *const mine = reinterpret_cast<real *>(shared_bytes) +
                                                         PAD + thread;
    const auto shared = [&](int row) { return mine + row * line; };
    const auto at_row = [&](int j) { return wrapped(j, n) * n + column; };
    const int begin = ONE ? first - 1 : first, end = ONE ? last + 2 : last;
    if (first > last)
        return;
    real h4[4] = {}, mean1[4] = {}, cross1[4] = {}, v24[4] = {}; /* rows u to u + 3 */
    real f2[4] = {}, shear2[4] = {}, square2[4] = {};            /* rows u - 2 to u + 1 */
    real head[4] = {}, w2[4] = {};                               /* rows u - 3 to u */
    int u = begin - 6;
    *shared(V1 + ((u + 3) & 3)) = v1[at_row(u + 3)];
    real next_h = h[at_row(u + 3)], next_v1 = v1[at_row(u + 4)], next_v2 = v2[at_row(u + 3)];
    SYNCBLOCK();
    for (; u <= end; u++) {
        const int now = u & 1, before = now ^ 1;
        push(h4, next_h);
        push(v24, next_v2);
        *shared(V1 + (u & 3)) = next_v1;
        next_h = h[at_row(u + 4)];
        next_v2 = v2[at_row(u + 4)];
        next_v1 = v1[at_row(u + 5)];
        push(mean1, PCV(shared(V1 + ((u + 3) & 3))));
        push(cross1,
             contravariant_cross(SWE_NONLINEAR, params->metric12[at_row(u + 3)], &h4[3], mean1[3]));
        real mean2 = 0;
        if (u >= begin - 3) {
            const real metric22 = params->metric22[at_row(u + 1)],
                       metric11 = params->metric11[at_row(u + 1)], newest = PCV(&v24[2]);
            push(f2, contravariant_flux2_point(SWE_NONLINEAR, POINT, metric22, &h4[1], &v24[1], 1,
                                               &cross1[1], 1));
            push(shear2, vorticity_shear2_point(POINT, &mean1[1], 1));
            push(square2, sbp_square(&metric22, &v24[1], 0));
            mean2 = *shared(MEAN2 + now); /* of row u */
            *shared(MEAN2 + now) = newest;
            *shared(CROSS2 + now) =
                contravariant_cross(SWE_NONLINEAR, params->metric12[at_row(u + 2)], &h4[2], newest);
            *shared(H + now) = h4[2];
            const real *const v = shared(V1 + ((u + 1) & 3));
            *shared(F1 + now) = contravariant_flux1_point(
                SWE_NONLINEAR, POINT, metric11, shared(H + before), v, shared(CROSS2 + before));
            *shared(SHEAR1 + now) = vorticity_shear1_point(POINT, shared(MEAN2 + before));
            *shared(SQUARE1 + now) = sbp_square(&metric11, v, 0);
        }
        if (u >= begin) {
            const ptrdiff_t at = at_row(u), at1 = field + at_row(u - 1),
                            at2 = 2 * field + at_row(u - 2);
            const bool has_h = own && u >= first && u <= last,
                       has_v1 = ONE && own && u > first && u <= last + 1,
                       has_v2 = ONE && own && u > first + 1;
            const states s = has_h ? states_at<SUBSTEP>(p.arrays, base + at) : states{},
                         s1 = has_v1 ? states_at<SUBSTEP>(p.arrays, base + at1) : states{},
                         s2 = has_v2 ? states_at<SUBSTEP>(p.arrays, base + at2) : states{};
            const real *const f1 = shared(F1 + before), inverse = params->inverse_jacobian[at];
            const real dh = divergence_point(DIVERGENCE_WEAK, ORDER, SBP_INTERIOR, PLACE, 0,
                                             inverse, f1, &f2[2], 1);
            const real vorticity = vorticity_point(ORDER, SBP_INTERIOR, PLACE, 0, inverse,
                                                   shared(SHEAR1 + before), &shear2[2], 1);
            push(head, bernoulli_point(params, at, h4[0], params->bottom[base + at],
                                       PCV(shared(SQUARE1 + before)) + PCV(&square2[2]), mean1[0],
                                       mean2));
            const real rate =
                coriolis_rate(SWE_NONLINEAR, &vorticity, params->coriolis[base + at], &h4[0]);
            real w1, newest;
            coriolis_pv_flux(0, rate, PCV(f1), PCV(&f2[2]), &w1, &newest);
            push(w2, newest);
            if (has_h)
                out[at] = next_of<SUBSTEP>(p, s, dh);
            if (!ONE && own) {
                p.out.head[base + at] = head[3];
                p.out.pv_flux1[base + at] = w1;
                p.out.pv_flux2[base + at] = newest;
            }
            if (ONE) {
                *shared(HEAD + now) = head[3];
                *shared(W1 + now) = w1;
            }
            if (has_v1)
                out[at1] = next_of<SUBSTEP>(
                    p, s1, momentum_point1(POINT, shared(HEAD + before), shared(W1 + before)));
            if (has_v2)
                out[at2] = next_of<SUBSTEP>(p, s2, momentum_point2(POINT, &head[1], &w2[1], 1));
        }
        SYNCBLOCK();
    }
}

/* A block has 32 x 8 points of a panel. */
template <int SUBSTEP>
static __global__ void __launch_bounds__(MOST) momentum(const __grid_constant__ substep p)
{
    const swe_params *const params = &p.params;
    const int n = params->layout.n, across = (n + 31) / 32, panel = (int)blockIdx.x % PANELS,
              place = (int)blockIdx.x / PANELS, i = place % across * 32 + (int)threadIdx.x % 32,
              j = place / across * 8 + (int)threadIdx.x / 32;
    if (i >= n || j >= n)
        return;
    const ptrdiff_t base = (ptrdiff_t)panel * n * n, at1 = base + j * n + i + params->layout.field,
                    at2 = at1 + params->layout.field;
    const transport_out in = transport_out_at(p.out, base);
    real head1[4], w1[4], head2[4], w2[4];
    SWE_UNROLL
    for (int k = 0; k < 4; k++) {
        const int along1 = j * n + wrapped(i + k - 1, n), along2 = wrapped(j + k - 1, n) * n + i;
        head1[k] = in.head[along1], w1[k] = in.pv_flux1[along1];
        head2[k] = in.head[along2], w2[k] = in.pv_flux2[along2];
    }
    const states s1 = states_at<SUBSTEP>(p.arrays, at1), s2 = states_at<SUBSTEP>(p.arrays, at2);
    p.arrays.out[at1] = next_of<SUBSTEP>(p, s1, momentum_point1(POINT, &head1[1], &w1[1]));
    p.arrays.out[at2] = next_of<SUBSTEP>(p, s2, momentum_point2(POINT, &head2[1], &w2[1], 1));
}

static const char *const names[2] = {"two kernels", "one sweep"};
typedef void (*kernel)(substep);
static void launch(kernel f, int blocks, int threads, int rows, const substep &p)
{
    const size_t bytes = (size_t)rows * (threads + 2 * PAD) * sizeof(real);
#ifdef EMULATE
    static unsigned seed;
    emulate(
        blocks, threads, bytes, [&] { f(p); }, ++seed);
#else
    f<<<blocks, threads, bytes, stream>>>(p);
#endif
}
static void start_substep(const substep &p, bool one, bool is_last)
{
    const int n = p.params.layout.n, blocks = PANELS * p.strips * p.bands,
              threads = (p.own + WEST + (one ? EAST : EAST - 2) + 31) / 32 * 32;
    if (one)
        return launch(is_last ? sweep<true, 3> : sweep<true, 0>, blocks, threads, SHARED_ROWS, p);
    launch(is_last ? sweep<false, 3> : sweep<false, 0>, blocks, threads, SHARED_ROWS, p);
    launch(is_last ? momentum<3> : momentum<0>, PANELS * ((n + 31) / 32) * ((n + 7) / 8), MOST, 0,
           p);
}

/* Arrays, one after the other: metric terms of one panel, 1/J last; whole fields. g is 1. */
enum { M11, M12, M22, IJ, BOTTOM, CORIOLIS, Y, Y1 = 9, Y2 = 12, Y3 = 15, OUT = 18, FIELDS = 21 };
struct problem {
    int n;
    double spacing;
    std::vector<real> host;
    real *memory;
    substep p;
    size_t at(int m, int panel = 0) const
    {
        return (size_t)n * n * (m < BOTTOM ? m : BOTTOM + (m - BOTTOM) * PANELS + panel);
    }
};
static problem problem_of(int n)
{
    problem a = {n, 2 * M_PI / n, {}, nullptr, {}};
    a.host.assign(a.at(FIELDS), (real)NAN);
    std::fill(&a.host[a.at(Y1)], &a.host[a.at(Y2)], (real)0);
    const double mean[Y1] = {1, 0, 1, 1, 0, 1, 1, 0, 0},
                 change[Y1] = {0.2, 0.3, 0.2, 0.1, 0.1, 0.5, 0.1, 0.3, 0.2};
    for (int m = 0; m < Y1; m++)
        for (size_t k = a.at(m); k < a.at(m + 1); k++) {
            const double x = a.spacing * (double)(k % n), z = a.spacing * (double)(k / n % n),
                         phase = m + (double)(k / a.at(1));
            a.host[k] =
                (real)(mean[m] + change[m] * std::sin((m % 3 + 1) * x + (m % 4 - 1) * z + phase));
        }
#ifdef EMULATE
    real *const memory = a.memory = a.host.data();
    watched = {{memory, a.host.size() * sizeof(real)}};
#else
    real *const memory = a.memory = to_device(a.host);
#endif
    swe_params &params = a.p.params;
    params.layout = {n, n, n * n, n * n * PANELS};
    params.inverse_spacing = (real)(1 / a.spacing);
    params.gravity = params.inverse_gravity = params.depth = 1;
    params.next = 3 * params.layout.field;
    params.metric11 = memory + a.at(M11), params.metric12 = memory + a.at(M12);
    params.metric22 = memory + a.at(M22), params.inverse_jacobian = memory + a.at(IJ);
    params.bottom = memory + a.at(BOTTOM), params.coriolis = memory + a.at(CORIOLIS);
    a.p.out = {memory + a.at(OUT), memory + a.at(OUT + 1), memory + a.at(OUT + 2)};
    return a;
}
static void cut(problem *a, int strips, int bands)
{
    a->p.own = ((a->n + strips - 1) / strips + 3) / 4 * 4; /* whole sectors of memory */
    a->p.strips = strips, a->p.bands = bands;
}

/* The reference: whole fields of a panel, in double. */
typedef std::valarray<double> field;
static field part(const problem &a, int m, int panel)
{
    const real *const from = &a.host[a.at(m, panel)];
    return field(std::vector<double>(from, from + a.n * a.n).data(), a.n * a.n);
}
/* The mean (sign 1) or difference (-1) along xi1 or xi2; to: 0 at cells, 1 at vertices. */
static field along(const field &f, int axis, int to, int sign)
{
    const int n = (int)std::lround(std::sqrt((double)f.size()));
    const double near = sign > 0 ? 9.0 / 16 : 9.0 / 8, far = sign > 0 ? -1.0 / 16 : -1.0 / 24;
    field out(f.size());
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const auto at = [&](int k) {
                const int place = ((axis == 1 ? i : j) + k - to + n) % n;
                return f[axis == 1 ? j * n + place : place * n + i];
            };
            out[j * n + i] = near * (at(1) + sign * at(0)) + far * (at(2) + sign * at(-1));
        }
    return out;
}
struct tendency {
    field k[3], f1, f2, head; /* k of h, v1, v2 */
};
static tendency tendency_of(const problem &a, int panel)
{
    const auto to_cell = [](const field &f, int axis) { return along(f, axis, 0, 1); };
    const auto to_vertex = [](const field &f, int axis) { return along(f, axis, 1, 1); };
    const auto slope = [&](const field &f, int axis, int to) {
        return field(along(f, axis, to, -1) / a.spacing);
    };
    const auto of = [&](int m) { return part(a, m, panel); };
    const field m11 = of(M11), m12 = of(M12), m22 = of(M22), ij = of(IJ), h = of(Y), v1 = of(Y + 1),
                v2 = of(Y + 2);
    const field mean1 = to_vertex(v1, 1), mean2 = to_vertex(v2, 2),
                f1 = to_cell(h, 1) * m11 * v1 + to_cell(h * m12 * mean2, 1),
                f2 = to_cell(h, 2) * m22 * v2 + to_cell(h * m12 * mean1, 2),
                curl = slope(v2, 1, 0) - slope(v1, 2, 0),
                q = (ij * to_vertex(to_vertex(curl, 1), 2) + of(CORIOLIS)) / h,
                kinetic = 0.5 * to_vertex(m11 * v1 * v1, 1) + 0.5 * to_vertex(m22 * v2 * v2, 2) +
                          m12 * mean1 * mean2,
                head = h + of(BOTTOM) + ij * kinetic, w1 = q * to_vertex(f2, 2),
                w2 = q * to_vertex(f1, 1);
    return {{-ij * (slope(f1, 1, 1) + slope(f2, 2, 1)), to_cell(w1, 1) - slope(head, 1, 0),
             -to_cell(w2, 2) - slope(head, 2, 0)},
            f1,
            f2,
            head};
}
static double worst(const field &a, const field &b)
{
    const double sum = std::abs(a).sum();
    return sum != sum ? INFINITY : std::abs(field(a - b)).max() / std::abs(b).max();
}

/* Compare a form with the reference. It makes the tendency k in Y2. Its mass and energy are
 * relative to the terms of their sums. In Y1, in place, it makes the last substep of states 0: k
 * and a third of the state that k is of. All its bits are compared with `first`. */
static int check(int n, bool one, int strips, int bands, std::vector<real> *first)
{
    problem a = problem_of(n);
    const double most = sizeof(real) == 8 ? 1e-13 : 2e-5;
    real *const y = a.memory + a.at(Y), *const y1 = a.memory + a.at(Y1);
    cut(&a, strips, bands);
    a.p.weight = 1;
    a.p.arrays = {y, a.memory + a.at(Y2), y1, y1, y1};
    start_substep(a.p, one, false);
    a.p.arrays.out = y1;
    start_substep(a.p, one, true);
#ifndef EMULATE
    TRY(cudaMemcpy(a.host.data(), a.memory, a.host.size() * sizeof(real), cudaMemcpyDeviceToHost));
#endif
    double off = 0, mass = 0, energy = 0;
    for (int panel = 0; panel < PANELS; panel++) {
        const tendency d = tendency_of(a, panel);
        const auto of = [&](int m) { return part(a, m, panel); };
        for (int m = 0; m < 3; m++)
            off = std::max(
                {off, worst(of(Y2 + m), d.k[m]), worst(of(Y1 + m), d.k[m] + of(Y + m) / 3.0)});
        const field h = of(Y2) / of(IJ), e0 = d.head * h, e1 = d.f1 * of(Y2 + 1),
                    e2 = d.f2 * of(Y2 + 2), all = std::abs(e0) + std::abs(e1) + std::abs(e2);
        mass = std::max(mass, std::abs(h.sum()) / std::abs(h).sum());
        energy = std::max(energy, std::abs(e0.sum() + e1.sum() + e2.sum()) / all.sum());
    }
    const std::vector<real> bits(&a.host[a.at(Y1)], &a.host[a.at(Y3)]);
    if (first->empty())
        *first = bits;
    const bool is_same = std::memcmp(bits.data(), first->data(), bits.size() * sizeof(real)) == 0,
               is_right = off < most && mass < most && energy < most && (is_same || CONTRACTED);
    std::printf("n %3d %-11s %d x %d blocks a panel: off by %.1e, mass %.1e, energy %.1e, %s "
                "bits%s\n",
                n, names[one], strips, bands, off, mass, energy, is_same ? "same" : "other",
                is_right ? "" : " WRONG");
    return !is_right;
}

#ifndef EMULATE
/* Print us of a step, in a graph of some that leave the state as it is (dt = 0), beside the time of
 * its words at the rate of a copy. */
static int time_form(const problem &a, bool one, double us_of_a_word)
{
    enum { STEPS = 4 };
    cudaGraph_t graph;
    cudaGraphExec_t steps;
    quartiles ms;
    substep p = a.p;
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < 4 * STEPS; k++) {
        p.arrays = rk4_arrays_of(&p.params, k % 4, a.memory + a.at(Y), a.memory + a.at(Y1));
        start_substep(p, one, k % 4 == 3);
    }
    TRY(cudaStreamEndCapture(stream, &graph));
    TRY(cudaGraphInstantiate(&steps, graph, 0));
    TRY(cudaGraphLaunch(steps, stream));
    if (time_calls(
            stream, [&] { return cudaGraphLaunch(steps, stream); }, &ms) != 0)
        return 1;
    const double words = (one ? 47 : 75) + 4 * 4.0 / PANELS;
    std::printf("n %4d %-11s %2d x %2d blocks a panel  us/step %.1f (%.1f to %.1f)  expected (not "
                "measured) %.1f: %.1f words\n",
                a.n, names[one], p.strips, p.bands, 1e3 * ms.median / STEPS, 1e3 * ms.low / STEPS,
                1e3 * ms.high / STEPS, us_of_a_word * words, words);
    std::fflush(stdout);
    cudaGraphExecDestroy(steps);
    cudaGraphDestroy(graph);
    return 0;
}
static int time_forms(int n)
{
    problem a = problem_of(n);
    const size_t half = (a.at(OUT) - a.at(Y1)) / 2 * sizeof(real);
    char *const y1 = (char *)(a.memory + a.at(Y1));
    const auto copy = [&] {
        return cudaMemcpyAsync(y1, y1 + half, half, cudaMemcpyDeviceToDevice, stream);
    };
    quartiles ms;
    if (time_calls(stream, copy, &ms) != 0)
        return 1;
    const double us_of_a_word = 1e3 * ms.median / (2.0 * half) * sizeof(real) * PANELS * n * n;
    for (int width : {52, 116, 148, 212}) /* most columns of 64, 128, 160 and 224 threads */
        for (int rows : {12, 24, 48})
            for (bool one : {false, true}) {
                cut(&a, (n + width - 1) / width, (n + rows - 1) / rows);
                if (time_form(a, one, us_of_a_word) != 0)
                    return 1;
            }
    TRY(cudaFree(a.memory));
    return 0;
}
#endif

int main()
{
    int bad = 0;
#ifndef EMULATE
    TRY(cudaStreamCreate(&stream));
#endif
    for (int n : {24, 30}) {
        std::vector<real> first;
        for (int cuts = 0; cuts < 8; cuts++)
            bad += check(n, cuts % 2 == 1, cuts / 2 % 2 + 1, cuts < 4 ? 2 : 7, &first);
    }
#ifndef EMULATE
    for (int n : {96, 192, 384, 768})
        bad += time_forms(n);
#endif
    return bad != 0;
}
