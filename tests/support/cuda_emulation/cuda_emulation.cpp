// The runtime interface of the CUDA emulation: errors, devices, memory, streams, events, launches.

// The checked longjmp takes a jump to another stack for an error.
#undef _FORTIFY_SOURCE

#include "grid_runner.hpp"
#include "guarded_memory.hpp"

#include <chrono>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

struct CUstream_st {
};

struct CUevent_st {
    bool timed = true;
    bool recorded = false;
    std::chrono::steady_clock::time_point time;
};

namespace
{

using cuda_emulation::GuardedMemory;
using cuda_emulation::setting;

/// The streams or the events which exist.
template <typename T> using Handles = std::map<T *, std::unique_ptr<T>>;

/// All that the runtime remembers between calls.
struct Runtime {
    GuardedMemory device_memory{"device"};
    GuardedMemory pinned_memory{"pinned host"};
    Handles<CUstream_st> streams;
    Handles<CUevent_st> events;
    int device = 0;
    cudaError_t last_error = cudaSuccess;
    cudaError_t sticky_error = cudaSuccess;
    const char *last_kernel = "none";
};

/// The one runtime.
Runtime &runtime()
{
    static Runtime state;
    return state;
}

/// Number of devices there are said to be.
int device_count()
{
    return static_cast<int>(setting("CUDA_EMULATION_DEVICES", 1));
}

/// Memory each of them is said to have.
size_t total_memory()
{
    return setting("CUDA_EMULATION_MEMORY", size_t{4} << 30);
}

/// Remembers the outcome of a call, and gives what the call is to return.
cudaError_t record(cudaError_t error)
{
    Runtime &state = runtime();
    if (state.sticky_error == cudaSuccess &&
        (error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure))
        state.sticky_error = error;
    if (state.sticky_error != cudaSuccess)
        return state.sticky_error;
    if (error != cudaSuccess)
        state.last_error = error;
    return error;
}

/// Runs the body of a call, unless there is no device or it has failed for good.
template <typename Body> cudaError_t guarded(Body body)
{
    if (runtime().sticky_error != cudaSuccess)
        return runtime().sticky_error;
    return record(device_count() > 0 ? body() : cudaErrorNoDevice);
}

/// Is this the default stream or one which exists?
bool valid(cudaStream_t stream)
{
    return !stream || runtime().streams.count(stream) > 0;
}

/// As guarded(), for work on a stream.
template <typename Body> cudaError_t guarded_on(cudaStream_t stream, Body body)
{
    return guarded([&] { return valid(stream) ? body() : cudaErrorInvalidResourceHandle; });
}

/// Stores the result of a query.
template <typename T> cudaError_t store(T *to, T value)
{
    if (!to)
        return cudaErrorInvalidValue;
    *to = value;
    return cudaSuccess;
}

/// Makes a stream or an event.
template <typename T> cudaError_t create(Handles<T> &handles, T **handle, T initial)
{
    if (!handle)
        return cudaErrorInvalidValue;
    auto created = std::make_unique<T>(initial);
    *handle = created.get();
    handles[*handle] = std::move(created);
    return cudaSuccess;
}

/// Unmakes a stream or an event.
template <typename T> cudaError_t destroy(Handles<T> &handles, T *handle)
{
    return handles.erase(handle) > 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/// Looks for writes outside the blocks of memory.
cudaError_t check_memory()
{
    Runtime &state = runtime();
    const bool device_intact = state.device_memory.intact(state.last_kernel);
    const bool pinned_intact = state.pinned_memory.intact(state.last_kernel);
    return device_intact && pinned_intact ? cudaSuccess : cudaErrorIllegalAddress;
}

/// Gives out a block of memory.
cudaError_t allocate(GuardedMemory &memory, void **pointer, size_t bytes)
{
    if (!pointer)
        return cudaErrorInvalidValue;
    void *block = bytes > 0 ? memory.allocate(bytes, runtime().device) : nullptr;
    if (bytes > 0 && !block)
        return cudaErrorMemoryAllocation;
    *pointer = block;
    return cudaSuccess;
}

/// Takes a block back, whatever has gone wrong before, so that clean-up paths show no leak.
cudaError_t release(GuardedMemory &memory, void *pointer)
{
    if (!pointer)
        return guarded([] { return cudaSuccess; });
    const cudaError_t error = check_memory();
    return record(memory.release(pointer) ? error : cudaErrorInvalidValue);
}

/// May a copy use this range as device or as host memory?
bool on_side(const void *pointer, size_t bytes, bool on_device)
{
    const GuardedMemory &memory = runtime().device_memory;
    return on_device ? memory.contains(pointer, bytes) : pointer && !memory.touches(pointer, bytes);
}

/// Copies rows after a check that each side is where `kind` says.
cudaError_t copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, cudaMemcpyKind kind)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (width > to_pitch || width > from_pitch)
        return cudaErrorInvalidPitchValue;
    if (height > SIZE_MAX / std::max(to_pitch, from_pitch))
        return cudaErrorInvalidValue;
    const size_t to_bytes = (height - 1) * to_pitch + width;
    const size_t from_bytes = (height - 1) * from_pitch + width;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (kind == cudaMemcpyDefault) {
        to_device = runtime().device_memory.touches(to, to_bytes);
        from_device = runtime().device_memory.touches(from, from_bytes);
    }
    if (!on_side(to, to_bytes, to_device) || !on_side(from, from_bytes, from_device))
        return cudaErrorInvalidValue;
    for (size_t row = 0; row < height; ++row)
        std::memcpy(static_cast<char *>(to) + row * to_pitch,
                    static_cast<const char *>(from) + row * from_pitch, width);
    return cudaSuccess;
}

struct ErrorText {
    cudaError_t error;
    const char *name;
    const char *meaning;
};

/// Name and meaning of an error.
ErrorText error_text(cudaError_t error)
{
#define CUDA_EMULATION_TEXT(name, number, meaning) {name, #name, meaning},
    static const ErrorText texts[] = {CUDA_EMULATION_ERRORS(CUDA_EMULATION_TEXT)};
#undef CUDA_EMULATION_TEXT
    for (const ErrorText &text : texts)
        if (text.error == error)
            return text;
    return {error, "unrecognized error code", "unrecognized error code"};
}

} // namespace

size_t cuda_emulation_live_blocks(void)
{
    return runtime().device_memory.count() + runtime().pinned_memory.count();
}

void cuda_emulation::execute(const Launch &launch, const std::function<void()> &thread)
{
    guarded_on(launch.stream, [&] {
        runtime().last_kernel = launch.kernel;
        return GridRunner::instance().run(launch, thread);
    });
}

void cuda_emulation::wait_at_barrier(const char *file, int line)
{
    GridRunner::instance().wait(file, line);
}

cudaError_t cuda_emulation::copy_to_symbol(const void *symbol, size_t symbol_bytes,
                                           const void *from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind)
{
    return guarded([&] {
        if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice)
            return cudaErrorInvalidMemcpyDirection;
        if (offset > symbol_bytes || bytes > symbol_bytes - offset ||
            !on_side(from, bytes, kind == cudaMemcpyDeviceToDevice))
            return cudaErrorInvalidValue;
        std::memcpy(static_cast<char *>(const_cast<void *>(symbol)) + offset, from, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceCount(int *count)
{
    if (count)
        *count = device_count();
    return guarded([&] { return count ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaSetDevice(int device)
{
    return guarded([&] {
        if (device < 0 || device >= device_count())
            return cudaErrorInvalidDevice;
        runtime().device = device;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int *device)
{
    return guarded([&] { return store(device, runtime().device); });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    return guarded([&] {
        if (device < 0 || device >= device_count())
            return cudaErrorInvalidDevice;
        cudaDeviceProp found{};
        std::strcpy(found.name, "CUDA emulation (no GPU)");
        found.totalGlobalMem = total_memory();
        found.sharedMemPerBlock = size_t{48} << 10;
        found.maxThreadsPerBlock = 1024;
        found.major = 9;
        found.multiProcessorCount = 1;
        found.l2CacheSize = 4 << 20;
        return store(properties, found);
    });
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return record(store(version, CUDART_VERSION));
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return record(store(version, CUDART_VERSION));
}

cudaError_t cudaDeviceSynchronize()
{
    return guarded(check_memory);
}

cudaError_t cudaDeviceReset()
{
    Runtime &state = runtime();
    state.device_memory.clear();
    state.pinned_memory.clear();
    state.streams.clear();
    state.events.clear();
    state.device = 0;
    state.last_error = state.sticky_error = cudaSuccess;
    return guarded([] { return cudaSuccess; });
}

cudaError_t cudaGetLastError()
{
    const cudaError_t error = cudaPeekAtLastError();
    runtime().last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError()
{
    const Runtime &state = runtime();
    return state.sticky_error != cudaSuccess ? state.sticky_error : state.last_error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error_text(error).name;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error_text(error).meaning;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return guarded([&] {
        size_t free_bytes = 0, total_bytes = 0;
        cudaMemGetInfo(&free_bytes, &total_bytes);
        return bytes > free_bytes ? cudaErrorMemoryAllocation
                                  : allocate(runtime().device_memory, pointer, bytes);
    });
}

cudaError_t cudaFree(void *pointer)
{
    return release(runtime().device_memory, pointer);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return guarded([&] { return allocate(runtime().pinned_memory, pointer, bytes); });
}

cudaError_t cudaFreeHost(void *pointer)
{
    return release(runtime().pinned_memory, pointer);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return guarded([&] {
        if (!free_bytes || !total_bytes)
            return cudaErrorInvalidValue;
        *total_bytes = total_memory();
        const size_t used = runtime().device_memory.used(runtime().device);
        *free_bytes = *total_bytes - std::min(used, *total_bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    return guarded_on(stream, [&] {
        if (bytes > 0 && !on_side(pointer, bytes, true))
            return cudaErrorInvalidValue;
        if (bytes > 0)
            std::memset(pointer, value, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    return guarded_on(stream,
                      [&] { return copy(to, to_pitch, from, from_pitch, width, height, kind); });
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return guarded([&] {
        return flags > cudaStreamNonBlocking ? cudaErrorInvalidValue
                                             : create(runtime().streams, stream, {});
    });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return guarded([&] { return destroy(runtime().streams, stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return guarded_on(stream, check_memory);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return guarded([&] {
        if (flags > (cudaEventBlockingSync | cudaEventDisableTiming))
            return cudaErrorInvalidValue;
        CUevent_st initial;
        initial.timed = !(flags & cudaEventDisableTiming);
        return create(runtime().events, event, initial);
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return guarded_on(stream, [&] {
        if (!runtime().events.count(event))
            return cudaErrorInvalidResourceHandle;
        event->recorded = true;
        event->time = std::chrono::steady_clock::now();
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return guarded([&] {
        return runtime().events.count(event) ? check_memory() : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return guarded([&] {
        if (!milliseconds)
            return cudaErrorInvalidValue;
        for (cudaEvent_t event : {start, end})
            if (!runtime().events.count(event) || !event->timed || !event->recorded)
                return cudaErrorInvalidResourceHandle;
        *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return guarded([&] { return destroy(runtime().events, event); });
}
