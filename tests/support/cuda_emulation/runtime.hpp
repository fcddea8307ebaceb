/// Shared by the runtime calls: the state between calls, and how a call begins and ends.
#ifndef CUDA_EMULATION_RUNTIME_HPP
#define CUDA_EMULATION_RUNTIME_HPP

#include "environment.hpp"
#include "guarded_memory.hpp"
#include "tracing.hpp"

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

/// A piece of work, and the number by which it is traced.
struct CUDAEmulationNode {
    std::function<cudaError_t()> work;
    uint64_t number;
};

/// In the order in which they are to be done.
using CUDAEmulationNodes = std::vector<CUDAEmulationNode>;

struct CUgraph_st {
    CUDAEmulationNodes nodes;
};

/// A graph which is launched into a stream under capture outlives its handle there.
struct CUgraphExec_st {
    std::shared_ptr<const CUDAEmulationNodes> nodes;
};

struct CUstream_st {
    enum Capture { none, active, invalidated };
    int device = 0;       ///< On which it was created.
    bool blocking = true; ///< Work of the default stream and its own wait for each other.
    Capture capture = none;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    CUDAEmulationNodes captured = {};
    cudaStream_t origin = nullptr; ///< Where the capture began that this stream has come to.
};

struct CUevent_st {
    bool timed = true;
    bool recorded = false;
    bool captured = false;
    cudaStream_t stream = nullptr; ///< On which it was captured.
    std::chrono::steady_clock::time_point time;
};

namespace cuda_emulation
{

/// The handles of one kind which exist.
template <typename T> using Handles = std::map<T *, std::unique_ptr<T>>;

/// Number of calls, printed at the end on request (CUDA_EMULATION_TELL_CALLS).
struct Calls {
    size_t count = 0;
    ~Calls()
    {
        if (std::getenv("CUDA_EMULATION_TELL_CALLS") != nullptr)
            std::fprintf(stderr, "cuda emulation: %zu calls\n", count);
    }
};

/// All that the runtime remembers between calls.
struct Runtime {
    Calls calls;
    GuardedMemory device_memory{"device"};
    GuardedMemory pinned_memory{"pinned host"};
    Handles<CUstream_st> streams;
    Handles<CUevent_st> events;
    Handles<CUgraph_st> graphs;
    Handles<CUgraphExec_st> executables;
    cudaError_t last_error = cudaSuccess;
    cudaError_t sticky_error = cudaSuccess;
    const char *last_kernel = "none";
};

/// The device of the calling thread's calls.
inline thread_local int current_device = 0;

/// The one runtime.
inline Runtime &runtime()
{
    static Runtime state;
    return state;
}

/// Number of devices that are reported.
inline int device_count()
{
    return static_cast<int>(setting("CUDA_EMULATION_DEVICES", 1));
}

/// Remembers the outcome of a call, and gives what the call is to return.
inline cudaError_t record(cudaError_t error)
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

/// The error with which this call is to fail whatever it does, as a test wants it.
inline cudaError_t injected_error()
{
    if (++runtime().calls.count != setting("CUDA_EMULATION_FAIL_AT", 0))
        return cudaSuccess;
    return static_cast<cudaError_t>(setting("CUDA_EMULATION_FAIL_WITH", cudaErrorIllegalAddress));
}

/// Runs the body of a call, unless there is no device or it has failed for good.
template <typename Body> cudaError_t guarded(Body body)
{
    if (runtime().sticky_error != cudaSuccess)
        return runtime().sticky_error;
    const cudaError_t injected = injected_error();
    if (injected != cudaSuccess)
        return record(injected);
    return record(device_count() > 0 ? body() : cudaErrorNoDevice);
}

/// Spoils the captures under way which are `affected`; are there any?
template <typename Affected> bool spoil_captures(Affected affected)
{
    bool any = false;
    for (auto &[handle, stream] : runtime().streams) {
        if (stream->capture == CUstream_st::none || !affected(*stream))
            continue;
        stream->capture = CUstream_st::invalidated;
        any = true;
    }
    return any;
}

/// Spoils the captures which do not allow a call that might wait or change memory.
inline bool spoil_strict_captures()
{
    return spoil_captures(
        [](const CUstream_st &stream) { return stream.mode != cudaStreamCaptureModeRelaxed; });
}

/// As guarded(), for a call that might wait or change memory.
template <typename Body> cudaError_t guarded_outside_captures(Body body)
{
    return guarded(
        [&] { return spoil_strict_captures() ? cudaErrorStreamCaptureUnsupported : body(); });
}

/// The error that keeps a call from using a stream.
inline cudaError_t check_stream(cudaStream_t stream)
{
    if (!stream)
        return spoil_captures([](const CUstream_st &other) { return other.blocking; })
                   ? cudaErrorStreamCaptureImplicit
                   : cudaSuccess;
    if (runtime().streams.count(stream) == 0)
        return cudaErrorInvalidResourceHandle;
    return stream->capture == CUstream_st::invalidated ? cudaErrorStreamCaptureInvalidated
                                                       : cudaSuccess;
}

/// As guarded(), for a call that uses a stream.
template <typename Body> cudaError_t guarded_on(cudaStream_t stream, Body body)
{
    return guarded([&] {
        const cudaError_t error = check_stream(stream);
        return error == cudaSuccess ? body() : error;
    });
}

/// Is work on this stream captured?
inline bool capturing(cudaStream_t stream)
{
    return stream && stream->capture == CUstream_st::active;
}

/// Does work on a stream if its check allows it, or keeps both for later if the stream is captured.
template <typename Check, typename Work>
cudaError_t submit(cudaStream_t stream, Check check, Work work)
{
    return guarded_on(stream, [&] {
        const cudaError_t error = check();
        trace_place(stream);
        if (error != cudaSuccess || !capturing(stream))
            return error == cudaSuccess ? work() : error;
        const auto checked_work = [check, work] {
            const cudaError_t later = check();
            return later == cudaSuccess ? work() : later;
        };
        stream->captured.push_back({checked_work, trace_node()});
        return cudaSuccess;
    });
}

/// Stores the result of a query.
template <typename T> cudaError_t store(T *to, T value)
{
    if (!to)
        return cudaErrorInvalidValue;
    *to = value;
    return cudaSuccess;
}

/// Makes what a handle stands for.
template <typename T> cudaError_t create(Handles<T> &handles, T **handle, T initial)
{
    if (!handle)
        return cudaErrorInvalidValue;
    auto created = std::make_unique<T>(std::move(initial));
    *handle = created.get();
    handles[*handle] = std::move(created);
    return cudaSuccess;
}

/// Unmakes it; `unknown` if there is none.
template <typename T> cudaError_t destroy(Handles<T> &handles, T *handle, cudaError_t unknown)
{
    return handles.erase(handle) > 0 ? cudaSuccess : unknown;
}

} // namespace cuda_emulation

#endif
