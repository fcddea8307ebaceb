/* Single activity records. */
#include <stdio.h>
#include <stdlib.h>

#include "sources/cupti/cupti_convert.h"
#include "window/device_model.h"

/* Members of the records of all operations. */
#define WORK_OF(r)                                                                                 \
    .start = (int64_t)(r)->start, .end = (int64_t)(r)->end, .device = (int32_t)(r)->deviceId,      \
    .context = (int32_t)(r)->contextId, .stream = (int32_t)(r)->streamId,                          \
    .correlation = (r)->correlationId, .span = -1, .graph = (r)->graphId,                          \
    .graph_node = (r)->graphNodeId

/* Members of the records of all calls. */
#define CALL_OF(r)                                                                                 \
    .start = (int64_t)(r)->start, .end = (int64_t)(r)->end, .correlation = (r)->correlationId,     \
    .span = -1

/* A kernel's name as in the source. Records of one kernel share the address of its name. */
static const char *kernel_name(prof_cupti_conversion *c, const char *mangled)
{
    bool is_known = false;
    if (mangled == NULL)
        return "(kernel without a name)";
    const char *name = prof_cupti_map_get(&c->kernels, (uintptr_t)mangled, &is_known);
    if (is_known)
        return name;
    name = prof_cupti_demangled_name(c->demangle, mangled, c->trace);
    /* without room for it, the name is found anew for every record */
    (void)prof_cupti_map_set(&c->kernels, (uintptr_t)mangled, name);
    return name;
}

prof_op prof_cupti_kernel(prof_cupti_conversion *c, const CUpti_ActivityKernel10 *r)
{
    return (prof_op){.kind = PROF_OP_KERNEL,
                     .name = kernel_name(c, r->name),
                     WORK_OF(r),
                     .grid = {r->gridX, r->gridY, r->gridZ},
                     .block = {r->blockX, r->blockY, r->blockZ},
                     .registers = r->registersPerThread,
                     .static_shared = r->staticSharedMemory,
                     .dynamic_shared = r->dynamicSharedMemory,
                     .local = (int32_t)r->localMemoryPerThread,
                     .occupancy = -1.0};
}

/* The entry of a table of names; `other` where it has none. */
static const char *name_in(const char *const *names, size_t count, size_t kind, const char *other)
{
    return kind < count && names[kind] != NULL ? names[kind] : other;
}
#define NAME_IN(names, kind, other)                                                                \
    name_in(names, sizeof(names) / sizeof((names)[0]), (size_t)(kind), other)

static const char *const copy_names[] = {
    [CUPTI_ACTIVITY_MEMCPY_KIND_HTOD] = "[CUDA memcpy Host-to-Device]",
    [CUPTI_ACTIVITY_MEMCPY_KIND_DTOH] = "[CUDA memcpy Device-to-Host]",
    [CUPTI_ACTIVITY_MEMCPY_KIND_HTOA] = "[CUDA memcpy Host-to-Array]",
    [CUPTI_ACTIVITY_MEMCPY_KIND_ATOH] = "[CUDA memcpy Array-to-Host]",
    [CUPTI_ACTIVITY_MEMCPY_KIND_ATOA] = "[CUDA memcpy Array-to-Array]",
    [CUPTI_ACTIVITY_MEMCPY_KIND_ATOD] = "[CUDA memcpy Array-to-Device]",
    [CUPTI_ACTIVITY_MEMCPY_KIND_DTOA] = "[CUDA memcpy Device-to-Array]",
    [CUPTI_ACTIVITY_MEMCPY_KIND_DTOD] = "[CUDA memcpy Device-to-Device]",
    [CUPTI_ACTIVITY_MEMCPY_KIND_HTOH] = "[CUDA memcpy Host-to-Host]",
    [CUPTI_ACTIVITY_MEMCPY_KIND_PTOP] = "[CUDA memcpy Peer-to-Peer]"};

static prof_memory_kind memory_kind(int kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
        return PROF_MEMORY_PAGEABLE;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
        return PROF_MEMORY_PINNED;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
        return PROF_MEMORY_DEVICE;
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
        return PROF_MEMORY_ARRAY;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
        return PROF_MEMORY_MANAGED;
    default:
        return PROF_MEMORY_UNKNOWN;
    }
}

#define COPY_OF(r)                                                                                 \
    .kind = PROF_OP_COPY, WORK_OF(r), .occupancy = -1.0, .bytes = (r)->bytes,                      \
    .from = memory_kind((r)->srcKind), .to = memory_kind((r)->dstKind),                            \
    .asynchronous = ((r)->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0

prof_op prof_cupti_copy(const CUpti_ActivityMemcpy6 *r)
{
    return (prof_op){COPY_OF(r), .name = NAME_IN(copy_names, r->copyKind, "[CUDA memcpy]")};
}

prof_op prof_cupti_peer_copy(const CUpti_ActivityMemcpyPtoP4 *r)
{
    return (prof_op){COPY_OF(r), .name = copy_names[CUPTI_ACTIVITY_MEMCPY_KIND_PTOP]};
}

prof_op prof_cupti_fill(const CUpti_ActivityMemset4 *r)
{
    return (prof_op){.kind = PROF_OP_FILL,
                     .name = "[CUDA memset]",
                     WORK_OF(r),
                     .occupancy = -1.0,
                     .bytes = r->bytes,
                     .to = memory_kind(r->memoryKind),
                     .asynchronous = (r->flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) != 0};
}

prof_call prof_cupti_call(prof_cupti_conversion *c, const CUpti_ActivityAPI *r)
{
    const bool runtime = r->kind == CUPTI_ACTIVITY_KIND_RUNTIME;
    const char *name = NULL;
    if (c->library->cuptiGetCallbackName(runtime ? CUPTI_CB_DOMAIN_RUNTIME_API
                                                 : CUPTI_CB_DOMAIN_DRIVER_API,
                                         r->cbid, &name) != CUPTI_SUCCESS ||
        name == NULL)
        name = runtime ? "(unknown runtime call)" : "(unknown driver call)";
    return (prof_call){.kind = runtime ? PROF_CALL_RUNTIME : PROF_CALL_DRIVER,
                       .name = prof_trace_intern(c->trace, name),
                       CALL_OF(r),
                       .thread_id = (int32_t)r->threadId,
                       .result = (int32_t)r->returnValue};
}

static const char *const synchronization_names[] = {
    [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE] = "event synchronize",
    [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT] = "stream wait event",
    [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE] = "stream synchronize",
    [CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE] = "context synchronize"};

prof_call prof_cupti_synchronization(const CUpti_ActivitySynchronization2 *r)
{
    return (prof_call){.kind = PROF_CALL_SYNCHRONIZE,
                       .name = NAME_IN(synchronization_names, r->type, "synchronize"),
                       CALL_OF(r),
                       .result = (int32_t)r->returnValue};
}

static const char *const overhead_names[] = {
    [CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER] = "driver compiler",
    [CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH] = "activity buffer flush",
    [CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION] = "instrumentation",
    [CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE] = "resource",
    [CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING] = "module loading",
    [CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING] = "lazy function loading",
    [CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL] = "command buffer full",
    [CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST] = "activity buffer request",
    [CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT] = "unified memory activity initialization"};

prof_call prof_cupti_overhead(const CUpti_ActivityOverhead3 *r)
{
    const bool of_thread = r->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
    return (prof_call){.kind = PROF_CALL_OVERHEAD,
                       .name = NAME_IN(overhead_names, r->overheadKind, "overhead"),
                       CALL_OF(r),
                       .thread_id = of_thread ? (int32_t)r->objectId.pt.threadId : 0};
}

void prof_cupti_release(const CUpti_Activity *record)
{
    const void *r = record;
    if (record->kind == CUPTI_ACTIVITY_KIND_DEVICE)
        free((char *)((const CUpti_ActivityDevice5 *)r)->name);
    else if (record->kind == CUPTI_ACTIVITY_KIND_OVERHEAD)
        free(((const CUpti_ActivityOverhead3 *)r)->overheadData);
}

void prof_cupti_describe(const CUpti_ActivityDevice5 *r, prof_trace *trace)
{
    prof_device_info *device = &trace->device;
    const int major = (int)r->computeCapabilityMajor, minor = (int)r->computeCapabilityMinor;
    char capability[32];
    snprintf(capability, sizeof capability, "%d.%d", major, minor);
    if (device->name[0] == '\0' && r->name != NULL)
        device->name = prof_trace_intern(trace, r->name);
    device->vendor = "NVIDIA";
    device->compute_capability = prof_trace_intern(trace, capability);
    device->multiprocessors = r->numMultiprocessors;
    device->warps_per_multiprocessor = r->maxWarpsPerMultiprocessor;
    device->clock = 1e3 * r->coreClockRate;                            /* kHz */
    device->memory_bandwidth = 1e3 * (double)r->globalMemoryBandwidth; /* kB/s */
    device->memory_size = (double)r->globalMemorySize;
    /* a multiply-add is two operations */
    const int units = prof_fp64_units(major, minor);
    device->peak_flops = 2.0 * units * (double)device->multiprocessors * device->clock;
}
