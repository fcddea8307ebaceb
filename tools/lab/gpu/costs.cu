/* The least costs of a step on a card, one table in under 20 s:
 *
 *     edges between kernels of a graph, with parameters of 64 and 3840 bytes, plain and by
 *     programmatic dependent launch
 *
 *     barriers of the grid, flags between neighbours, barriers of a cluster
 *
 *     copies in the second-level cache by footprint
 *
 * No card has run it yet (2026-11-29). */
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
namespace cg = cooperative_groups;
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) {                                                               \
            std::printf("%s: %s\n", #call, cudaGetErrorString(error_));                            \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)
template <int BYTES> struct parameters {
    char bytes[BYTES];
};
template <int BYTES, bool PDL>
static __global__ void empty(const __grid_constant__ parameters<BYTES> p, int *out)
{
    if (PDL) {
        asm volatile("griddepcontrol.launch_dependents;");
        asm volatile("griddepcontrol.wait;" ::: "memory");
    }
    if (out != nullptr && threadIdx.x == 0)
        out[blockIdx.x] += p.bytes[7];
}
static __device__ unsigned seen_at(const unsigned *p)
{
    unsigned x;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}
static __global__ void barriers(unsigned *count, int rounds)
{
    for (int k = 1; k <= rounds; k++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1u);
            while (seen_at(count) < (unsigned)k * gridDim.x) {
            }
        }
        __syncthreads();
    }
}
static __global__ void grid_sync(int rounds)
{
    for (int k = 0; k < rounds; k++)
        cg::this_grid().sync();
}
/* Each block waits for its two neighbours; flags a line apart. */
static __global__ void flags(unsigned *flag, int rounds)
{
    const int b = blockIdx.x, last = gridDim.x - 1, left = b == 0 ? last : b - 1,
              right = b == last ? 0 : b + 1;
    for (int k = 1; k <= rounds; k++) {
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(flag + 32 * b), "r"(k) : "memory");
        if (threadIdx.x < 2)
            while ((int)seen_at(flag + 32 * (threadIdx.x == 0 ? left : right)) < k) {
            }
        __syncthreads();
    }
}
static __global__ void cluster_barriers(int rounds)
{
    for (int k = 0; k < rounds; k++)
        cg::this_cluster().sync();
}
/* Half of the footprint is read and half written, again and again, by the same blocks. */
static __global__ void __launch_bounds__(256)
    copies(const double2 *from, double2 *to, size_t count, int rounds)
{
    for (int k = 0; k < rounds; k++)
        for (size_t i = (size_t)blockIdx.x * 1024 + threadIdx.x; i + 768 < count;
             i += (size_t)gridDim.x * 1024) {
            double2 x[4];
            for (int m = 0; m < 4; m++)
                x[m] = __ldcg(from + i + m * 256);
            for (int m = 0; m < 4; m++)
                __stcg(to + i + m * 256, x[m]);
        }
}
struct timer {
    cudaEvent_t a, b;
    std::vector<float> ms;
    timer()
    {
        cudaEventCreate(&a), cudaEventCreate(&b);
    }
    template <typename work> float median(work w)
    {
        ms.clear();
        w();
        for (int k = 0; k < 15; k++) {
            cudaEventRecord(a);
            w();
            cudaEventRecord(b);
            cudaEventSynchronize(b);
            float t = 0;
            cudaEventElapsedTime(&t, a, b);
            ms.push_back(t);
        }
        std::sort(ms.begin(), ms.end());
        return ms[7];
    }
};
template <int BYTES, bool PDL> static int edges(timer &t, int blocks, int *out)
{
    enum { NODES = 512 };
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    TRY(cudaStreamCreate(&s));
    TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < NODES; k++) {
        cudaLaunchConfig_t c = {};
        cudaLaunchAttribute a = {};
        c.gridDim = dim3(blocks), c.blockDim = dim3(256), c.stream = s;
        a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        a.val.programmaticStreamSerializationAllowed = 1;
        c.attrs = &a, c.numAttrs = PDL ? 1 : 0;
        TRY(cudaLaunchKernelEx(&c, empty<BYTES, PDL>, parameters<BYTES>{}, out));
    }
    TRY(cudaStreamEndCapture(s, &g));
    TRY(cudaGraphInstantiate(&e, g, 0));
    std::printf("edge of a graph, %4d bytes of parameters, %4d blocks, %s: %.2f us\n", BYTES,
                blocks, PDL ? "dependent launch" : "plain",
                1e3 * t.median([&] { cudaGraphLaunch(e, 0); }) / NODES);
    return 0;
}
int main()
{
    cudaDeviceProp card;
    TRY(cudaGetDeviceProperties(&card, 0));
    const int sms = card.multiProcessorCount;
    std::printf("%s, %d multiprocessors, %.0f MB of L2\n", card.name, sms, card.l2CacheSize / 1e6);
    timer t;
    int *out;
    unsigned *count;
    TRY(cudaMalloc(&out, 1 << 20));
    TRY(cudaMemset(out, 0, 1 << 20));
    TRY(cudaMalloc(&count, 1 << 20));
    for (int blocks : {1, sms, 4 * sms})
        if (edges<64, false>(t, blocks, out) || edges<3840, false>(t, blocks, out) ||
            edges<64, true>(t, blocks, out) || edges<3840, true>(t, blocks, out))
            return 1;
    enum { ROUNDS = 1000 };
    int rounds = ROUNDS;
    void *with_count[] = {&count, &rounds}, *alone[] = {&rounds};
    for (int threads : {32, 256, 512}) {
        std::printf("%d threads a block: barrier of the grid %.2f us", threads, t.median([&] {
            cudaMemsetAsync(count, 0, 1 << 20);
            cudaLaunchCooperativeKernel((const void *)barriers, dim3(sms), dim3(threads),
                                        with_count, 0, 0);
        }) * 1e3 / ROUNDS);
        std::printf(", grid.sync %.2f us", t.median([&] {
            cudaLaunchCooperativeKernel((const void *)grid_sync, dim3(sms), dim3(threads), alone, 0,
                                        0);
        }) * 1e3 / ROUNDS);
        std::printf(", flags of neighbours %.2f us\n", t.median([&] {
            cudaMemsetAsync(count, 0, 1 << 20);
            cudaLaunchCooperativeKernel((const void *)flags, dim3(sms), dim3(threads), with_count,
                                        0, 0);
        }) * 1e3 / ROUNDS);
        TRY(cudaGetLastError());
    }
    for (int size : {2, 4, 8, 16}) {
        if (size > 8)
            TRY(cudaFuncSetAttribute(cluster_barriers,
                                     cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        cudaLaunchConfig_t c = {};
        cudaLaunchAttribute a = {};
        c.gridDim = dim3(size * 6), c.blockDim = dim3(256);
        a.id = cudaLaunchAttributeClusterDimension;
        a.val.clusterDim.x = size, a.val.clusterDim.y = a.val.clusterDim.z = 1;
        c.attrs = &a, c.numAttrs = 1;
        int clusters = 0;
        TRY(cudaOccupancyMaxActiveClusters(&clusters, cluster_barriers, &c));
        std::printf("clusters of %2d blocks: %d at a time (%d multiprocessors), barrier %.2f us\n",
                    size, clusters, clusters * size, t.median([&] {
                        cudaLaunchKernelEx(&c, cluster_barriers, rounds);
                    }) * 1e3 / ROUNDS);
        TRY(cudaGetLastError());
    }
    double2 *memory;
    const size_t most = (size_t)128 << 20;
    TRY(cudaMalloc(&memory, most));
    TRY(cudaMemset(memory, 0, most));
    for (int mb : {8, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 96, 128}) {
        const size_t half = ((size_t)mb << 20) / 2 / sizeof(double2), count2 = half / 1024 * 1024;
        const int again = 1 + 2048 / mb;
        const float ms =
            t.median([&] { copies<<<4 * sms, 256>>>(memory, memory + half, count2, again); });
        std::printf("copies within %3d MB: %.2f TB/s\n", mb,
                    2.0 * count2 * sizeof(double2) * again / ms / 1e9);
    }
    TRY(cudaDeviceSynchronize());
    return 0;
}
