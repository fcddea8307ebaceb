#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

#include <cuda_profiler_api.h>

#include "backend/backend.h"
#include "base/context.h"
#include "base/tuning.h"
#include "ranks/ranks.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* objects of single precision, under their linker names (base/real.h) */
extern "C" const struct swe_stage_table_single swe_stages_cuda_single;
extern "C" const swe_fma_benchmark swe_fma_benchmark_cuda_single;

/* Header of pageable host memory; the caller's memory follows it. */
struct pageable {
    alignas(64) pageable *next;
};

struct swe_device {
    int index;
    pageable *unpinned;                 /* list of blocks allocated in place of pinned memory */
    int threads;                        /* of the diagnostics, which run on the host */
    cudaStream_t stream, second_stream; /* main stream; second stream for concurrent kernels */
    cudaEvent_t before, after;          /* begin and end of work on the second stream */
    char name[256], pci[32];
    prof_profiler *profiler;
};

/* Return from the enclosing function with one line about a failed CUDA call. */
#define TRY_CUDA(ctx, status, what, call)                                                          \
    do {                                                                                           \
        const cudaError_t cuda_error = (call);                                                     \
        if (cuda_error != cudaSuccess)                                                             \
            return swe_fail(ctx, status, "CUDA: %s: %s", what, cudaGetErrorString(cuda_error));    \
    } while (0)

static int device_count(swe_context *ctx)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return count;
    cudaGetLastError(); /* a later call must not find this error */
    swe_fail(ctx, SWE_UNAVAILABLE, "CUDA: %s",
             error != cudaSuccess ? cudaGetErrorString(error) : "there is no device");
    return 0;
}

/* Whether the driver's library or kernel module is installed. */
static bool has_driver()
{
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess)
        cudaGetLastError(); /* a later call must not find this error */
    return version > 0 || access("/proc/driver/nvidia/version", F_OK) == 0;
}

static void describe(int index, char *text, size_t size)
{
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
        cudaGetLastError(); /* a later call must not find this error */
        std::snprintf(text, size, "CUDA device %d", index);
        return;
    }
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    std::snprintf(text, size, "%s, sm_%d%d, %.0f GiB, CUDA driver %d.%d, runtime %d.%d",
                  properties.name, properties.major, properties.minor,
                  (double)properties.totalGlobalMem / (1024.0 * 1024.0 * 1024.0), driver / 1000,
                  driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

static __global__ void probe_kernel(double *value)
{
    *value = 42.0;
}

/* Clear the error of a call whose failure has no effect, so that no later call finds it. */
static void forgive(cudaError_t error)
{
    if (error != cudaSuccess)
        cudaGetLastError();
}

/* Run a kernel of this build: a device may exist and be too old for it. */
static swe_status probe(swe_context *ctx, cudaStream_t stream)
{
    double *memory = nullptr, value = 0.0;
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "device memory", cudaMalloc((void **)&memory, sizeof value));
    SWE_LAUNCH(probe_kernel, dim3(1), dim3(1), 0, stream, memory);
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t ran = cudaStreamSynchronize(stream);
    const cudaError_t copied = cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost);
    cudaFree(memory);
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "kernels of this build do not start on the device", launched);
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "a kernel failed on the device", ran);
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "a copy from the device", copied);
    return value == 42.0 ? SWE_OK : swe_fail(ctx, SWE_UNAVAILABLE, "CUDA: a kernel left no result");
}

/* Make this device current for the calling thread. The next call reports a failure. */
static void select(const swe_device *device)
{
    cudaSetDevice(device->index);
}

static void close_device(swe_device **device)
{
    const swe_device *d = *device;
    forgive(cudaSetDevice(d->index));
    for (cudaEvent_t event : {d->before, d->after})
        if (event != nullptr)
            forgive(cudaEventDestroy(event));
    for (cudaStream_t stream : {d->stream, d->second_stream})
        if (stream != nullptr)
            forgive(cudaStreamDestroy(stream));
    std::free(*device);
    *device = nullptr;
}

/* On several ranks the main stream carries messages: its kernels have priority over the kernels of
 * the second stream, which compute the inside of blocks. */
static swe_status open_streams(swe_context *ctx, swe_device *device)
{
    int least = 0, greatest = 0;
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "device", cudaSetDevice(device->index));
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "priorities of streams",
             cudaDeviceGetStreamPriorityRange(&least, &greatest));
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "stream",
             cudaStreamCreateWithPriority(&device->stream, cudaStreamNonBlocking,
                                          swe_ranks_count() > 1 ? greatest : least));
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "stream",
             cudaStreamCreateWithPriority(&device->second_stream, cudaStreamNonBlocking, least));
    for (cudaEvent_t *event : {&device->before, &device->after})
        TRY_CUDA(ctx, SWE_UNAVAILABLE, "event",
                 cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    return probe(ctx, device->stream);
}

/* Number of cores of a rank. Ranks that may use the same cores divide them. */
static int cores_of_rank()
{
    const int share = (int)std::thread::hardware_concurrency() / swe_ranks_sharing_cores();
    return share > 1 ? share : 1;
}

static swe_status open_device(swe_context *ctx, int index, int threads, swe_device **out)
{
    *out = static_cast<swe_device *>(std::calloc(1, sizeof **out));
    if (*out == nullptr)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the CUDA backend");
    (*out)->index = index;
    describe(index, (*out)->name, sizeof(*out)->name);
    if (cudaDeviceGetPCIBusId((*out)->pci, sizeof(*out)->pci, index) != cudaSuccess) {
        cudaGetLastError(); /* a later call must not find this error */
        (*out)->pci[0] = '\0';
    }
    (*out)->threads = threads > 0 ? threads : cores_of_rank();
    const swe_status status = open_streams(ctx, *out);
    if (status != SWE_OK) {
        close_device(out);
        cudaGetLastError(); /* another device may be tried next */
    }
    return status;
}

static const char *identity(const swe_device *device)
{
    return device->pci; /* MIG devices may share the text of their GPU: name the device (cuda:0) */
}

static void bind(const swe_device *device, const swe_layout *layout, swe_execution *out)
{
    (void)layout;
    out->threads = device->threads > 0 ? device->threads : 1;
    out->device = device->index;
    out->queue = device->stream;
    out->second_stream = device->second_stream;
    out->before = device->before;
    out->after = device->after;
}

/* Begin or end the range that nsys and ncu capture. */
static void bracket(bool begins)
{
    forgive(begins ? cudaProfilerStart() : cudaProfilerStop());
}

static void attach(swe_device *device, const swe_execution *execution, prof_profiler *profiler)
{
    const prof_device described = {
        device->name,       device->pci[0] != '\0' ? device->pci : nullptr,
        device->index,      true,
        execution->threads, bracket};
    device->profiler = profiler;
    prof_attach(profiler, &described);
}

static swe_status memory(swe_context *ctx, swe_device *device, size_t *bytes)
{
    size_t all = 0;
    select(device);
    TRY_CUDA(ctx, SWE_INTERNAL, "free memory", cudaMemGetInfo(bytes, &all));
    return SWE_OK;
}

static swe_status reserve(swe_context *ctx, swe_device *device, size_t count, size_t size,
                          prof_place place, void **out)
{
    *out = nullptr;
    void *memory = nullptr;
    select(device);
    const cudaError_t error = cudaMalloc(&memory, count * size);
    if (error != cudaSuccess) {
        cudaGetLastError();
        return swe_fail(ctx, SWE_NO_MEMORY, "CUDA: %zu bytes of device memory: %s", count * size,
                        cudaGetErrorString(error));
    }
    prof_allocated(device->profiler, memory, count * size, place);
    *out = memory;
    return SWE_OK;
}

static void release(swe_device *device, void *memory)
{
    prof_released(device->profiler, memory);
    select(device);
    cudaFree(memory);
}

static swe_status allocate(swe_context *ctx, swe_device *device, size_t count, size_t size,
                           prof_place place, void **out)
{
    SWE_TRY(reserve(ctx, device, count, size, place, out));
    const cudaError_t cleared = cudaMemsetAsync(*out, 0, count * size, device->stream);
    if (cleared != cudaSuccess)
        release(device, *out);
    TRY_CUDA(ctx, SWE_INTERNAL, "clearing device memory", cleared);
    return SWE_OK;
}

static swe_status allocate_pageable(swe_context *ctx, swe_device *device, size_t bytes, void **out)
{
    void *memory = nullptr;
    if (posix_memalign(&memory, alignof(pageable), sizeof(pageable) + bytes) != 0)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory: %zu bytes of host memory", bytes);
    pageable *block = static_cast<pageable *>(memory);
    block->next = device->unpinned;
    device->unpinned = block;
    *out = block + 1;
    return SWE_OK;
}

/* Machines limit pinned memory (ulimit -l, containers). Copies to pageable memory are slower. */
static swe_status allocate_host(swe_context *ctx, swe_device *device, size_t bytes, void **out)
{
    *out = nullptr;
    select(device);
    const cudaError_t error = cudaMallocHost(out, bytes);
    if (error == cudaSuccess)
        return SWE_OK;
    cudaGetLastError(); /* a later call must not find this error */
    SWE_TRY(allocate_pageable(ctx, device, bytes, out));
    swe_warn_once("CUDA: no pinned host memory (%zu bytes: %s): copies to files take longer", bytes,
                  cudaGetErrorString(error));
    return SWE_OK;
}

static void release_host(swe_device *device, void *host)
{
    for (pageable **at = &device->unpinned; *at != nullptr; at = &(*at)->next)
        if (host == *at + 1) {
            pageable *block = *at;
            *at = block->next;
            std::free(block);
            return;
        }
    select(device);
    cudaFreeHost(host);
}

static void share(const swe_execution *execution, void (*work)(void *argument), void *argument)
{
    cudaSetDevice(execution->device);
    work(argument);
}

static swe_status synchronize(swe_context *ctx, swe_device *device)
{
    select(device);
    TRY_CUDA(ctx, SWE_INTERNAL, "a kernel did not start, or an earlier call failed",
             cudaGetLastError());
    TRY_CUDA(ctx, SWE_INTERNAL, "a kernel failed", cudaStreamSynchronize(device->stream));
    return SWE_OK;
}

static swe_status copy(swe_context *ctx, swe_device *device, void *to, const void *from,
                       size_t bytes, cudaMemcpyKind kind)
{
    select(device);
    TRY_CUDA(ctx, SWE_INTERNAL, "copy", cudaMemcpyAsync(to, from, bytes, kind, device->stream));
    return synchronize(ctx, device);
}

static swe_status upload(swe_context *ctx, swe_device *device, const void *host, void *to_device,
                         size_t bytes)
{
    return copy(ctx, device, to_device, host, bytes, cudaMemcpyHostToDevice);
}

static swe_status download(swe_context *ctx, swe_device *device, const void *on_device, void *host,
                           size_t bytes)
{
    return copy(ctx, device, host, on_device, bytes, cudaMemcpyDeviceToHost);
}

struct swe_graph {
    cudaGraphExec_t graph;
};

/* Capture the kernels that `work` starts. The capture always ends: until then the stream is
 * unusable.
 */
static cudaError_t capture(cudaStream_t stream, void (*work)(void *argument), void *argument,
                           cudaGraph_t *graph)
{
    /* thread-local: calls of other threads, such as a profiler's, are not affected */
    const cudaError_t begun = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (begun != cudaSuccess)
        return begun;
    work(argument);
    const cudaError_t started = cudaGetLastError();
    const cudaError_t ended = cudaStreamEndCapture(stream, graph);
    return started != cudaSuccess ? started : ended;
}

/* Instantiate a captured graph. Kernels keep the priority of their stream. */
static cudaError_t capture_graph(cudaStream_t stream, void (*work)(void *argument), void *argument,
                                 cudaGraphExec_t *out)
{
    cudaGraph_t graph = nullptr;
    cudaError_t error = capture(stream, work, argument, &graph);
    if (error == cudaSuccess)
        error = cudaGraphInstantiate(out, graph, cudaGraphInstantiateFlagUseNodePriority);
    if (graph != nullptr)
        cudaGraphDestroy(graph);
    return error;
}

static swe_status capture(swe_context *ctx, swe_device *device, void (*work)(void *argument),
                          void *argument, swe_graph **out)
{
    *out = nullptr;
    SWE_TRY(synchronize(ctx, device)); /* report an earlier failure as such */
    swe_graph *graph = static_cast<swe_graph *>(std::calloc(1, sizeof *graph));
    if (graph == nullptr)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a CUDA graph");
    const cudaError_t error = capture_graph(device->stream, work, argument, &graph->graph);
    if (error != cudaSuccess) {
        std::free(graph);
        cudaGetLastError(); /* a later call must not find this error */
    }
    TRY_CUDA(ctx, SWE_INTERNAL, "stages cannot be captured as a graph", error);
    *out = graph;
    return SWE_OK;
}

static void launch_graph(swe_device *device, swe_graph *graph)
{
    select(device);
    cudaGraphLaunch(graph->graph, device->stream);
}

static void destroy_graph(swe_device *device, swe_graph **graph)
{
    select(device);
    cudaGraphExecDestroy((*graph)->graph);
    std::free(*graph);
    *graph = nullptr;
}

static swe_status name_memory(swe_context *ctx, swe_device *device, void *memory,
                              swe_memory_name *out)
{
    cudaIpcMemHandle_t handle;
    static_assert(sizeof handle == sizeof *out, "a name is a handle");
    select(device);
    const cudaError_t error = cudaIpcGetMemHandle(&handle, memory);
    if (error != cudaSuccess)
        cudaGetLastError();
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "CUDA IPC: memory for other processes", error);
    std::memcpy(out, &handle, sizeof handle);
    return SWE_OK;
}

static swe_status open_memory(swe_context *ctx, swe_device *device, const swe_memory_name *name,
                              void **out)
{
    cudaIpcMemHandle_t handle;
    std::memcpy(&handle, name, sizeof handle);
    select(device);
    const cudaError_t error = cudaIpcOpenMemHandle(out, handle, cudaIpcMemLazyEnablePeerAccess);
    if (error != cudaSuccess)
        cudaGetLastError();
    TRY_CUDA(ctx, SWE_UNAVAILABLE, "CUDA IPC: memory of another process", error);
    return SWE_OK;
}

static void close_memory(swe_device *device, void *memory)
{
    select(device);
    cudaIpcCloseMemHandle(memory);
}

extern "C" const swe_backend swe_backend_cuda = {
    "cuda",
    {&swe_stages_cuda, &swe_stages_cuda_single},
    false,
    true,
    &swe_copy_benchmark_cuda,
    {&swe_fma_benchmark_cuda, &swe_fma_benchmark_cuda_single},
    device_count,
    has_driver,
    describe,
    open_device,
    identity,
    close_device,
    bind,
    attach,
    memory,
    allocate,
    reserve,
    release,
    allocate_host,
    release_host,
    share,
    upload,
    download,
    synchronize,
    name_memory,
    open_memory,
    close_memory,
    capture,
    launch_graph,
    destroy_graph,
};
