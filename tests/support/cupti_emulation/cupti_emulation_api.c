/* CUPTI's functions, as far as the profiler calls them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti_emulation_state.h"

static int setting(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : 0;
}

static void write_device(void)
{
    const CUpti_ActivityDevice5 device = {.kind = CUPTI_ACTIVITY_KIND_DEVICE,
                                          .globalMemoryBandwidth = 4917504000,
                                          .globalMemorySize = UINT64_C(150) << 30,
                                          .coreClockRate = 1980000,
                                          .numMultiprocessors = 132,
                                          .maxWarpsPerMultiprocessor = 64,
                                          .computeCapabilityMajor = 9,
                                          .name = strdup("Emulated GPU"),
                                          .isCudaVisible = 1};
    if (cupti_emulation.on[CUPTI_ACTIVITY_KIND_DEVICE])
        cupti_emulation_write(&device);
    else
        free((char *)device.name);
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
    const int chosen = setting("CUPTI_EMULATION_VERSION");
    *version = chosen != 0 ? (uint32_t)chosen : CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *time)
{
    *time = cupti_emulation_time();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **text)
{
    static char message[32];
    snprintf(message, sizeof message, "emulated error %d", result);
    *text = message;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                              void *data, CUpti_SubscriberParams *parameters)
{
    int result = setting("CUPTI_EMULATION_SUBSCRIBE");
    if (cupti_emulation.state.subscribers > 0)
        result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
        snprintf(parameters->oldSubscriberName, parameters->oldSubscriberSize,
                 "CUPTI for emulated systems");
    if (result != CUPTI_SUCCESS)
        return (CUptiResult)result;
    cupti_emulation.callback = callback;
    cupti_emulation.callback_data = data;
    cupti_emulation.state.subscribers = 1;
    *subscriber = (CUpti_SubscriberHandle)&cupti_emulation;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
    if ((void *)subscriber != &cupti_emulation || cupti_emulation.state.subscribers == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    cupti_emulation.callback = NULL;
    cupti_emulation.launch_on = false;
    memset(cupti_emulation.callback_on, 0, sizeof cupti_emulation.callback_on);
    cupti_emulation.state.subscribers = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    if ((void *)subscriber != &cupti_emulation)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id < CUPTI_DRIVER_TRACE_CBID_SIZE) {
        if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel)
            cupti_emulation.launch_on = enable != 0;
        return CUPTI_SUCCESS;
    }
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || id >= CUPTI_CBID_RESOURCE_SIZE)
        return CUPTI_ERROR_INVALID_PARAMETER;
    cupti_emulation.callback_on[id] = enable != 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char **name)
{
    *name = cupti_emulation_call_name(domain, id);
    return *name != NULL ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id)
{
    *id = *(const uint64_t *)(const void *)node;
    return *id != 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
    cupti_emulation.system_threads = type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t *size, void *value)
{
    if (attribute != CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER || *size != 1)
        return CUPTI_ERROR_INVALID_PARAMETER;
    cupti_emulation.zeroed = *(const uint8_t *)value != 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete)
{
    cupti_emulation.request = request;
    cupti_emulation.complete = complete;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    if (cupti_emulation.state.subscribers == 0)
        return CUPTI_ERROR_NOT_INITIALIZED;
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && cupti_emulation.state.code_samplers > 0)
        return CUPTI_ERROR_NOT_COMPATIBLE;
    if (kind == CUPTI_ACTIVITY_KIND_KERNEL || (int)kind == setting("CUPTI_EMULATION_REFUSED_KIND"))
        return CUPTI_ERROR_NOT_COMPATIBLE;
    cupti_emulation.state.kinds += !cupti_emulation.on[kind];
    cupti_emulation.on[kind] = true;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind)
{
    const CUptiResult result = cuptiActivityEnable(kind);
    pthread_mutex_lock(&cupti_emulation.lock);
    if (result == CUPTI_SUCCESS && kind == CUPTI_ACTIVITY_KIND_DEVICE)
        write_device();
    pthread_mutex_unlock(&cupti_emulation.lock);
    return result;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    cupti_emulation.state.kinds -= cupti_emulation.on[kind];
    cupti_emulation.on[kind] = false;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    if (cupti_emulation.complete == NULL)
        return CUPTI_ERROR_INVALID_OPERATION;
    pthread_mutex_lock(&cupti_emulation.lock);
    cupti_emulation_complete();
    pthread_mutex_unlock(&cupti_emulation.lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    uint8_t *next = buffer;
    if (*record != NULL)
        next = (uint8_t *)*record + cupti_emulation_record_size((*record)->kind);
    const size_t at = (size_t)(next - buffer);
    CUpti_ActivityKind kind;
    if (at + sizeof kind > valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    memcpy(&kind, next, sizeof kind);
    if (cupti_emulation_record_size(kind) == 0)
        return CUPTI_ERROR_INVALID_KIND;
    if (at + cupti_emulation_record_size(kind) > valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    pthread_mutex_lock(&cupti_emulation.lock);
    *dropped = cupti_emulation.dropped;
    cupti_emulation.dropped = 0;
    pthread_mutex_unlock(&cupti_emulation.lock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
    if (kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 ||
        cupti_emulation.state.external == CUPTI_EMULATION_EXTERNAL_MOST)
        return CUPTI_ERROR_INVALID_PARAMETER;
    cupti_emulation.external[cupti_emulation.state.external++] = id;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                  uint64_t *last)
{
    if (kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 || cupti_emulation.state.external == 0) {
        cupti_emulation.state.unbalanced++;
        return CUPTI_ERROR_QUEUE_EMPTY;
    }
    cupti_emulation.state.external--;
    if (last != NULL)
        *last = cupti_emulation.external[cupti_emulation.state.external];
    return CUPTI_SUCCESS;
}
