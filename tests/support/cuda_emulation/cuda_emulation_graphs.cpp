// The runtime interface of the CUDA emulation: capture of streams, and graphs.

#include "runtime.hpp"

#include <cstdio>
#include <cstdlib>

using namespace cuda_emulation;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode)
{
    if (!stream)
        return guarded([] { return cudaErrorStreamCaptureUnsupported; });
    return guarded_on(stream, [&] {
        if (capturing(stream))
            return cudaErrorIllegalState;
        if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
            return cudaErrorInvalidValue;
        stream->capture = CUstream_st::active;
        stream->mode = mode;
        return cudaSuccess;
    });
}

namespace
{

/// Where the capture of a stream began.
cudaStream_t origin_of(cudaStream_t stream)
{
    return stream->origin ? stream->origin : stream;
}

/// Makes a stream wait for the work captured on another stream so far. The stream joins the capture
/// of the other stream, or depends on the nodes that the other stream has recorded until now.
cudaError_t wait_for_captured(cudaStream_t stream, cudaStream_t other)
{
    if (!capturing(other))
        return cudaErrorInvalidValue;
    if (!capturing(stream)) {
        stream->capture = CUstream_st::active;
        stream->mode = other->mode;
        stream->origin = origin_of(other);
        return cudaSuccess;
    }
    if (origin_of(stream) != origin_of(other))
        return cudaErrorStreamCaptureMerge;
    if (stream == other->origin)
        for (CUDAEmulationNode &node : std::exchange(other->captured, {}))
            stream->captured.push_back(std::move(node));
    return cudaSuccess;
}

/// Ends the capture of the streams that joined the capture of `origin`. Returns whether all their
/// work was joined again.
bool release_streams(cudaStream_t origin)
{
    bool joined = true;
    for (auto &[handle, stream] : runtime().streams)
        if (stream->origin == origin) {
            joined = joined && stream->captured.empty();
            stream->captured.clear();
            stream->capture = CUstream_st::none;
            stream->origin = nullptr;
        }
    return joined;
}

} // namespace

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    if (!stream)
        return guarded([] { return cudaErrorInvalidResourceHandle; });
    return guarded_on(stream, [&] {
        if (!runtime().events.count(event))
            return cudaErrorInvalidResourceHandle;
        if (flags != 0)
            return cudaErrorInvalidValue;
        if (event->captured)
            return wait_for_captured(stream, event->stream);
        return capturing(stream) ? cudaErrorStreamCaptureIsolation : cudaSuccess;
    });
}

extern "C" cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                                          void *argument)
{
    const auto check = [=] { return function ? cudaSuccess : cudaErrorInvalidValue; };
    return submit(stream, check, [=] {
        function(argument);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    return guarded([&] {
        if (!graph)
            return cudaErrorInvalidValue;
        *graph = nullptr;
        if (!stream || runtime().streams.count(stream) == 0)
            return cudaErrorInvalidResourceHandle;
        if (stream->origin)
            return cudaErrorStreamCaptureUnmatched;
        CUDAEmulationNodes nodes = std::exchange(stream->captured, {});
        const bool joined = release_streams(stream);
        switch (std::exchange(stream->capture, CUstream_st::none)) {
        case CUstream_st::none:
            return cudaErrorIllegalState;
        case CUstream_st::invalidated:
            return cudaErrorStreamCaptureInvalidated;
        case CUstream_st::active:
            if (!joined)
                return cudaErrorStreamCaptureUnjoined;
            break;
        }
        return create(runtime().graphs, graph, {std::move(nodes)});
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                 unsigned long long flags)
{
    return guarded([&] {
        if ((flags & ~8ULL) != 0 || runtime().graphs.count(graph) == 0)
            return cudaErrorInvalidValue;
        CUDAEmulationNodes nodes = graph->nodes;
        for (CUDAEmulationNode &node : nodes)
            node.number = trace_node_copy(node.number);
        return create(runtime().executables, executable,
                      {std::make_shared<const CUDAEmulationNodes>(std::move(nodes))});
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    if (runtime().executables.count(executable) == 0)
        return guarded([] { return cudaErrorInvalidValue; });
    if (std::getenv("CUDA_EMULATION_TELL_REPLAYS") != nullptr)
        std::fputs("cuda emulation: a graph is launched\n", stderr);
    const auto work = [nodes = executable->nodes, graph = number_of(executable), stream] {
        for (const CUDAEmulationNode &node : *nodes) {
            trace_place(stream, graph, node.number);
            const cudaError_t error = node.work();
            if (error != cudaSuccess)
                return error;
        }
        return cudaSuccess;
    };
    return traced("cudaGraphLaunch_v10000", [&] {
        return submit(
            stream, [] { return cudaSuccess; }, work);
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    return guarded(
        [&] { return destroy(runtime().executables, executable, cudaErrorInvalidValue); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    return guarded([&] { return destroy(runtime().graphs, graph, cudaErrorInvalidValue); });
}
