/* The source of the GPU trace: one subscription to CUPTI, whose kinds of records are enabled while
 * a window is open.
 *
 * Records stay in their buffers until the window closes, so that converting them costs the window
 * no time; records beyond the capacity are counted. Not recorded: kinds that serialise kernels
 * (KERNEL), graphs as a whole (GRAPH_TRACE: their nodes are), and calls of the driver (DRIVER: a
 * program of the runtime would have two records of each launch). CUPTI's clock is the trace's, so
 * none is registered. cuptiFinalize is not called: it is not safe with graphs. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sources/cupti/cupti_convert.h"
#include "sources/sources.h"

/* ---- buffers of activity records ----
 *
 * Allocated in advance; each is used once per window. CUPTI requests and returns buffers on its own
 * threads. */

enum { BUFFER_BYTES = 2 << 20 };

typedef struct record_buffer {
    enum { EMPTY, IN_USE, FULL } state;
    size_t valid; /* bytes of records, set when CUPTI returns it */
} record_buffer;

typedef struct buffer_pool {
    uint8_t *memory; /* (buffer, byte) */
    int count;
    pthread_mutex_t lock; /* guards `buffer`; no CUPTI function is called while it is held */
    record_buffer *buffer;
} buffer_pool;

/* An operation's record has 216 bytes at most, a call and the record that ties it to a region 64.
 * Every thread that calls CUDA fills a buffer of its own. */
enum { EVENT_BYTES = 216, THREADS = 8, MOST = 4096 };

/* Allocate buffers for `events` records; false without memory. */
static bool buffers_create(buffer_pool *buffers, int64_t events)
{
    const int64_t full = events / (BUFFER_BYTES / EVENT_BYTES) + THREADS;
    const int count = full < MOST ? (int)full : MOST;
    /* zeroed memory of this size is not resident before it is written */
    *buffers = (buffer_pool){.memory = calloc((size_t)count, BUFFER_BYTES),
                             .count = count,
                             .buffer = calloc((size_t)count, sizeof *buffers->buffer)};
    if (buffers->memory != NULL && buffers->buffer != NULL &&
        pthread_mutex_init(&buffers->lock, NULL) == 0)
        return true;
    free(buffers->memory);
    free(buffers->buffer);
    return false;
}

static void buffers_destroy(buffer_pool *buffers)
{
    pthread_mutex_destroy(&buffers->lock);
    free(buffers->memory);
    free(buffers->buffer);
}

static uint8_t *memory_of(const buffer_pool *buffers, int k)
{
    return buffers->memory + (size_t)k * BUFFER_BYTES;
}

/* Get an empty, zeroed buffer; NULL if all are in use. */
static uint8_t *buffers_acquire(buffer_pool *buffers)
{
    pthread_mutex_lock(&buffers->lock);
    int k = 0;
    while (k < buffers->count && buffers->buffer[k].state != EMPTY)
        k++;
    if (k < buffers->count)
        buffers->buffer[k].state = IN_USE;
    pthread_mutex_unlock(&buffers->lock);
    return k < buffers->count ? memory_of(buffers, k) : NULL;
}

/* Return a buffer with `valid` bytes of records. */
static void buffers_release(buffer_pool *buffers, const uint8_t *memory, size_t valid)
{
    const size_t k = (size_t)(memory - buffers->memory) / BUFFER_BYTES;
    pthread_mutex_lock(&buffers->lock);
    buffers->buffer[k] = (record_buffer){FULL, valid};
    pthread_mutex_unlock(&buffers->lock);
}

/* Records of buffer `k`; NULL if it has none. */
static uint8_t *buffers_records(buffer_pool *buffers, int k, size_t *valid)
{
    pthread_mutex_lock(&buffers->lock);
    const record_buffer found = buffers->buffer[k];
    pthread_mutex_unlock(&buffers->lock);
    *valid = found.valid;
    return found.state == FULL && found.valid > 0 ? memory_of(buffers, k) : NULL;
}

/* Clear the returned buffers. Returns the number of buffers that CUPTI still holds. */
static int buffers_reset(buffer_pool *buffers)
{
    int missing = 0;
    pthread_mutex_lock(&buffers->lock);
    for (int k = 0; k < buffers->count; k++) {
        missing += buffers->buffer[k].state == IN_USE;
        if (buffers->buffer[k].state != FULL)
            continue;
        memset(memory_of(buffers, k), 0, BUFFER_BYTES);
        buffers->buffer[k] = (record_buffer){EMPTY, 0};
    }
    pthread_mutex_unlock(&buffers->lock);
    return missing;
}

/* ---- the source ---- */

struct prof_cupti {
    prof_cupti_library library;
    prof_cupti_demangle *demangle;
    CUpti_SubscriberHandle subscriber;
    buffer_pool buffers;
    prof_cupti_names names;
    pthread_t thread; /* the main one */
    int64_t max_events;
    uint32_t window;  /* the number of the last one; the first is 1 */
    bool open, warm;  /* kinds are enabled: in a window; before one */
    int64_t unlinked; /* regions that CUPTI rejected, in this window */
    bool clock_is_known;
    int64_t clock_difference; /* prof_tracing */
};

/* The buffers of the source, global because CUPTI passes no user data to the functions that provide
 * them. There is at most one source: CUPTI allows one subscriber per process. */
static buffer_pool *_Atomic current_buffers;

static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                           CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           CUPTI_ACTIVITY_KIND_MEMCPY,
                                           CUPTI_ACTIVITY_KIND_MEMCPY2,
                                           CUPTI_ACTIVITY_KIND_MEMSET,
                                           CUPTI_ACTIVITY_KIND_MEMORY2,
                                           CUPTI_ACTIVITY_KIND_RUNTIME,
                                           CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                           CUPTI_ACTIVITY_KIND_OVERHEAD,
                                           CUPTI_ACTIVITY_KIND_DEVICE};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char purpose[] = "GPU trace";

static void CUPTIAPI request_buffer(uint8_t **buffer, size_t *size, size_t *max_records)
{
    buffer_pool *buffers = atomic_load(&current_buffers);
    *buffer = buffers != NULL ? buffers_acquire(buffers) : NULL;
    *size = *buffer != NULL ? BUFFER_BYTES : 0;
    *max_records = 0; /* as many as fit */
}

static void CUPTIAPI receive_buffer(CUcontext context, uint32_t stream, uint8_t *buffer,
                                    size_t size, size_t valid)
{
    (void)context, (void)stream, (void)size;
    buffer_pool *buffers = atomic_load(&current_buffers);
    if (buffers != NULL && buffer != NULL)
        buffers_release(buffers, buffer, valid);
}

/* A graph node was created. CUPTI calls this on the creating thread. */
static void CUPTIAPI on_resource(void *self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void *data)
{
    prof_cupti *cupti = self;
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || !pthread_equal(pthread_self(), cupti->thread))
        return;
    const CUpti_GraphData *graph = ((const CUpti_ResourceData *)data)->resourceDescriptor;
    const prof_cupti_library *library = &cupti->library;
    uint64_t node = 0, original = 0;
    if (graph == NULL || library->cuptiGetGraphNodeId(graph->node, &node) != CUPTI_SUCCESS)
        return;
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED)
        prof_cupti_names_node(&cupti->names, node);
    else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED &&
             library->cuptiGetGraphNodeId(graph->originalNode, &original) == CUPTI_SUCCESS)
        prof_cupti_names_copy(&cupti->names, node, original);
}

/* Set up everything that holds for all windows. */
static CUptiResult set_up(prof_cupti *cupti)
{
    const prof_cupti_library *library = &cupti->library;
    /* buffers are zero, so that CUPTI need not clear them on the main thread */
    uint8_t zeroed = 1;
    size_t size = sizeof zeroed;
    CUptiResult result = library->cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    if (result == CUPTI_SUCCESS)
        result = library->cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER,
                                                    &size, &zeroed);
    if (result == CUPTI_SUCCESS)
        result = library->cuptiActivityRegisterCallbacks(request_buffer, receive_buffer);
    const CUpti_CallbackId node_events[] = {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                                            CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED};
    for (int k = 0; k < 2 && result == CUPTI_SUCCESS; k++)
        result = library->cuptiEnableCallback(1, cupti->subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                              node_events[k]);
    return result;
}

static bool attach(prof_cupti *cupti, swe_log *log)
{
    if (!prof_cupti_subscribe(&cupti->library, purpose, on_resource, cupti, &cupti->subscriber,
                              log))
        return false;
    atomic_store(&current_buffers, &cupti->buffers);
    const CUptiResult result = set_up(cupti);
    if (result == CUPTI_SUCCESS)
        return true;
    swe_warn(log, "no GPU trace: CUPTI cannot be set up: %s",
             prof_cupti_error(&cupti->library, result));
    atomic_store(&current_buffers, NULL);
    cupti->library.cuptiUnsubscribe(cupti->subscriber);
    return false;
}

prof_cupti *prof_cupti_create(int64_t max_events, swe_log *log)
{
    prof_cupti *cupti = calloc(1, sizeof *cupti);
    if (cupti == NULL || !buffers_create(&cupti->buffers, max_events)) {
        swe_warn(log, "no GPU trace: no memory for %lld events", (long long)max_events);
        free(cupti);
        return NULL;
    }
    cupti->max_events = max_events;
    cupti->thread = pthread_self();
    if (!prof_cupti_library_open(&cupti->library, purpose, log) || !attach(cupti, log)) {
        buffers_destroy(&cupti->buffers);
        free(cupti);
        return NULL;
    }
    cupti->demangle = prof_cupti_demangle_find();
    if (cupti->demangle == NULL)
        swe_warn(log, "kernels keep their mangled names: there is no __cxa_demangle");
    return cupti;
}

/* Turn the first `count` kinds off. */
static void disable(prof_cupti *cupti, int count)
{
    for (int k = 0; k < count; k++)
        cupti->library.cuptiActivityDisable(kinds[k]);
}

static CUptiResult flush(prof_cupti *cupti)
{
    return cupti->library.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

/* Records that CUPTI dropped since the last time. */
static int64_t dropped(prof_cupti *cupti)
{
    size_t records = 0;
    cupti->library.cuptiActivityGetNumDroppedRecords(NULL, 0, &records);
    return (int64_t)records;
}

/* Records have CUPTI's time, regions the host's. If both use one clock, a reading of CUPTI's lies
 * between two readings of the host's. */
static void check_clock(prof_cupti *cupti, swe_log *log)
{
    uint64_t theirs = 0;
    const int64_t before = swe_clock_wall_ns();
    cupti->clock_is_known = cupti->library.cuptiGetTimestamp(&theirs) == CUPTI_SUCCESS;
    cupti->clock_difference = 0;
    if (!cupti->clock_is_known)
        return;
    const int64_t after = swe_clock_wall_ns(), slack = 1000; /* [ns] of a clock's resolution */
    const int64_t early = before - (int64_t)theirs, late = (int64_t)theirs - after;
    if (early > slack || late > slack) {
        cupti->clock_difference = early > late ? -early : late;
        swe_warn(log,
                 "CUPTI's clock is %lld ns %s the host's: operations of the GPU and regions of the "
                 "host are not aligned",
                 (long long)(early > late ? early : late), early > late ? "behind" : "ahead of");
    }
}

/* Discard all records. Returns the number of buffers that CUPTI keeps. */
static int discard(prof_cupti *cupti)
{
    flush(cupti);
    for (int k = 0; k < cupti->buffers.count; k++) {
        size_t bytes = 0;
        uint8_t *records = buffers_records(&cupti->buffers, k, &bytes);
        if (records != NULL)
            prof_cupti_discard(&cupti->library, records, bytes);
    }
    return buffers_reset(&cupti->buffers);
}

/* Turn all kinds on, or none after a warning (`log` NULL: without). */
static bool enable(prof_cupti *cupti, swe_log *log)
{
    for (int k = 0; k < KINDS; k++) {
        const CUptiResult result = cupti->library.cuptiActivityEnable(kinds[k]);
        if (result == CUPTI_SUCCESS)
            continue;
        disable(cupti, k);
        if (log != NULL)
            swe_warn(log, "no GPU trace of this window: CUPTI cannot record kind %d: %s", kinds[k],
                     prof_cupti_error(&cupti->library, result));
        return false;
    }
    return true;
}

void prof_cupti_warm_up(prof_cupti *cupti)
{
    if (cupti != NULL && !cupti->open && !cupti->warm)
        cupti->warm = enable(cupti, NULL);
}

/* Request the records of the devices, which are the first of the window. */
static void name_devices(prof_cupti *cupti, swe_log *log)
{
    cupti->library.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_DEVICE);
    const CUptiResult result =
        cupti->library.cuptiActivityEnableAndDump(CUPTI_ACTIVITY_KIND_DEVICE);
    if (result != CUPTI_SUCCESS)
        swe_warn(log, "the GPU trace of this window does not describe its devices: %s",
                 prof_cupti_error(&cupti->library, result));
}

bool prof_cupti_start(prof_cupti *cupti, swe_log *log)
{
    if (cupti == NULL)
        return false;
    if (!cupti->warm && !enable(cupti, log))
        return false;
    cupti->warm = false;
    /* records since the last window do not belong to this one */
    discard(cupti);
    dropped(cupti);
    cupti->unlinked = 0;
    name_devices(cupti, log);
    check_clock(cupti, log);
    cupti->window++;
    cupti->open = true;
    return true;
}

void prof_cupti_capture(prof_cupti *cupti)
{
    if (cupti != NULL)
        prof_cupti_names_capture(&cupti->names);
}

void prof_cupti_push(prof_cupti *cupti, prof_region named, int32_t span)
{
    if (cupti == NULL)
        return;
    prof_cupti_region region = {named.name, named.kind, false};
    if (cupti->open && span >= 0) {
        region.linked = cupti->library.cuptiActivityPushExternalCorrelationId(
                            CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                            prof_cupti_external_id(cupti->window, span)) == CUPTI_SUCCESS;
        cupti->unlinked += !region.linked;
    }
    prof_cupti_names_push(&cupti->names, region);
}

void prof_cupti_pop(prof_cupti *cupti)
{
    if (cupti != NULL && prof_cupti_names_pop(&cupti->names))
        cupti->library.cuptiActivityPopExternalCorrelationId(
            CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, NULL);
}

static void convert(prof_cupti *cupti, prof_trace *trace, swe_log *log)
{
    prof_cupti_conversion conversion = {.library = &cupti->library,
                                        .names = &cupti->names,
                                        .demangle = cupti->demangle,
                                        .trace = trace,
                                        .window = cupti->window,
                                        .most = cupti->max_events};
    prof_cupti_convert_begin(&conversion);
    for (int k = 0; k < cupti->buffers.count; k++) {
        size_t bytes = 0;
        uint8_t *records = buffers_records(&cupti->buffers, k, &bytes);
        if (records != NULL)
            prof_cupti_convert(&conversion, records, bytes);
    }
    prof_cupti_convert_finish(&conversion);
    trace->tracing.early_ops = conversion.early;
    if (cupti->clock_is_known)
        trace->tracing.clock_difference = (double)cupti->clock_difference;
    if (conversion.early > 0)
        swe_warn(log,
                 "%lld operations of the GPU begin before the calls that launched them: the clocks "
                 "of the GPU and the host differ",
                 (long long)conversion.early);
    if (conversion.no_memory)
        swe_warn(log, "the GPU trace is incomplete: no memory");
}

void prof_cupti_stop(prof_cupti *cupti, prof_trace *trace, swe_log *log)
{
    if (cupti == NULL || !cupti->open)
        return;
    cupti->open = false;
    const CUptiResult result = flush(cupti);
    disable(cupti, KINDS);
    flush(cupti); /* records of the meantime */
    if (result != CUPTI_SUCCESS)
        swe_warn(log, "the GPU trace is incomplete: CUPTI cannot hand over its records: %s",
                 prof_cupti_error(&cupti->library, result));
    convert(cupti, trace, log);
    trace->drops.records += dropped(cupti);
    const int missing = buffers_reset(&cupti->buffers);
    if (missing > 0)
        swe_warn(log, "the GPU trace is incomplete: CUPTI kept %d buffers", missing);
    if (cupti->unlinked > 0)
        swe_warn(log, "%lld regions could not be tied to their GPU work",
                 (long long)cupti->unlinked);
    if (cupti->names.nameless > 0)
        swe_warn(log, "%lld nodes of graphs have no name: there are too many",
                 (long long)cupti->names.nameless);
}

void prof_cupti_destroy(prof_cupti **pointer)
{
    prof_cupti *cupti = *pointer;
    if (cupti == NULL)
        return;
    if (cupti->open || cupti->warm)
        disable(cupti, KINDS);
    const int missing = discard(cupti);
    cupti->library.cuptiUnsubscribe(cupti->subscriber);
    *pointer = NULL;
    prof_cupti_names_free(&cupti->names);
    if (missing > 0)
        return; /* CUPTI may still write to a buffer that it keeps: all of this has to stay */
    atomic_store(&current_buffers, NULL);
    buffers_destroy(&cupti->buffers);
    free(cupti);
}
