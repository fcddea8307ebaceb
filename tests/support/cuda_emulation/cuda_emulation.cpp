// The runtime interface of the CUDA emulation: errors, devices, memory, streams, events, launches.

// The checked longjmp treats a jump to another stack as an error.
#undef _FORTIFY_SOURCE

#include "cuda_profiler_api.h"
#include "grid_runner.hpp"
#include "runtime.hpp"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

using namespace cuda_emulation;

namespace
{

/// Memory that each device reports.
size_t total_memory()
{
    return setting("CUDA_EMULATION_MEMORY", size_t{4} << 30);
}

/// Multiprocessors of each device.
int multiprocessors()
{
    return static_cast<int>(setting("CUDA_EMULATION_MULTIPROCESSORS", 1));
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
    void *block = bytes > 0 ? memory.allocate(bytes, current_device) : nullptr;
    if (bytes > 0 && !block)
        return cudaErrorMemoryAllocation;
    *pointer = block;
    return cudaSuccess;
}

/// Releases a block, whatever has gone wrong before, so that clean-up paths show no leak.
cudaError_t release(GuardedMemory &memory, void *pointer)
{
    if (!pointer)
        return guarded([] { return cudaSuccess; });
    if (spoil_strict_captures())
        return record(cudaErrorStreamCaptureUnsupported);
    const cudaError_t error = check_memory();
    return record(memory.release(pointer) ? error : cudaErrorInvalidValue);
}

/// May a copy use this range as device or as host memory?
bool on_side(const void *pointer, size_t bytes, bool on_device)
{
    const GuardedMemory &memory = runtime().device_memory;
    return on_device ? memory.contains(pointer, bytes) : pointer && !memory.touches(pointer, bytes);
}

/// Rows to copy.
struct Rows {
    void *to;
    size_t to_pitch;
    const void *from;
    size_t from_pitch;
    size_t width, height;
};

/// Whether each side of a copy is where `kind` requires, and large enough.
cudaError_t check_copy(const Rows &rows, cudaMemcpyKind kind)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (rows.width == 0 || rows.height == 0)
        return cudaSuccess;
    if (rows.width > rows.to_pitch || rows.width > rows.from_pitch)
        return cudaErrorInvalidPitchValue;
    if (rows.height > SIZE_MAX / std::max(rows.to_pitch, rows.from_pitch))
        return cudaErrorInvalidValue;
    const size_t to_bytes = (rows.height - 1) * rows.to_pitch + rows.width;
    const size_t from_bytes = (rows.height - 1) * rows.from_pitch + rows.width;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (kind == cudaMemcpyDefault) {
        to_device = runtime().device_memory.touches(rows.to, to_bytes);
        from_device = runtime().device_memory.touches(rows.from, from_bytes);
    }
    return on_side(rows.to, to_bytes, to_device) && on_side(rows.from, from_bytes, from_device)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

/// Copies them.
cudaError_t copy(const Rows &rows)
{
    for (size_t row = 0; rows.width > 0 && row < rows.height; ++row)
        std::memcpy(static_cast<char *>(rows.to) + row * rows.to_pitch,
                    static_cast<const char *>(rows.from) + row * rows.from_pitch, rows.width);
    const GuardedMemory &memory = runtime().device_memory;
    trace_copy(memory.touches(rows.from, 1), memory.touches(rows.to, 1), rows.width * rows.height);
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

size_t cuda_emulation_live_graphs(void)
{
    return runtime().graphs.size() + runtime().executables.size();
}

void cuda_emulation::execute(const Launch &launch, const std::function<void()> &thread)
{
    const auto work = [launch, thread] {
        runtime().last_kernel = launch.kernel;
        const cudaError_t error = GridRunner::instance().run(launch, thread);
        trace_kernel(launch);
        return error;
    };
    traced("cudaLaunchKernel_v7000", [&] {
        return submit(
            launch.stream,
            [launch] {
                return launch.stream && launch.stream->device != current_device
                           ? cudaErrorInvalidResourceHandle
                           : GridRunner::check(launch);
            },
            work);
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
    return guarded_on(nullptr, [&] {
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
        current_device = device;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int *device)
{
    return guarded([&] { return store(device, current_device); });
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
        found.multiProcessorCount = multiprocessors();
        // small, as peaks are measured on several times as much
        found.maxThreadsPerMultiProcessor = 256;
        found.l2CacheSize = static_cast<int>(setting("CUDA_EMULATION_CACHE", 256 << 10));
        return store(properties, found);
    });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    return guarded([&] {
        if (device < 0 || device >= device_count())
            return cudaErrorInvalidDevice;
        switch (attribute) {
        case cudaDevAttrMultiProcessorCount:
            return store(value, multiprocessors());
        }
        return cudaErrorInvalidValue;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t)
{
    return guarded([&] {
        return kernel != nullptr && threads > 0
                   ? store(blocks, static_cast<int>(setting("CUDA_EMULATION_BLOCKS", 3)))
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    if (text == nullptr || size < 13 || device < 0 || device >= device_count())
        return record(text == nullptr || size < 13 ? cudaErrorInvalidValue
                                                   : cudaErrorInvalidDevice);
    const char *chosen = std::getenv("CUDA_EMULATION_PCI");
    std::snprintf(text, (size_t)size, "%s", chosen != nullptr ? chosen : "ffff:ff:ff.0");
    return cudaSuccess;
}

static void report_capture(const char *what)
{
    if (std::getenv("CUDA_EMULATION_TELL_CAPTURE") != nullptr)
        std::fprintf(stderr, "cuda emulation: capture %s\n", what);
}

cudaError_t cudaProfilerStart()
{
    report_capture("starts");
    return cudaSuccess;
}

cudaError_t cudaProfilerStop()
{
    report_capture("stops");
    return cudaSuccess;
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
    return traced("cudaDeviceSynchronize_v3020", [] {
        return guarded([] {
            return spoil_captures([](const CUstream_st &) { return true; })
                       ? cudaErrorStreamCaptureUnsupported
                       : check_memory();
        });
    });
}

cudaError_t cudaDeviceReset()
{
    Runtime &state = runtime();
    state.device_memory.clear();
    state.pinned_memory.clear();
    state.streams.clear();
    state.events.clear();
    state.graphs.clear();
    state.executables.clear();
    current_device = 0;
    state.last_error = state.sticky_error = cudaSuccess;
    state.calls.count = 0;
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
    return traced("cudaMalloc_v3020", [&] {
        return guarded_outside_captures([&] {
            size_t free_bytes = 0, total_bytes = 0;
            cudaMemGetInfo(&free_bytes, &total_bytes);
            return bytes > free_bytes ? cudaErrorMemoryAllocation
                                      : allocate(runtime().device_memory, pointer, bytes);
        });
    });
}

cudaError_t cudaFree(void *pointer)
{
    return traced("cudaFree_v3020", [&] { return release(runtime().device_memory, pointer); });
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
    return guarded_outside_captures([&] {
        GuardedMemory::Name name;
        static_assert(sizeof name <= sizeof handle->reserved);
        if (setting("CUDA_EMULATION_IPC", 1) == 0)
            return cudaErrorNotSupported;
        if (!handle || !runtime().device_memory.share(pointer, &name))
            return cudaErrorInvalidValue;
        std::memcpy(handle->reserved, &name, sizeof name);
        return cudaSuccess;
    });
}

cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags)
{
    return guarded_outside_captures([&] {
        GuardedMemory::Name name;
        std::memcpy(&name, handle.reserved, sizeof name);
        if (!pointer || flags != cudaIpcMemLazyEnablePeerAccess)
            return cudaErrorInvalidValue;
        *pointer = runtime().device_memory.open(name, current_device);
        return *pointer ? cudaSuccess : cudaErrorMapBufferObjectFailed;
    });
}

cudaError_t cudaIpcCloseMemHandle(void *pointer)
{
    return runtime().device_memory.is_foreign(pointer) ? release(runtime().device_memory, pointer)
                                                       : record(cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return guarded_outside_captures([&] {
        return bytes > setting("CUDA_EMULATION_PINNED", SIZE_MAX)
                   ? cudaErrorMemoryAllocation
                   : allocate(runtime().pinned_memory, pointer, bytes);
    });
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
        const size_t used = runtime().device_memory.used(current_device);
        *free_bytes = *total_bytes - std::min(used, *total_bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    const auto check = [=] {
        return bytes == 0 || on_side(pointer, bytes, true) ? cudaSuccess : cudaErrorInvalidValue;
    };
    const auto work = [=] {
        if (bytes > 0)
            std::memset(pointer, value, bytes);
        trace_fill(bytes);
        return cudaSuccess;
    };
    return traced("cudaMemsetAsync_v3020", [&] { return submit(stream, check, work); });
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    const Rows rows = {to, to_pitch, from, from_pitch, width, height};
    const auto check = [=] { return check_copy(rows, kind); };
    return traced(height == 1 ? "cudaMemcpyAsync_v3020" : "cudaMemcpy2DAsync_v3020",
                  [&] { return submit(stream, check, [=] { return copy(rows); }); });
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return guarded([&] {
        if (flags > cudaStreamNonBlocking)
            return cudaErrorInvalidValue;
        CUstream_st initial;
        initial.device = current_device;
        initial.blocking = flags != cudaStreamNonBlocking;
        return create(runtime().streams, stream, std::move(initial));
    });
}

// Priorities have no effect: work is done at once.
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    return guarded([&] {
        *least = 0;
        *greatest = -5;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    (void)priority;
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return guarded(
        [&] { return destroy(runtime().streams, stream, cudaErrorInvalidResourceHandle); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return traced("cudaStreamSynchronize_v3020", [&] {
        return guarded_on(stream, [&] {
            if (capturing(stream)) {
                stream->capture = CUstream_st::invalidated;
                return cudaErrorStreamCaptureUnsupported;
            }
            trace_wait(stream);
            return check_memory();
        });
    });
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
        event->captured = capturing(stream);
        event->stream = stream;
        event->recorded = !event->captured;
        event->time = std::chrono::steady_clock::now();
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return guarded([&] {
        if (!runtime().events.count(event))
            return cudaErrorInvalidResourceHandle;
        return event->captured ? cudaErrorCapturedEvent : check_memory();
    });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return guarded([&] {
        if (!milliseconds)
            return cudaErrorInvalidValue;
        for (cudaEvent_t event : {start, end})
            if (!runtime().events.count(event) || !event->timed || !event->recorded)
                return runtime().events.count(event) && event->captured
                           ? cudaErrorCapturedEvent
                           : cudaErrorInvalidResourceHandle;
        *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
        return cudaSuccess;
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return guarded(
        [&] { return destroy(runtime().events, event, cudaErrorInvalidResourceHandle); });
}
