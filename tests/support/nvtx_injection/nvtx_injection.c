/* An NVTX tool for tests: writes every call that a program makes in a domain to a file.
 *
 * A program that runs with
 *
 *     NVTX_INJECTION64_PATH=.../libnvtx_injection.so  NVTX_LOG=FILE
 *
 * loads it at its first NVTX call. FILE gets a line of column names and then one line for each
 * call, in the order of time, with tabs between the columns:
 *
 *     time      ns, monotonic
 *     thread    the operating system's number
 *     event     domain, string, category, push, pop, destroy
 *     domain    its name
 *     category  number
 *     colour    eight hexadecimal digits (ARGB)
 *     payload   a whole number
 *     text      of the domain, the registered string, the category or the range
 *
 * "-" stands for what an event does not have. A text that is not registered is marked by a leading
 * "!": nsys would not find it by default. */
#define _DEFAULT_SOURCE /* syscall */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

/* Handles of domains and strings are places in `texts`. NVTX hands its tools no pointer of their
 * own, so this state is the library's. */
enum { MOST_TEXTS = 256 };
static char *texts[MOST_TEXTS];
static int text_count;
static FILE *file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct event {
    const char *name, *domain, *text;
    uint32_t category, colour; /* 0: none */
    int64_t payload;           /* -1: none */
    bool is_literal;           /* its text is not registered */
} event;

static void write_event(event e)
{
    char category[16] = "-", colour[16] = "-", payload[24] = "-";
    if (e.category != 0)
        snprintf(category, sizeof category, "%" PRIu32, e.category);
    if (e.colour != 0)
        snprintf(colour, sizeof colour, "%08" PRIx32, e.colour);
    if (e.payload >= 0)
        snprintf(payload, sizeof payload, "%" PRId64, e.payload);
    pthread_mutex_lock(&lock);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(file, "%" PRId64 "\t%ld\t%s\t%s\t%s\t%s\t%s\t%s%s\n",
            (int64_t)now.tv_sec * 1000000000 + now.tv_nsec, syscall(SYS_gettid), e.name, e.domain,
            category, colour, payload, e.is_literal ? "!" : "", e.text);
    fflush(file); /* of a program that crashes, too */
    pthread_mutex_unlock(&lock);
}

/* The copy of a text; its address is the handle that the program gets. NULL if there is no room. */
static char *keep(const char *text)
{
    pthread_mutex_lock(&lock);
    char *copy = text_count < MOST_TEXTS ? strdup(text) : NULL;
    if (copy != NULL)
        texts[text_count++] = copy;
    pthread_mutex_unlock(&lock);
    return copy;
}

static const char *name_of(nvtxDomainHandle_t domain)
{
    return domain != NULL ? (const char *)domain : "-";
}

static nvtxDomainHandle_t NVTX_API domain_create(const char *name)
{
    char *copy = keep(name);
    if (copy != NULL)
        write_event((event){"domain", copy, copy, .payload = -1});
    return (nvtxDomainHandle_t)copy;
}

static void NVTX_API domain_destroy(nvtxDomainHandle_t domain)
{
    write_event((event){"destroy", name_of(domain), "-", .payload = -1});
}

static nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char *text)
{
    char *copy = keep(text);
    if (copy != NULL)
        write_event((event){"string", name_of(domain), copy, .payload = -1});
    return (nvtxStringHandle_t)copy;
}

static void NVTX_API name_category(nvtxDomainHandle_t domain, uint32_t category, const char *name)
{
    write_event((event){"category", name_of(domain), name, .category = category, .payload = -1});
}

static int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
    event e = {"push", name_of(domain), "-", .category = attributes->category, .payload = -1};
    if (attributes->colorType == NVTX_COLOR_ARGB)
        e.colour = attributes->color;
    if (attributes->payloadType == NVTX_PAYLOAD_TYPE_INT64)
        e.payload = attributes->payload.llValue;
    if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
        e.text = (const char *)attributes->message.registered;
    else if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII) {
        e.text = attributes->message.ascii;
        e.is_literal = true;
    }
    write_event(e);
    return 0; /* the level, which no caller here uses */
}

static int NVTX_API pop(nvtxDomainHandle_t domain)
{
    write_event((event){"pop", name_of(domain), "-", .payload = -1});
    return 0;
}

/* NVTX calls this once; 0 means that the tool does not attach. */
__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table)
{
    const char *path = getenv("NVTX_LOG");
    const NvtxExportTableCallbacks *callbacks = export_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (path == NULL || callbacks == NULL ||
        !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) ||
        size <= NVTX_CBID_CORE2_DomainDestroy)
        return 0;
    file = fopen(path, "w");
    if (file == NULL)
        return 0;
    fputs("time\tthread\tevent\tdomain\tcategory\tcolour\tpayload\ttext\n", file);
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)domain_create;
    *table[NVTX_CBID_CORE2_DomainDestroy] = (NvtxFunctionPointer)domain_destroy;
    *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)register_string;
    *table[NVTX_CBID_CORE2_DomainNameCategoryA] = (NvtxFunctionPointer)name_category;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    return 1;
}
