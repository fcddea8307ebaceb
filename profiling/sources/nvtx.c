#include "sources/sources.h"
#include "window/trace.h"

#ifdef PROF_HAVE_NVTX

#include <stdlib.h>

#include <nvtx3/nvToolsExt.h>

struct prof_nvtx {
    nvtxDomainHandle_t domain;
    nvtxEventAttributes_t window;
    nvtxEventAttributes_t region[]; /* complete except for the payload */
};

/* Colour of each kind of region. The number of a category is the number of its kind plus 1, because
 * NVTX reserves 0 for "none". */
static const uint32_t argb[PROF_KINDS] = {
    [PROF_PHASE] = 0xff4c72b0,   /* blue */
    [PROF_STEP] = 0xff55a868,    /* green */
    [PROF_SUBSTEP] = 0xffccb974, /* ochre */
    [PROF_STAGE] = 0xffc44e52,   /* red */
    [PROF_THREAD] = 0xff8172b2,  /* violet */
    [PROF_LAUNCH] = 0xff64b5cd,  /* light blue */
    [PROF_WAIT] = 0xff937860     /* brown */
};
static const uint32_t window_argb = 0xff8c8c8c; /* grey; of no category */

static nvtxEventAttributes_t attributes_of(nvtxDomainHandle_t domain, const char *name,
                                           uint32_t argb)
{
    return (nvtxEventAttributes_t){
        .version = NVTX_VERSION,
        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
        .colorType = NVTX_COLOR_ARGB,
        .color = argb,
        .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
        .message.registered = nvtxDomainRegisterStringA(domain, name),
    };
}

prof_nvtx *prof_nvtx_create(const prof_region *regions, int count)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("cubeswe");
    if (domain == NULL)
        return NULL;
    prof_nvtx *nvtx = malloc(sizeof *nvtx + (size_t)count * sizeof nvtx->region[0]);
    if (nvtx == NULL) {
        nvtxDomainDestroy(domain);
        return NULL;
    }
    nvtx->domain = domain;
    for (uint32_t kind = 0; kind < PROF_KINDS; kind++)
        nvtxDomainNameCategoryA(domain, kind + 1, prof_kind_names[kind]);
    for (int k = 0; k < count; k++) {
        const prof_kind kind = regions[k].kind;
        nvtx->region[k] = attributes_of(domain, regions[k].name, argb[kind]);
        nvtx->region[k].category = (uint32_t)kind + 1;
    }
    nvtx->window = attributes_of(domain, "window", window_argb);
    return nvtx;
}

void prof_nvtx_destroy(prof_nvtx **pointer)
{
    prof_nvtx *nvtx = *pointer;
    if (nvtx == NULL)
        return;
    nvtxDomainDestroy(nvtx->domain);
    free(nvtx);
    *pointer = NULL;
}

/* The attributes are copied: threads share them, and the payload is this range's own. */
static void push(const prof_nvtx *nvtx, nvtxEventAttributes_t attributes, int64_t number)
{
    if (number >= 0) {
        attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
        attributes.payload.llValue = number;
    }
    nvtxDomainRangePushEx(nvtx->domain, &attributes);
}

void prof_nvtx_push(prof_nvtx *nvtx, int region, int64_t number)
{
    if (nvtx != NULL)
        push(nvtx, nvtx->region[region], number);
}

void prof_nvtx_pop(prof_nvtx *nvtx)
{
    if (nvtx != NULL)
        nvtxDomainRangePop(nvtx->domain);
}

void prof_nvtx_window(prof_nvtx *nvtx, bool begins, int64_t first_step)
{
    if (nvtx == NULL)
        return;
    if (begins)
        push(nvtx, nvtx->window, first_step);
    else
        nvtxDomainRangePop(nvtx->domain);
}

#else /* no NVTX headers: there is never a source, and the functions ignore NULL */

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define IGNORES_NULL(function, ...)                                                                \
    void function(__VA_ARGS__)                                                                     \
    {                                                                                              \
    }

prof_nvtx *prof_nvtx_create(const prof_region *regions, int count)
{
    return NULL;
}

IGNORES_NULL(prof_nvtx_destroy, prof_nvtx **nvtx)
IGNORES_NULL(prof_nvtx_push, prof_nvtx *nvtx, int region, int64_t number)
IGNORES_NULL(prof_nvtx_pop, prof_nvtx *nvtx)
IGNORES_NULL(prof_nvtx_window, prof_nvtx *nvtx, bool begins, int64_t first_step)

#endif
