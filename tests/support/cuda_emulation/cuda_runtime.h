/// The part of the CUDA language and runtime interface which the project uses, for a host compiler.
///
/// Test builds have this folder first on the include path, so that a .cu file compiled as C++ finds
/// this file in place of NVIDIA's and its kernels run on the CPU. See README.md.
#ifndef CUDA_EMULATION_CUDA_RUNTIME_H
#define CUDA_EMULATION_CUDA_RUNTIME_H

#include "cuda_emulation.h"

#include <cstddef>
#include <functional>
#include <math.h>
#include <tuple>
#include <type_traits>
#include <utility>

#define CUDART_VERSION 13000

// Language. Blocks run one after another, so that static storage serves as a block's shared memory.
#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#ifdef SWE_NO_INLINING
#define __forceinline__ inline
#else
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define __launch_bounds__(...)

struct uint3 {
    unsigned int x, y, z;
};

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
};

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

/// Every error: name, number and meaning.
#define CUDA_EMULATION_ERRORS(X)                                                                   \
    X(cudaSuccess, 0, "no error")                                                                  \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                                \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                               \
    X(cudaErrorInitializationError, 3, "initialization error")                                     \
    X(cudaErrorInvalidConfiguration, 9, "invalid launch configuration")                            \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch")                                             \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                         \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction")                               \
    X(cudaErrorInsufficientDriver, 35, "driver too old for the runtime")                           \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                               \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device")                                            \
    X(cudaErrorInvalidDevice, 101, "invalid device number")                                        \
    X(cudaErrorMapBufferObjectFailed, 205, "mapping of a buffer failed")                           \
    X(cudaErrorNoKernelImageForDevice, 209, "no kernel image for this device")                     \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                              \
    X(cudaErrorIllegalState, 401, "operation not allowed in the current state")                    \
    X(cudaErrorNotReady, 600, "device not ready")                                                  \
    X(cudaErrorIllegalAddress, 700, "illegal memory access")                                       \
    X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")               \
    X(cudaErrorLaunchTimeout, 702, "launch timed out")                                             \
    X(cudaErrorLaunchFailure, 719, "launch failure")                                               \
    X(cudaErrorNotSupported, 801, "operation not supported")                                       \
    X(cudaErrorStreamCaptureUnsupported, 900,                                                      \
      "operation not permitted while a stream is captured")                                        \
    X(cudaErrorStreamCaptureInvalidated, 901, "the capture failed earlier")                        \
    X(cudaErrorStreamCaptureMerge, 902, "two captures cannot become one")                          \
    X(cudaErrorStreamCaptureUnmatched, 903, "the capture began on another stream")                 \
    X(cudaErrorStreamCaptureUnjoined, 904, "work of another stream was not waited for")            \
    X(cudaErrorStreamCaptureIsolation, 905, "a captured stream waits for what is not captured")    \
    X(cudaErrorStreamCaptureImplicit, 906, "the default stream would depend on a capture")         \
    X(cudaErrorCapturedEvent, 907, "the event was recorded in a captured stream")                  \
    X(cudaErrorUnknown, 999, "unknown error")

enum cudaError {
#define CUDA_EMULATION_ENUMERATOR(name, number, meaning) name = number,
    CUDA_EMULATION_ERRORS(CUDA_EMULATION_ENUMERATOR)
#undef CUDA_EMULATION_ENUMERATOR
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

typedef void (*cudaHostFn_t)(void *argument);

enum { cudaGraphInstantiateFlagUseNodePriority = 8 };

enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};

#define cudaStreamDefault      0x00u
#define cudaStreamNonBlocking  0x01u
#define cudaEventDefault       0x00u
#define cudaEventBlockingSync  0x01u
#define cudaEventDisableTiming 0x02u

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int maxThreadsPerBlock;
    int major;
    int minor;
    int multiProcessorCount;
    int maxThreadsPerMultiProcessor;
    int l2CacheSize;
};

struct cudaIpcMemHandle_t {
    char reserved[64];
};
enum { cudaIpcMemLazyEnablePeerAccess = 1 };

enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };

// Devices.
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
/// No machine has this bus id, so no tool finds a device by it. CUDA_EMULATION_PCI sets another bus
/// id.
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDeviceSynchronize();
/// Frees everything and clears every error, a sticky one too.
cudaError_t cudaDeviceReset();

// Errors.
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

// Memory.
cudaError_t cudaMalloc(void **pointer, size_t bytes);
/// Releases the block even while a sticky error makes it return that error.
cudaError_t cudaFree(void *pointer);
/// Memory that another process has named; memory of this process is refused.
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer);
cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *pointer);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
/// Releases the block even while a sticky error makes it return that error.
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr);

inline cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return cudaMemsetAsync(pointer, value, bytes);
}

inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, cudaMemcpyKind kind)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind);
}

inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream = nullptr)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, bytes, kind);
}

// Streams and events. All work is done when the call that launches it returns.
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
/// C, so that a library finds it in the program.
extern "C" cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                                          void *argument);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);

// Graphs. Kernels, copies, memsets and host functions on a captured stream are kept, with their
// arguments, and done when the graph is launched.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

namespace cuda_emulation
{

/// Everything about a launch except the kernel and its arguments.
struct Launch {
    const char *kernel;
    dim3 grid;
    dim3 block;
    size_t shared_bytes;
    cudaStream_t stream;
};

/// Checks a launch and calls `thread` once for every thread of its grid; on a captured stream,
/// keeps a copy of both for the graph.
void execute(const Launch &launch, const std::function<void()> &thread);

/// Holds the calling thread until all threads of its block have come to the same barrier.
void wait_at_barrier(const char *file, int line);

/// Copies to or into a `__constant__` variable of `symbol_bytes` bytes.
cudaError_t copy_to_symbol(const void *symbol, size_t symbol_bytes, const void *from, size_t bytes,
                           size_t offset, cudaMemcpyKind kind);

/// Converts the arguments once, as a launch does. Each thread has its own copy of the arguments;
/// SWE_GRID_CONSTANT arguments are shared.
template <typename... Parameters, typename... Arguments>
void launch(const char *name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            size_t shared_bytes, cudaStream_t stream, Arguments &&...arguments)
{
    static_assert(sizeof...(Parameters) == sizeof...(Arguments), "wrong number of arguments");
    const std::tuple<std::remove_cv_t<std::remove_reference_t<Parameters>>...> values(
        std::forward<Arguments>(arguments)...);
    execute({name, grid, block, shared_bytes, stream},
            [kernel, values] { std::apply(kernel, values); });
}

} // namespace cuda_emulation

// Kernels. Each fits CUDA_EMULATION_BLOCKS times on a multiprocessor.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared_bytes);

template <typename... Parameters>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          void (*kernel)(Parameters...),
                                                          int threads, size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, reinterpret_cast<const void *>(kernel), threads, shared_bytes);
}

/// SWE_LAUNCH(kernel, grid, block, shared_bytes, stream, arguments...)
#define SWE_LAUNCH(kernel, ...) cuda_emulation::launch(#kernel, kernel, __VA_ARGS__)

/// A copy of kilobytes for each thread would take longer than most kernels.
#define SWE_GRID_CONSTANT(type) const type &

/// The default arguments are evaluated where the kernel makes the call, hence name its barrier.
template <typename T> inline T __ldcg(const T *from)
{
    return *from;
}
template <typename T> inline void __stcg(T *to, T value)
{
    *to = value;
}
inline void __syncthreads(const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    cuda_emulation::wait_at_barrier(file, line);
}

/// cudaMalloc for a pointer of any type.
template <typename T> cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    void *raw = nullptr;
    const cudaError_t error = cudaMalloc(pointer ? &raw : nullptr, bytes);
    if (error == cudaSuccess)
        *pointer = static_cast<T *>(raw);
    return error;
}

/// cudaMallocHost for a pointer of any type.
template <typename T> cudaError_t cudaMallocHost(T **pointer, size_t bytes)
{
    void *raw = nullptr;
    const cudaError_t error = cudaMallocHost(pointer ? &raw : nullptr, bytes);
    if (error == cudaSuccess)
        *pointer = static_cast<T *>(raw);
    return error;
}

/// Copies into a `__constant__` variable.
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cuda_emulation::copy_to_symbol(&symbol, sizeof symbol, from, bytes, offset, kind);
}

#endif
