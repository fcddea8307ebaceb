/* The test: a reference on the CPU, classical RK4 of (h, v1, v2), and times on a GPU. */
struct grid {
    int n;
    std::vector<double> m11, m12, m22, ij; /* ij: 1/J */
    double D, g = 1, H = 1;
};
struct state {
    std::vector<double> h, v1, v2;
};
static int wrap(int k, int n)
{
    return (k % n + n) % n;
}
static grid grid_of(int n)
{
    grid G{n, {}, {}, {}, {}, 2 * M_PI / n};
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double x = G.D * i, y = G.D * j, xc = x + G.D / 2, yc = y + G.D / 2;
            G.m11.push_back(1 + 0.2 * std::sin(xc) * std::cos(y));
            G.m22.push_back(1 + 0.2 * std::cos(x) * std::sin(yc));
            G.m12.push_back(0.3 * std::sin(x + 2 * y));
            G.ij.push_back(1 + 0.1 * std::cos(x - y));
        }
    return G;
}
typedef std::vector<double> field;
static double dx(const field &f, int n, int j, int i, int s) /* half-way between s and s + 1 */
{
    auto at = [&](int k) { return f[(size_t)j * n + wrap(i + s + k, n)]; };
    return 9.0 / 8 * (at(1) - at(0)) - 1.0 / 24 * (at(2) - at(-1));
}
static double dy(const field &f, int n, int j, int i, int s)
{
    auto at = [&](int k) { return f[(size_t)wrap(j + s + k, n) * n + i]; };
    return 9.0 / 8 * (at(1) - at(0)) - 1.0 / 24 * (at(2) - at(-1));
}
static double px(const field &f, int n, int j, int i, int s)
{
    auto at = [&](int k) { return f[(size_t)j * n + wrap(i + s + k, n)]; };
    return 9.0 / 16 * (at(1) + at(0)) - 1.0 / 16 * (at(2) + at(-1));
}
static double py(const field &f, int n, int j, int i, int s)
{
    auto at = [&](int k) { return f[(size_t)wrap(j + s + k, n) * n + i]; };
    return 9.0 / 16 * (at(1) + at(0)) - 1.0 / 16 * (at(2) + at(-1));
}
static field apply_a(const grid &G, const field &v1, const field &v2)
{
    const int n = G.n;
    field x1(n * n), x2(n * n), f1(n * n), f2(n * n), out(n * n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            x1[j * n + i] = G.m12[j * n + i] * px(v1, n, j, i, -1);
            x2[j * n + i] = G.m12[j * n + i] * py(v2, n, j, i, -1);
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            f1[j * n + i] = G.m11[j * n + i] * v1[j * n + i] + px(x2, n, j, i, 0);
            f2[j * n + i] = G.m22[j * n + i] * v2[j * n + i] + py(x1, n, j, i, 0);
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            out[j * n + i] =
                -G.H / G.D * G.ij[j * n + i] * (dx(f1, n, j, i, -1) + dy(f2, n, j, i, -1));
    return out;
}
static void apply_b(const grid &G, const field &h, field &v1, field &v2)
{
    const int n = G.n;
    v1.resize(n * n), v2.resize(n * n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            v1[j * n + i] = -G.g / G.D * dx(h, n, j, i, 0);
            v2[j * n + i] = -G.g / G.D * dy(h, n, j, i, 0);
        }
}
static field add(const field &x, double w, const field &k)
{
    field out(x);
    for (size_t m = 0; m < x.size(); m++)
        out[m] += w * k[m];
    return out;
}
static state classical(const grid &G, const state &y, double dt)
{
    state at = y, sum = y;
    const double weight[4] = {dt / 2, dt / 2, dt, 0}, part[4] = {dt / 6, dt / 3, dt / 3, dt / 6};
    for (int k = 0; k < 4; k++) {
        state d;
        d.h = apply_a(G, at.v1, at.v2);
        apply_b(G, at.h, d.v1, d.v2);
        sum = {add(sum.h, part[k], d.h), add(sum.v1, part[k], d.v1), add(sum.v2, part[k], d.v2)};
        at = {add(y.h, weight[k], d.h), add(y.v1, weight[k], d.v1), add(y.v2, weight[k], d.v2)};
    }
    return sum;
}
static state start_of(const grid &G, int panel)
{
    state y;
    for (int j = 0; j < G.n; j++)
        for (int i = 0; i < G.n; i++) {
            const double x = G.D * i, z = G.D * j;
            y.h.push_back(std::sin(x + panel) * std::cos(2 * z) + 0.1 * std::sin(5 * x - 3 * z));
            y.v1.push_back(0.3 * std::cos(3 * x - z + panel));
            y.v2.push_back(0.2 * std::sin(x + 4 * z));
        }
    return y;
}
static double worst(const field &a, const field &b)
{
    double d = 0, m = 0;
    for (size_t k = 0; k < a.size(); k++)
        d = std::max(d, std::fabs(a[k] - b[k])), m = std::max(m, std::fabs(b[k]));
    return a.empty() || d != d ? NAN : d / m;
}

struct arrays { /* of a run, on the host */
    std::vector<real> m11, m12, m22, k, h, q, g, r, s;
};
static arrays arrays_of(const grid &G, bool checked = true)
{
    arrays a;
    const size_t panel = (size_t)G.n * G.n;
    a.m11.assign(G.m11.begin(), G.m11.end());
    a.m12.assign(G.m12.begin(), G.m12.end());
    a.m22.assign(G.m22.begin(), G.m22.end());
    for (double ij : G.ij)
        a.k.push_back((real)(G.g * G.H / (G.D * G.D) * ij));
    for (int panel_number = 0; panel_number < PANELS; panel_number++) {
        if (!checked && panel_number > 0) { /* times alone: any smooth numbers */
            const std::vector<real> h0(a.h.begin(), a.h.begin() + panel),
                q0(a.q.begin(), a.q.begin() + panel);
            a.h.insert(a.h.end(), h0.begin(), h0.end());
            a.q.insert(a.q.end(), q0.begin(), q0.end());
            continue;
        }
        const state y = start_of(G, panel_number);
        const field q = checked ? apply_a(G, y.v1, y.v2) : y.v1;
        a.h.insert(a.h.end(), y.h.begin(), y.h.end());
        a.q.insert(a.q.end(), q.begin(), q.end());
    }
    a.g.assign(panel * PANELS, (real)NAN);
    a.r = a.g;
    a.s.assign(panel * PANELS, 0);
    return a;
}
static double check(const grid &G, const arrays &a, double dt, int steps)
{
    double most = 0;
    const size_t panel = (size_t)G.n * G.n;
    for (int p = 0; p < PANELS; p++) {
        state y = start_of(G, p);
        const state y0 = y;
        for (int k = 0; k < steps; k++)
            y = classical(G, y, dt);
        const field h(a.h.begin() + p * panel, a.h.begin() + (p + 1) * panel),
            s(a.s.begin() + p * panel, a.s.begin() + (p + 1) * panel),
            q(a.q.begin() + p * panel, a.q.begin() + (p + 1) * panel);
        field b1, b2;
        apply_b(G, s, b1, b2);
        const double d[4] = {worst(h, y.h), worst(add(y0.v1, 1, b1), y.v1),
                             worst(add(y0.v2, 1, b2), y.v2), worst(q, apply_a(G, y.v1, y.v2))};
        for (double x : d)
            most = x > most || x != x ? x : most;
    }
    return most;
}
static wave params_of(const grid &G, double dt, int strips, int bands)
{
    wave p = {};
    p.n = p.pitch = G.n;
    p.panel = G.n * G.n;
    p.strips = strips;
    p.bands = bands;
    p.rows = (G.n + bands - 1) / bands;
    p.c1 = (real)dt, p.c2 = (real)(dt * dt / 2), p.c3 = (real)(dt * dt * dt / 6),
    p.c4 = (real)(dt * dt * dt * dt / 24);
    return p;
}

#ifdef EMULATE
int main()
{
    int bad = 0;
    for (int n : {24, 64, 120}) {
        arrays
            first; /* results do not depend on the form or on how a panel is cut, to the last bit */
        for (int bands : {3, 5})
            for (int form = 0; form < 3; form++) {
                const grid G = grid_of(n);
                arrays a = arrays_of(G);
                const double dt = 0.25 * G.D;
                const int steps = n > 100 ? 2 : 5, strips = (n + OWN - 1) / OWN;
                wave p = params_of(G, dt, strips, bands);
                unsigned count = 0;
                p.m11 = a.m11.data(), p.m12 = a.m12.data(), p.m22 = a.m22.data(), p.k = a.k.data();
                p.h = a.h.data(), p.q = a.q.data(), p.g = a.g.data(), p.r = a.r.data(),
                p.s = a.s.data();
                p.barrier = &count;
                const int teams = PANELS * strips * bands,
                          threads = form == 0 ? STREAM_THREADS : THREADS,
                          blocks = (teams + threads / 32 - 1) / (threads / 32);
                const size_t bytes = (size_t)warp_bytes(form == 2, p.rows) * (threads / 32);
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
                const double d = check(G, a, dt, steps);
                if (first.h.empty())
                    first = a;
                const bool same =
                    std::memcmp(a.h.data(), first.h.data(), a.h.size() * sizeof(real)) == 0 &&
                    std::memcmp(a.q.data(), first.q.data(), a.h.size() * sizeof(real)) == 0 &&
                    std::memcmp(a.s.data(), first.s.data(), a.h.size() * sizeof(real)) == 0;
                bad += !same;
                const char *names[] = {"stream", "persistent", "persistent, tiles"};
                std::printf(same ? "same bits  " : "OTHER BITS ");
                std::printf("n %3d, %d x %d teams a panel, %-18s worst difference from classical "
                            "RK4 after %d steps: %.1e %s\n",
                            n, strips, bands, names[form], steps, d,
                            d < (sizeof(real) == 8 ? 1e-13 : 1e-4) ? "" : "WRONG");
                bad += !(d < (sizeof(real) == 8 ? 1e-13 : 1e-4));
            }
    }
    return bad != 0;
}
#else
#include "harness.h"
static int run(int n, int form, int bands, bool checks)
{
    const grid G = grid_of(n);
    arrays a = arrays_of(G, checks);
    const double dt = 0.25 * G.D;
    const int strips = (n + OWN - 1) / OWN;
    wave p = params_of(G, dt, strips, bands);
    real *d[9] = {to_device(a.m11), to_device(a.m12), to_device(a.m22),
                  to_device(a.k),   to_device(a.h),   to_device(a.q),
                  to_device(a.g),   to_device(a.r),   to_device(a.s)};
    p.m11 = d[0], p.m12 = d[1], p.m22 = d[2], p.k = d[3], p.h = d[4], p.q = d[5], p.g = d[6],
    p.r = d[7], p.s = d[8];
    TRY(cudaMalloc(&p.barrier, sizeof(unsigned)));
    const int teams = PANELS * strips * bands, threads = form == 0 ? STREAM_THREADS : THREADS,
              blocks = (teams + threads / 32 - 1) / (threads / 32),
              bytes = warp_bytes(form == 2, p.rows) * (threads / 32);
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
            std::printf("n %4d form %d bands %3d: %d bytes of shared memory: %s\n", n, form, bands,
                        bytes, cudaGetErrorString(e));
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
    if (checks) {
        TRY(cudaMemcpy(a.h.data(), p.h, a.h.size() * sizeof(real), cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(a.q.data(), p.q, a.q.size() * sizeof(real), cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(a.s.data(), p.s, a.s.size() * sizeof(real), cudaMemcpyDeviceToHost));
        difference = check(G, a, dt, STEPS);
    }
    quartiles ms;
    if (time_calls(
            stream_, [&] { return steps_of(STEPS); }, &ms) != 0)
        return 1;
    const char *names[] = {"stream", "persistent", "persistent, tiles"};
    std::printf("n %4d  %-18s strips %2d bands %3d blocks %4d shared %6d B  us/step %.2f (%.2f to "
                "%.2f)  difference %.1e\n",
                n, names[form], strips, bands, blocks, bytes, 1e3 * ms.median / STEPS,
                1e3 * ms.low / STEPS, 1e3 * ms.high / STEPS, difference);
    std::fflush(stdout);
    for (real *x : d)
        cudaFree(x);
    cudaFree(p.barrier);
    if (graph)
        cudaGraphExecDestroy(graph);
    cudaStreamDestroy(stream_);
    return 0;
}
int main()
{
    cudaDeviceProp card;
    TRY(cudaGetDeviceProperties(&card, 0));
    const int warps = 8 * card.multiProcessorCount; /* that run at a time at 255 registers */
    std::printf("%s, %d multiprocessors, %d bytes of L2\n", card.name, card.multiProcessorCount,
                card.l2CacheSize);
    for (int form = 0; form < 3; form++)
        if (run(48, form, 12, true) != 0)
            return 1;
    for (int n : {96, 192, 384, 768, 1536, 3072})
        for (int form = 0; form < 3; form++)
            for (int part :
                 {1, 2, 4}) { /* all warps, or fewer with longer marches; form 0: also more */
                const int strips = (n + OWN - 1) / OWN;
                int bands = warps / part / (PANELS * strips);
                if (form == 0 && n > 384)
                    bands = std::max(bands, n / (32 * part));
                bands = std::max(1, std::min(bands, n / 4));
                if (form != 0 && PANELS * strips * bands > warps)
                    continue;
                if (run(n, form, bands, false) != 0)
                    return 1;
            }
    return 0;
}
#endif
