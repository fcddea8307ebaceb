/* The test: a reference on the CPU, classical RK4 of (h, v1, v2), and times on a GPU. */
#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/gradient/gradient_point.h"
#include "stages/sat/sat_point.h"

typedef std::vector<real> field;
struct state {
    field h, v1, v2;
};
struct sphere {
    swe_grid *grid = nullptr;
    swe_params p = {};
    field m11, m12, m22, ij, tangents;
    std::vector<line_weights> lines;

    explicit sphere(int n)
    {
        swe_context ctx;
        const swe_sbp *sbp = nullptr;
        if (swe_sbp_find(&ctx, 4, SWE_CLOSURE_MOVED, n, &sbp) != SWE_OK ||
            swe_grid_create(&ctx, n, swe_sbp_points(4, SWE_CLOSURE_MOVED), 2, &grid) != SWE_OK) {
            std::fprintf(stderr, "%s\n", ctx.message);
            std::exit(1);
        }
        const size_t panel = (size_t)grid->layout.panel;
        m11.assign(grid->metric11, grid->metric11 + panel);
        m12.assign(grid->metric12, grid->metric12 + panel);
        m22.assign(grid->metric22, grid->metric22 + panel);
        ij.assign(grid->inverse_jacobian, grid->inverse_jacobian + panel);
        tangents.assign(grid->tan_vertex, grid->tan_vertex + n + 1);
        p.layout = grid->layout, p.sbp = *sbp, p.topology = grid->topology;
        p.inverse_spacing = (real)(1 / grid->spacing);
        p.radius = 2, p.gravity = (real)9.8, p.depth = 3;
        p.tan_vertex = tangents.data(), p.inverse_jacobian = ij.data();
        p.metric11 = m11.data(), p.metric12 = m12.data(), p.metric22 = m22.data();
        const real d[4] = {(real)(1.0 / 24), (real)(-9.0 / 8), (real)(9.0 / 8), (real)(-1.0 / 24)},
                   m[4] = {(real)(-1.0 / 16), (real)(9.0 / 16), (real)(9.0 / 16),
                           (real)(-1.0 / 16)};
        lines.assign(ROWS, line_weights{});
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < 6; c++) {
                const real inner_d = c < 4 ? d[c] : 0, inner_m = c < 4 ? m[c] : 0;
                lines[r].dvc.of[c] = r < 4 ? sbp->dvc[c][r] : inner_d;
                lines[r].pvc.of[c] = r < 4 ? sbp->pvc[c][r] : inner_m;
                lines[r].pcv.of[c] = r < 5 ? sbp->pcv[c][r] : inner_m;
                lines[r].weak.of[c] = r < 5 ? sbp->weak[c][r] : inner_d;
            }
    }
    sphere(const sphere &) = delete;
    ~sphere()
    {
        swe_grid_destroy(&grid);
    }
    double step() const
    {
        return 0.4 * p.radius * grid->spacing / std::sqrt((double)p.gravity * p.depth);
    }
    /* of all panels; f is given the panel, row, column and offsets in a field and in metric terms
     */
    template <typename function> void for_points(int rows, int columns, function f) const
    {
        for (int panel = 0; panel < PANELS; panel++)
            for (int j = 0; j < rows; j++)
                for (int i = 0; i < columns; i++)
                    f(panel, j, i, swe_at(&p.layout, panel, j, i), swe_at(&p.layout, 0, j, i));
    }
    template <typename function> void for_shared_points(function f) const
    {
        for (int k = 0; k < topology_shared_points(p.layout.n); k++)
            f(k, topology_shared_point(&p.topology, &p.layout, k));
    }
};
static const sbp_region anywhere = SBP_ANYWHERE;

static void gradient(const sphere &S, const field &h, field &v1, field &v2)
{
    const int n = S.p.layout.n;
    v1.assign(h.size(), 0), v2.assign(h.size(), 0);
    S.for_points(n + 1, n, [&](int, int, int i, ptrdiff_t at, ptrdiff_t) {
        v1[at] = gradient_point1(4, anywhere, &S.p, i, &h[at]);
    });
    S.for_points(n, n + 1, [&](int, int j, int, ptrdiff_t at, ptrdiff_t) {
        v2[at] = gradient_point2(4, anywhere, &S.p, j, &h[at], S.p.layout.pitch);
    });
}
/* A v, by the stages contravariant, divergence, sat and projection */
static field apply_a(const sphere &S, const field &v1, const field &v2)
{
    const swe_params *p = &S.p;
    const int n = p->layout.n;
    const ptrdiff_t up = p->layout.pitch;
    field x1(v1.size()), x2(v1.size()), f1(v1.size()), f2(v1.size()), out(v1.size()),
        edge(SWE_EDGES * (n + 1));
    S.for_points(n + 1, n + 1, [&](int, int j, int i, ptrdiff_t at, ptrdiff_t m) {
        x1[at] = contravariant_cross1_point(SWE_LINEAR, 4, anywhere, p, i, S.m12[m], nullptr,
                                            &v1[0] + at);
        x2[at] = contravariant_cross2_point(SWE_LINEAR, 4, anywhere, p, j, S.m12[m], nullptr,
                                            &v2[0] + at, up);
    });
    S.for_points(n + 1, n, [&](int, int, int i, ptrdiff_t at, ptrdiff_t m) {
        f1[at] = contravariant_flux1_point(SWE_LINEAR, 4, anywhere, p, i, S.m11[m], nullptr,
                                           &v1[at], &x2[at]);
    });
    S.for_points(n, n + 1, [&](int, int j, int, ptrdiff_t at, ptrdiff_t m) {
        f2[at] = contravariant_flux2_point(SWE_LINEAR, 4, anywhere, p, j, S.m22[m], nullptr,
                                           &v2[at], up, &x1[at], up);
    });
    S.for_points(n + 1, n + 1, [&](int, int j, int i, ptrdiff_t at, ptrdiff_t m) {
        out[at] = divergence_point(DIVERGENCE_STRONG, 4, anywhere, anywhere, p, j, i, S.ij[m],
                                   &f1[0] + at, &f2[0] + at, up);
    });
    for (int k = 0; k < SWE_EDGES * (n + 1); k++)
        edge[k] = sat_consensus_point(SWE_LINEAR, 4, p, nullptr, v1.data(), v2.data(), k / (n + 1),
                                      k % (n + 1));
    for (int side = 0; side < SWE_SIDES; side++)
        S.for_points(1, n + 1, [&](int panel, int, int k, ptrdiff_t, ptrdiff_t) {
            if (sat_owns(side, k, n))
                out[panel * p->layout.panel + topology_side_at(&p->layout, side, k)] +=
                    sat_vertex_point(4, p, f1.data(), f2.data(), edge.data(), panel, side, k);
        });
    S.for_shared_points([&](int, topology_copies c) { projection_point(&c, out.data()); });
    return out;
}
static field add(const field &x, double w, const field &k)
{
    field out(x);
    for (size_t m = 0; m < x.size(); m++)
        out[m] += (real)w * k[m];
    return out;
}
static state classical(const sphere &S, const state &y, double dt)
{
    state at = y, sum = y;
    const double weight[4] = {dt / 2, dt / 2, dt, 0}, part[4] = {dt / 6, dt / 3, dt / 3, dt / 6};
    for (int k = 0; k < 4; k++) {
        state d;
        d.h = apply_a(S, at.v1, at.v2);
        gradient(S, at.h, d.v1, d.v2);
        sum = {add(sum.h, part[k], d.h), add(sum.v1, part[k], d.v1), add(sum.v2, part[k], d.v2)};
        at = {add(y.h, weight[k], d.h), add(y.v1, weight[k], d.v1), add(y.v2, weight[k], d.v2)};
    }
    return sum;
}
static state start_of(const sphere &S)
{
    const int n = S.p.layout.n;
    state y;
    field potential((size_t)S.p.layout.field);
    y.h = potential;
    S.for_points(n + 1, n + 1, [&](int panel, int j, int i, ptrdiff_t at, ptrdiff_t) {
        real r[3];
        geometry_position(panel, S.tangents[i], S.tangents[j], r);
        y.h[at] = (real)(std::sin(3 * r[0] + r[1]) * std::cos(2 * r[2]) + 0.1 * std::sin(5 * r[1]));
        potential[at] = (real)(0.3 * std::cos(2 * r[0] - 3 * r[1] + r[2]));
    });
    S.for_shared_points([&](int, topology_copies c) {
        projection_point(&c, y.h.data());
        projection_point(&c, potential.data());
    });
    gradient(S, potential, y.v1, y.v2);
    return y;
}
static double worst(const field &a, const field &b)
{
    double d = 0, m = 0;
    for (size_t k = 0; k < a.size(); k++)
        d = std::max(d, (double)std::fabs(a[k] - b[k])), m = std::max(m, (double)std::fabs(b[k]));
    for (real x : a)
        d = x != x ? NAN : d;
    return d / m;
}

struct arrays { /* of a run, on the host; copies are in use at shared points alone */
    field m11, m12, m22, k, h, q, g, r, s;
    std::vector<two> copies[2];
};
static arrays arrays_of(const sphere &S, const state &y)
{
    arrays a = {S.m11, S.m12, S.m22, S.ij, y.h, apply_a(S, y.v1, y.v2), {}, {}, {}, {}};
    const double scale = (double)S.p.gravity * S.p.depth / (S.grid->spacing * S.grid->spacing);
    for (real &k : a.k)
        k = (real)(scale * k);
    a.g.assign(a.h.size(), (real)NAN);
    a.r = a.g;
    a.s.assign(a.h.size(), 0);
    for (std::vector<two> &c : a.copies)
        c.assign((size_t)3 * topology_shared_points(S.p.layout.n), two{(real)NAN, (real)NAN});
    S.for_shared_points([&](int point, topology_copies c) {
        for (int m = 0; m < c.count; m++) {
            a.copies[0][3 * point + m] = {a.h[c.at[m]], a.q[c.at[m]]};
            a.h[c.at[m]] = a.q[c.at[m]] = (real)NAN;
        }
    });
    return a;
}
/* h and q at shared points, after a step */
static void take_means(const sphere &S, arrays &a)
{
    S.for_shared_points([&](int point, topology_copies c) {
        const two *x = &a.copies[0][3 * point];
        for (int m = 0; m < c.count; m++) {
            a.h[c.at[m]] = projection_mean(c.count, x[0].a, x[1].a, x[2].a);
            a.q[c.at[m]] = projection_mean(c.count, x[0].b, x[1].b, x[2].b);
        }
    });
}
static double check(const sphere &S, const arrays &a, const state &y0, const state &y)
{
    field b1, b2;
    gradient(S, a.s, b1, b2);
    double most = 0;
    for (double x : {worst(a.h, y.h), worst(add(y0.v1, 1, b1), y.v1),
                     worst(add(y0.v2, 1, b2), y.v2), worst(a.q, apply_a(S, y.v1, y.v2))})
        most = x > most || x != x ? x : most;
    return most;
}
/* How panels are cut: teams along xi1 and xi2, parts of half a side. */
struct cut {
    int strips, bands, parts;
};
static int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}
/* The first warp of a block computes parts of boundaries. `most`: blocks that run at a time. */
static wave params_of(const sphere &S, double dt, cut c, int warps, int most, int *blocks)
{
    wave p = {};
    const int n = S.p.layout.n, teams = PANELS * c.strips * c.bands,
              parts_in_all = HALVES * c.parts;
    p.n = n, p.pitch = (int)S.p.layout.pitch, p.panel = (int)S.p.layout.panel;
    p.strips = c.strips, p.bands = c.bands, p.parts = c.parts;
    p.rows = ceil_div(n + 1 - 2 * BOUNDARY, c.bands);
    p.c1 = (real)dt, p.c2 = (real)(dt * dt / 2), p.c3 = (real)(dt * dt * dt / 6),
    p.c4 = (real)(dt * dt * dt * dt / 24);
    p.sbp = S.p.sbp;
    *blocks = std::max(ceil_div(teams, warps - 1), std::min(parts_in_all, most));
    for (int e = 0; e < SWE_EDGES; e++) {
        const swe_edge x = S.p.topology.edges[e];
        const int before = 3 * (e * (n - 1) - 1);
        p.sides[x.panel_a][x.side_a] = {before, 3};
        p.sides[x.panel_b][x.side_b] = {before + 1 + (x.reversed ? 3 * n : 0), x.reversed ? -3 : 3};
    }
    for (int c = 0; c < SWE_CORNERS; c++) {
        const swe_corner x = S.p.topology.corners[c];
        for (int m = 0; m < 3; m++)
            p.corners[x.panel[m]][x.high_j[m]][x.high_i[m]] = 3 * (SWE_EDGES * (n - 1) + c) + m;
    }
    return p;
}
static const char *const names[] = {"stream", "persistent", "persistent, tiles"};
static const double tolerance = sizeof(real) == 8 ? 1e-13 : 1e-4;

#ifdef EMULATE
int main()
{
    int bad = 0;
    std::printf("expected (not measured): 'same bits' in all rows, differences below %.0e\n",
                tolerance);
    for (int n : {24, 61}) {
        const sphere S(n);
        const double dt = S.step();
        const state y0 = start_of(S);
        const int steps = 4;
        state y = y0;
        for (int k = 0; k < steps; k++)
            y = classical(S, y, dt);
        arrays first; /* results do not depend on the form or on a cut, to the last bit */
        for (cut c : {cut{1, 3, n > 50 ? 2 : 1}, cut{2, 2, n > 50 ? 3 : 2}})
            for (int form = 0; form < 3; form++) {
                arrays a = arrays_of(S, y0);
                const int threads = form == 0 ? STREAM_THREADS : THREADS;
                int blocks, most = c.strips == 1 ? 7 : 40;
                wave p = params_of(S, dt, c, threads / LANES, most, &blocks);
                unsigned count = 0;
                p.m11 = a.m11.data(), p.m12 = a.m12.data(), p.m22 = a.m22.data(), p.k = a.k.data();
                p.h = a.h.data(), p.q = a.q.data(), p.g = a.g.data(), p.r = a.r.data(),
                p.s = a.s.data(), p.lines = S.lines.data();
                p.copies[0] = a.copies[0].data(), p.copies[1] = a.copies[1].data();
                p.barrier = &count;
                watched.clear();
                for (field *f : {&a.h, &a.q, &a.g, &a.r, &a.s})
                    watched.push_back({f->data(), f->size() * sizeof(real)});
                for (std::vector<two> &f : a.copies)
                    watched.push_back({f.data(), f.size() * sizeof(two)});
                const size_t bytes = (size_t)block_bytes(form == 2, p.rows, threads / LANES);
                if (form == 0)
                    for (int k = 0; k < steps; k++) {
                        emulate(
                            blocks, threads, bytes, [&] { stream<1>(p); }, k);
                        emulate(
                            blocks, threads, bytes, [&] { stream<2>(p); }, 100 + k);
                    }
                else if (form == 1)
                    emulate(
                        blocks, threads, bytes, [&] { persistent<false>(p, steps); }, 7);
                else
                    emulate(
                        blocks, threads, bytes, [&] { persistent<true>(p, steps); }, 8);
                take_means(S, a);
                const double d = check(S, a, y0, y);
                if (first.h.empty())
                    first = a;
                const size_t all = a.h.size() * sizeof(real);
                const bool same = std::memcmp(a.h.data(), first.h.data(), all) == 0 &&
                                  std::memcmp(a.q.data(), first.q.data(), all) == 0 &&
                                  std::memcmp(a.s.data(), first.s.data(), all) == 0;
                std::printf("%s n %3d, %d x %d teams a panel, %d of half a side, %-18s worst "
                            "difference from classical RK4 after %d steps: %.1e %s\n",
                            same ? "same bits " : "OTHER BITS", n, c.strips, c.bands, c.parts,
                            names[form], steps, d, d < tolerance ? "" : "WRONG");
                bad += !same || !(d < tolerance);
            }
    }
    return bad != 0;
}
#else
#include "harness.h"
template <typename value> static cudaError_t to_host(std::vector<value> &x, const value *from)
{
    return cudaMemcpy(x.data(), from, x.size() * sizeof(value), cudaMemcpyDeviceToHost);
}
static int run(const sphere &S, const arrays &a, int form, cut c, int most, const state *y0)
{
    const int n = S.p.layout.n, threads = form == 0 ? STREAM_THREADS : THREADS;
    const double dt = S.step();
    int blocks;
    wave p = params_of(S, dt, c, threads / LANES, most, &blocks);
    real *d[9] = {to_device(a.m11), to_device(a.m12), to_device(a.m22),
                  to_device(a.k),   to_device(a.h),   to_device(a.q),
                  to_device(a.g),   to_device(a.r),   to_device(a.s)};
    p.m11 = d[0], p.m12 = d[1], p.m22 = d[2], p.k = d[3], p.h = d[4], p.q = d[5], p.g = d[6],
    p.r = d[7], p.s = d[8];
    line_weights *lines = to_device(S.lines);
    p.lines = lines, p.copies[0] = to_device(a.copies[0]), p.copies[1] = to_device(a.copies[1]);
    TRY(cudaMalloc(&p.barrier, sizeof(unsigned)));
    const int bytes = block_bytes(form == 2, p.rows, threads / LANES);
    const void *kernel =
        form == 1 ? (const void *)persistent<false> : (const void *)persistent<true>;
    cudaStream_t stream_;
    TRY(cudaStreamCreate(&stream_));
    cudaGraphExec_t graph = nullptr;
    enum { STEPS = 16 };
    if (form == 0) {
        cudaGraph_t g;
        TRY(cudaFuncSetAttribute(stream<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        TRY(cudaFuncSetAttribute(stream<2>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        for (int k = 0; k < STEPS; k++) {
            stream<1><<<blocks, threads, bytes, stream_>>>(p);
            stream<2><<<blocks, threads, bytes, stream_>>>(p);
        }
        TRY(cudaStreamEndCapture(stream_, &g));
        TRY(cudaGraphInstantiate(&graph, g, 0));
    } else {
        const cudaError_t e =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (e != cudaSuccess) {
            std::printf("n %4d %s bands %3d: %d bytes of shared memory: %s\n", n, names[form],
                        c.bands, bytes, cudaGetErrorString(e));
            cudaGetLastError();
            return 0;
        }
    }
    auto steps_of = [&](int steps) -> cudaError_t {
        if (form == 0)
            return cudaGraphLaunch(graph, stream_);
        cudaMemsetAsync(p.barrier, 0, sizeof(unsigned), stream_);
        void *arguments[] = {&p, &steps};
        return cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), arguments,
                                           (size_t)bytes, stream_);
    };
    TRY(steps_of(STEPS));
    TRY(cudaStreamSynchronize(stream_));
    double difference = -1;
    if (y0 != nullptr) {
        arrays end = a;
        TRY(to_host(end.h, p.h));
        TRY(to_host(end.q, p.q));
        TRY(to_host(end.s, p.s));
        TRY(to_host(end.copies[0], p.copies[0]));
        take_means(S, end);
        state y = *y0;
        for (int k = 0; k < STEPS; k++)
            y = classical(S, y, dt);
        difference = check(S, end, *y0, y);
    }
    quartiles ms;
    if (time_calls(
            stream_, [&] { return steps_of(STEPS); }, &ms) != 0)
        return 1;
    std::printf("n %4d  %-18s strips %2d bands %3d parts %2d blocks %4d shared "
                "%6d B  us/step %.2f (%.2f to %.2f)",
                n, names[form], c.strips, c.bands, c.parts, blocks, bytes, 1e3 * ms.median / STEPS,
                1e3 * ms.low / STEPS, 1e3 * ms.high / STEPS);
    if (y0 != nullptr)
        std::printf("  difference %.1e, expected (not measured) below %.0e", difference, tolerance);
    std::printf("\n");
    std::fflush(stdout);
    for (real *x : d)
        cudaFree(x);
    cudaFree(p.barrier), cudaFree(lines), cudaFree(p.copies[0]), cudaFree(p.copies[1]);
    if (graph)
        cudaGraphExecDestroy(graph);
    cudaStreamDestroy(stream_);
    return 0;
}
int main()
{
    cudaDeviceProp card;
    TRY(cudaGetDeviceProperties(&card, 0));
    const int most = card.multiProcessorCount; /* blocks of 8 warps, at 255 registers */
    std::printf("%s, %d multiprocessors, %d bytes of L2\n", card.name, card.multiProcessorCount,
                card.l2CacheSize);
    std::printf(
        "expected (not measured), FP64, H100: n = 384 stream 34 to 42 us a step, persistent "
        "with tiles 22 to 28; n = 96 9 to 14 and 6 to 9\n");
    for (int n : {48, 96, 192, 384, 768, 1536}) {
        const sphere S(n);
        const state y0 = start_of(S);
        const arrays a = arrays_of(S, y0);
        const int inner = n + 1 - 2 * BOUNDARY, strips = ceil_div(inner, OWN),
                  parts = ceil_div(n / 2 + 1, BOUNDARY_OWN);
        for (int form = 0; form < 3; form++)
            for (int part :
                 {1, 2, 4}) { /* all warps, or fewer with longer marches; form 0: also more */
                int bands = most * (THREADS / LANES - 1) / part / (PANELS * strips);
                if (form == 0 && n > 384)
                    bands = std::max(bands, n / (32 * part));
                if (form != 0 && bands == 0)
                    continue;
                const cut c = {strips, std::max(1, std::min(bands, inner / 4)), parts};
                if (run(S, a, form, c, most, n == 48 && part == 1 ? &y0 : nullptr) != 0)
                    return 1;
            }
    }
    return 0;
}
#endif
