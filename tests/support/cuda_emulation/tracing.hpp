/// Reports work to the stand-in for CUPTI where that is loaded in the process.
#ifndef CUDA_EMULATION_TRACING_HPP
#define CUDA_EMULATION_TRACING_HPP

#include "../cupti_emulation/cupti_emulation.h"

#include <cuda_runtime.h>

#include <cstdlib>
#include <dlfcn.h>
#include <map>

namespace cuda_emulation
{

/// The stand-in's functions.
struct Tracer {
    decltype(&cupti_emulation_call_begin) call_begin;
    decltype(&cupti_emulation_call_end) call_end;
    decltype(&cupti_emulation_place) place;
    decltype(&cupti_emulation_kernel) kernel;
    decltype(&cupti_emulation_copy) copy;
    decltype(&cupti_emulation_fill) fill;
    decltype(&cupti_emulation_synchronize) synchronize;
    decltype(&cupti_emulation_node) node;
    decltype(&cupti_emulation_node_copy) node_copy;
};

template <typename Function> void look_up(void *library, const char *name, Function &function)
{
    function = reinterpret_cast<Function>(dlsym(library, name));
}

/// The stand-in; null if the library that the profiler loads is not there, or is another one.
inline const Tracer *tracer()
{
    static Tracer found = {};
    const char *path = std::getenv("CUBESWE_CUPTI_LIBRARY");
    if (found.call_begin || !path)
        return found.call_begin ? &found : nullptr;
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!library || !dlsym(library, "cupti_emulation_call_begin"))
        return nullptr;
    look_up(library, "cupti_emulation_call_begin", found.call_begin);
    look_up(library, "cupti_emulation_call_end", found.call_end);
    look_up(library, "cupti_emulation_place", found.place);
    look_up(library, "cupti_emulation_kernel", found.kernel);
    look_up(library, "cupti_emulation_copy", found.copy);
    look_up(library, "cupti_emulation_fill", found.fill);
    look_up(library, "cupti_emulation_synchronize", found.synchronize);
    look_up(library, "cupti_emulation_node", found.node);
    look_up(library, "cupti_emulation_node_copy", found.node_copy);
    return &found;
}

/// A small number for a stream or a graph, in the order in which they are first used.
inline uint32_t number_of(const void *handle)
{
    static std::map<const void *, uint32_t> numbers;
    return numbers.try_emplace(handle, static_cast<uint32_t>(numbers.size() + 1)).first->second;
}

/// A call of the runtime, by CUPTI's name of it.
template <typename Body> cudaError_t traced(const char *name, Body body)
{
    const Tracer *trace = tracer();
    if (trace)
        trace->call_begin(name);
    const cudaError_t error = body();
    if (trace)
        trace->call_end(error);
    return error;
}

/// Where the work that comes next in this call is done.
inline void trace_place(cudaStream_t stream, uint32_t graph = 0, uint64_t node = 0)
{
    if (const Tracer *trace = tracer())
        trace->place(number_of(stream), graph, node);
}

inline void trace_kernel(const Launch &launch)
{
    const auto extent = [](unsigned size) { return static_cast<int>(size); };
    const int grid[] = {extent(launch.grid.x), extent(launch.grid.y), extent(launch.grid.z)};
    const int block[] = {extent(launch.block.x), extent(launch.block.y), extent(launch.block.z)};
    if (const Tracer *trace = tracer())
        trace->kernel(launch.kernel, grid, block);
}

inline void trace_copy(bool from_device, bool to_device, size_t bytes)
{
    if (const Tracer *trace = tracer())
        trace->copy(from_device ? (to_device ? 8 : 2) : (to_device ? 1 : 9), bytes);
}

inline void trace_fill(size_t bytes)
{
    if (const Tracer *trace = tracer())
        trace->fill(bytes);
}

inline void trace_wait(cudaStream_t stream)
{
    trace_place(stream);
    if (const Tracer *trace = tracer())
        trace->synchronize();
}

/// The number of a new graph node, 0 if there is no tracer; and that of a copy of it.
inline uint64_t trace_node()
{
    const Tracer *trace = tracer();
    return trace ? trace->node() : 0;
}

inline uint64_t trace_node_copy(uint64_t original)
{
    const Tracer *trace = tracer();
    return trace ? trace->node_copy(original) : 0;
}

} // namespace cuda_emulation

#endif
