/* The stand-in's records of reported work, written to the buffers of its client. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "cupti_emulation_state.h"

struct cupti_emulation cupti_emulation = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Time [ns] that an environment variable sets; 0 if it is not set. */
static int64_t prefetch(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atoll(text) : 0;
}

uint64_t cupti_emulation_time(void)
{
    return now() + (uint64_t)prefetch("CUPTI_EMULATION_TIMESTAMP");
}

/* Names of calls by their number. */
typedef struct call_name {
    CUpti_CallbackDomain domain;
    CUpti_CallbackId id;
    const char *name;
} call_name;

#define RUNTIME(name)                                                                              \
    {                                                                                              \
        CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_##name, #name                        \
    }
#define DRIVER(name)                                                                               \
    {                                                                                              \
        CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_##name, #name                          \
    }
static const call_name calls[] = {RUNTIME(cudaLaunchKernel_v7000),
                                  RUNTIME(cudaMemcpyAsync_v3020),
                                  RUNTIME(cudaMemcpy2DAsync_v3020),
                                  RUNTIME(cudaMemsetAsync_v3020),
                                  RUNTIME(cudaStreamSynchronize_v3020),
                                  RUNTIME(cudaDeviceSynchronize_v3020),
                                  RUNTIME(cudaMalloc_v3020),
                                  RUNTIME(cudaFree_v3020),
                                  RUNTIME(cudaGraphLaunch_v10000),
                                  RUNTIME(cudaMemcpyToSymbol_v3020),
                                  DRIVER(cuLaunchKernel),
                                  DRIVER(cuMemsetD8Async)};
enum { CALLS = sizeof calls / sizeof *calls };

CUpti_CallbackId cupti_emulation_call_id(const char *name)
{
    for (int k = 0; k < CALLS; k++)
        if (strcmp(calls[k].name, name) == 0)
            return calls[k].id;
    return 0;
}

const char *cupti_emulation_call_name(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    for (int k = 0; k < CALLS; k++)
        if (calls[k].domain == domain && calls[k].id == id)
            return calls[k].name;
    return NULL;
}

size_t cupti_emulation_record_size(CUpti_ActivityKind kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
        return sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
        return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
        return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_DEVICE:
        return sizeof(CUpti_ActivityDevice5);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
        return sizeof(CUpti_ActivityContext3);
    default:
        return 0;
    }
}

void cupti_emulation_complete(void)
{
    uint8_t *full = cupti_emulation.buffer;
    cupti_emulation.buffer = NULL;
    if (full != NULL)
        cupti_emulation.complete(NULL, 0, full, cupti_emulation.size, cupti_emulation.used);
}

static void request_buffer(void)
{
    size_t most = 0;
    cupti_emulation.size = cupti_emulation.used = 0;
    cupti_emulation.request(&cupti_emulation.buffer, &cupti_emulation.size, &most);
    if (cupti_emulation.buffer == NULL)
        return;
    bool dirty = false;
    for (size_t k = 0; k < cupti_emulation.size; k++)
        dirty = dirty || cupti_emulation.buffer[k] != 0;
    cupti_emulation.state.dirty += dirty || !cupti_emulation.zeroed;
}

/* Write a record where its kind is on. */
void cupti_emulation_write(const void *record)
{
    CUpti_ActivityKind kind;
    memcpy(&kind, record, sizeof kind);
    const size_t size = cupti_emulation_record_size(kind);
    if (!cupti_emulation.on[kind])
        return;
    if (cupti_emulation.buffer != NULL && cupti_emulation.used + size > cupti_emulation.size)
        cupti_emulation_complete();
    if (cupti_emulation.buffer == NULL)
        request_buffer();
    if (cupti_emulation.buffer == NULL || size > cupti_emulation.size) {
        cupti_emulation.dropped++;
        return;
    }
    memcpy(cupti_emulation.buffer + cupti_emulation.used, record, size);
    cupti_emulation.used += size;
    cupti_emulation.state.records++;
}

void cupti_emulation_call_begin(const char *name)
{
    pthread_mutex_lock(&cupti_emulation.lock);
    cupti_emulation.call = (CUpti_ActivityAPI){.kind = CUPTI_ACTIVITY_KIND_RUNTIME,
                                               .start = now(),
                                               .processId = (uint32_t)getpid(),
                                               .correlationId = ++cupti_emulation.correlation};
    cupti_emulation.call.threadId =
        (uint32_t)(cupti_emulation.system_threads ? (uintptr_t)syscall(SYS_gettid)
                                                  : (uintptr_t)pthread_self());
    cupti_emulation.call.cbid = cupti_emulation_call_id(name);
    cupti_emulation.last = cupti_emulation.call.start;
    cupti_emulation.stream = cupti_emulation.graph = 0;
    cupti_emulation.node = 0;
    pthread_mutex_unlock(&cupti_emulation.lock);
}

void cupti_emulation_call_end(int result)
{
    pthread_mutex_lock(&cupti_emulation.lock);
    cupti_emulation.call.end = now();
    cupti_emulation.call.returnValue = (uint32_t)result;
    if (cupti_emulation.state.external > 0) {
        const CUpti_ActivityExternalCorrelation external = {
            .kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
            .externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
            .externalId = cupti_emulation.external[cupti_emulation.state.external - 1],
            .correlationId = cupti_emulation.call.correlationId};
        cupti_emulation_write(&external);
    }
    cupti_emulation_write(&cupti_emulation.call);
    pthread_mutex_unlock(&cupti_emulation.lock);
}

void cupti_emulation_place(uint32_t stream, uint32_t graph, uint64_t node)
{
    cupti_emulation.stream = stream;
    cupti_emulation.graph = graph;
    cupti_emulation.node = node;
}

/* When the work of a call that is reported now began. */
static uint64_t work_began(void)
{
    const uint64_t began = cupti_emulation.last;
    cupti_emulation.last = now();
    return began - (uint64_t)prefetch("CUPTI_EMULATION_EARLY");
}

CUcontext cupti_emulation_context(void)
{
    return (CUcontext)(void *)&cupti_emulation.state;
}

/* The runtime launches through the driver. Kernels of graphs are not launched one by one. */
static void report_launch(const char *name)
{
    CUpti_CallbackData call = {.callbackSite = CUPTI_API_ENTER,
                               .functionName = "cuLaunchKernel",
                               .symbolName = name,
                               .context = cupti_emulation_context()};
    if (cupti_emulation.callback == NULL || !cupti_emulation.launch_on)
        return;
    for (int k = 0; k < 2; k++) {
        cupti_emulation.callback(cupti_emulation.callback_data, CUPTI_CB_DOMAIN_DRIVER_API,
                                 CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &call);
        call.callbackSite = CUPTI_API_EXIT;
    }
}

void cupti_emulation_kernel(const char *name, const int grid[3], const int block[3])
{
    if (cupti_emulation.graph == 0)
        report_launch(name);
    cupti_emulation_count((int64_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]);
    pthread_mutex_lock(&cupti_emulation.lock);
    CUpti_ActivityKernel10 kernel = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                     .registersPerThread = 32,
                                     .start = work_began(),
                                     .contextId = 1,
                                     .streamId = cupti_emulation.stream,
                                     .gridX = grid[0],
                                     .gridY = grid[1],
                                     .gridZ = grid[2],
                                     .blockX = block[0],
                                     .blockY = block[1],
                                     .blockZ = block[2],
                                     .correlationId = cupti_emulation.call.correlationId,
                                     .name = name,
                                     .graphNodeId = cupti_emulation.node,
                                     .graphId = cupti_emulation.graph};
    kernel.end = cupti_emulation.last;
    cupti_emulation_write(&kernel);
    pthread_mutex_unlock(&cupti_emulation.lock);
}

void cupti_emulation_copy(int kind, size_t bytes)
{
    const bool from_device =
        kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH || kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
    const bool to_device =
        kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD || kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
    pthread_mutex_lock(&cupti_emulation.lock);
    CUpti_ActivityMemcpy6 copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                  .copyKind = (uint8_t)kind,
                                  .srcKind = from_device ? CUPTI_ACTIVITY_MEMORY_KIND_DEVICE
                                                         : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
                                  .dstKind = to_device ? CUPTI_ACTIVITY_MEMORY_KIND_DEVICE
                                                       : CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
                                  .flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC,
                                  .bytes = bytes,
                                  .start = work_began(),
                                  .contextId = 1,
                                  .streamId = cupti_emulation.stream,
                                  .correlationId = cupti_emulation.call.correlationId,
                                  .graphNodeId = cupti_emulation.node,
                                  .graphId = cupti_emulation.graph};
    copy.end = cupti_emulation.last;
    cupti_emulation_write(&copy);
    pthread_mutex_unlock(&cupti_emulation.lock);
}

void cupti_emulation_fill(size_t bytes)
{
    pthread_mutex_lock(&cupti_emulation.lock);
    CUpti_ActivityMemset4 fill = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                  .bytes = bytes,
                                  .start = work_began(),
                                  .contextId = 1,
                                  .streamId = cupti_emulation.stream,
                                  .correlationId = cupti_emulation.call.correlationId,
                                  .flags = CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC,
                                  .memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                                  .graphNodeId = cupti_emulation.node,
                                  .graphId = cupti_emulation.graph};
    fill.end = cupti_emulation.last;
    cupti_emulation_write(&fill);
    pthread_mutex_unlock(&cupti_emulation.lock);
}

void cupti_emulation_synchronize(void)
{
    pthread_mutex_lock(&cupti_emulation.lock);
    CUpti_ActivitySynchronization2 wait = {
        .kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
        .type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE,
        .start = work_began(),
        .correlationId = cupti_emulation.call.correlationId,
        .contextId = 1,
        .streamId = cupti_emulation.stream};
    wait.end = cupti_emulation.last;
    cupti_emulation_write(&wait);
    pthread_mutex_unlock(&cupti_emulation.lock);
}

/* A node's handle is the address of its number. */
static void report_node(CUpti_CallbackIdResource id, uint64_t node, uint64_t original)
{
    CUpti_GraphData graph = {.node = (CUgraphNode)(void *)&node,
                             .originalNode = (CUgraphNode)(void *)&original};
    const CUpti_ResourceData resource = {.resourceDescriptor = &graph};
    if (cupti_emulation.callback != NULL && cupti_emulation.callback_on[id])
        cupti_emulation.callback(cupti_emulation.callback_data, CUPTI_CB_DOMAIN_RESOURCE, id,
                                 &resource);
}

uint64_t cupti_emulation_node(void)
{
    const uint64_t node = ++cupti_emulation.nodes;
    report_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, node, 0);
    return node;
}

uint64_t cupti_emulation_node_copy(uint64_t original)
{
    const uint64_t node = cupti_emulation_node();
    report_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, node, original);
    return node;
}

cupti_emulation_state cupti_emulation_look(void)
{
    return cupti_emulation.state;
}
