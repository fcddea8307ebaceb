/* CUPTI samples the program counter of one warp of each multiprocessor once a period; kernels run
 * as they do without. It knows the kernels that are loaded while it is enabled alone, so it is
 * enabled when the device is open, and samples in windows. It hands over every program as it asks
 * for a checksum, for which a number serves. Seen on an H100 with driver 580.159.04: nothing that
 * was loaded earlier is known, and once it is enabled, records of kernels are refused. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sources/code/code_cubin.h"
#include "sources/code/code_parts.h"
#include "sources/cupti/cupti_library.h"
#include "base/library.h"
#include "sources/sources.h"

/* A period has 2^PERIOD cycles: 2 microseconds. COUNTERS: program counters that are fetched at a
 * time. */
enum { PERIOD = 12, COUNTERS = 4096, NAMES_LENGTH = 1024, MOST_PROGRAMS = 256 };

/* The programs that were loaded; a program's checksum is its number here, plus one; 0: it is not.
 */
static struct {
    pthread_mutex_t lock;
    code_cubin *cubin[MOST_PROGRAMS]; /* NULL: without line tables */
    int count;
} programs = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct prof_gpu_code {
    prof_cupti_library library;
    const prof_options *options;
    CUcontext context;
    uint32_t *reasons; /* why a warp waits; a sample has one of them */
    size_t reason_count;
    CUpti_PCSamplingData settings, data; /* of the configuration; that is fetched */
    bool enabled, samples;               /* between create and destroy; between start and stop */
};

static void CUPTIAPI on_program(const void *program, size_t size, uint64_t *checksum)
{
    pthread_mutex_lock(&programs.lock);
    const bool has_room = programs.count < MOST_PROGRAMS;
    if (has_room)
        programs.cubin[programs.count++] = code_cubin_open(program, size);
    *checksum = has_room ? (uint64_t)programs.count : 0;
    pthread_mutex_unlock(&programs.lock);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static bool succeeds(const prof_gpu_code *code, CUptiResult result, swe_log *log)
{
    if (result != CUPTI_SUCCESS)
        swe_warn(log, "no parts of stages: CUPTI cannot sample code: %s",
                 prof_cupti_error(&code->library, result));
    return result == CUPTI_SUCCESS;
}

/* The context of the calling thread: of the driver, which is loaded. */
static CUcontext current_context(const prof_gpu_code *code)
{
    CUresult (*get)(CUcontext * context) = NULL;
    CUcontext context = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if ((driver != NULL && swe_library_find(driver, "cuCtxGetCurrent", &get)) ||
        swe_library_find(code->library.handle, "cuCtxGetCurrent", &get))
        get(&context);
    return context;
}

/* Choose the reasons of all samples. CUPTI counts a second time those whose warp did not issue. */
static CUptiResult choose_reasons(prof_gpu_code *code)
{
    static const char again[] = "_not_issued", stalled[] = "_issue_stalled_";
    size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams wanted = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
        .ctx = code->context,
        .numStallReasons = &count};
    CUptiResult result = code->library.cuptiPCSamplingGetNumStallReasons(&wanted);
    if (result != CUPTI_SUCCESS)
        return result;
    code->reasons = calloc(count + 1, sizeof *code->reasons);
    char **names = calloc(count + 1, sizeof *names);
    char *texts = calloc(count + 1, CUPTI_STALL_REASON_STRING_SIZE);
    for (size_t k = 0; names != NULL && texts != NULL && k < count; k++)
        names[k] = texts + k * CUPTI_STALL_REASON_STRING_SIZE;
    CUpti_PCSamplingGetStallReasonsParams all = {.size = CUpti_PCSamplingGetStallReasonsParamsSize,
                                                 .ctx = code->context,
                                                 .numStallReasons = count,
                                                 .stallReasonIndex = code->reasons,
                                                 .stallReasons = names};
    result = code->reasons != NULL && names != NULL && texts != NULL
                 ? code->library.cuptiPCSamplingGetStallReasons(&all)
                 : CUPTI_ERROR_OUT_OF_MEMORY;
    for (size_t k = 0; result == CUPTI_SUCCESS && k < count; k++)
        if (strstr(names[k], stalled) != NULL && strstr(names[k], again) == NULL)
            code->reasons[code->reason_count++] = code->reasons[k];
    free(names);
    free(texts);
    return result;
}

/* Room for COUNTERS program counters with all reasons. */
static bool allocate(prof_gpu_code *code, CUpti_PCSamplingData *data)
{
    *data = (CUpti_PCSamplingData){.size = sizeof *data, .collectNumPcs = COUNTERS};
    data->pPcData = calloc(COUNTERS, sizeof *data->pPcData);
    CUpti_PCSamplingStallReason *reasons =
        calloc(COUNTERS * code->reason_count + 1, sizeof *reasons);
    if (data->pPcData == NULL || reasons == NULL) {
        free(reasons);
        return false;
    }
    for (size_t k = 0; k < COUNTERS; k++) {
        data->pPcData[k].size = sizeof *data->pPcData;
        data->pPcData[k].stallReason = reasons + k * code->reason_count;
    }
    return true;
}

static void release(CUpti_PCSamplingData *data)
{
    if (data->pPcData != NULL)
        free(data->pPcData[0].stallReason);
    free(data->pPcData);
}

static CUptiResult configure(prof_gpu_code *code)
{
    CUpti_PCSamplingConfigurationInfo settings[] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT}};
    settings[0].attributeData.samplingPeriodData.samplingPeriod = PERIOD;
    settings[1].attributeData.collectionModeData.collectionMode =
        CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
    settings[2].attributeData.enableStartStopControlData.enableStartStopControl = 1;
    settings[3].attributeData.samplingDataBufferData.samplingDataBuffer = &code->settings;
    settings[4].attributeData.stallReasonData.stallReasonCount = code->reason_count;
    settings[4].attributeData.stallReasonData.pStallReasonIndex = code->reasons;
    settings[5].attributeData.outputDataFormatData.outputDataFormat =
        CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
    CUpti_PCSamplingConfigurationInfoParams all = {
        .size = CUpti_PCSamplingConfigurationInfoParamsSize,
        .ctx = code->context,
        .numAttributes = sizeof settings / sizeof *settings,
        .pPCSamplingConfigurationInfo = settings};
    return code->library.cuptiPCSamplingSetConfigurationAttribute(&all);
}

static bool enable(prof_gpu_code *code, swe_log *log)
{
    code->context = current_context(code);
    CUpti_PCSamplingEnableParams on = {.size = CUpti_PCSamplingEnableParamsSize,
                                       .ctx = code->context};
    if (code->context == NULL) {
        swe_warn(log, "no parts of stages: the driver of CUDA has no context");
        return false;
    }
    if (!succeeds(code, code->library.cuptiRegisterComputeCrcCallback(on_program), log) ||
        !succeeds(code, code->library.cuptiPCSamplingEnable(&on), log))
        return false;
    code->enabled = true;
    if (!succeeds(code, choose_reasons(code), log))
        return false;
    if (!allocate(code, &code->settings) || !allocate(code, &code->data)) {
        swe_warn(log, "no parts of stages: out of memory");
        return false;
    }
    return succeeds(code, configure(code), log);
}

prof_gpu_code *prof_gpu_code_create(const prof_options *options, swe_log *log)
{
    if (!code_cubin_is_readable()) {
        swe_warn(log, "no parts of stages: this build cannot read line tables (libelf)");
        return NULL;
    }
    prof_gpu_code *code = calloc(1, sizeof *code);
    if (code == NULL) {
        swe_warn(log, "no parts of stages: out of memory");
        return NULL;
    }
    code->options = options;
    if (!prof_cupti_library_open(&code->library, "parts of stages", log)) {
        free(code);
        return NULL;
    }
    if (code->library.cuptiPCSamplingEnable == NULL) {
        swe_warn(log, "no parts of stages: CUPTI has no samples of code");
        free(code);
        return NULL;
    }
    if (!enable(code, log))
        prof_gpu_code_destroy(&code);
    return code;
}

void prof_gpu_code_destroy(prof_gpu_code **pointer)
{
    prof_gpu_code *code = *pointer;
    if (code == NULL)
        return;
    CUpti_PCSamplingDisableParams off = {.size = CUpti_PCSamplingDisableParamsSize,
                                         .ctx = code->context};
    if (code->enabled)
        code->library.cuptiPCSamplingDisable(&off);
    release(&code->settings);
    release(&code->data);
    free(code->reasons);
    pthread_mutex_lock(&programs.lock);
    for (int k = 0; k < programs.count; k++)
        code_cubin_close(&programs.cubin[k]);
    programs.count = 0;
    pthread_mutex_unlock(&programs.lock);
    free(code);
    *pointer = NULL;
}

/* ---- windows --------------------------------------------------------------------------------- */

void prof_gpu_code_start(prof_gpu_code *code, swe_log *log)
{
    if (code == NULL)
        return;
    CUpti_PCSamplingStartParams start = {.size = CUpti_PCSamplingStartParamsSize,
                                         .ctx = code->context};
    code->samples = succeeds(code, code->library.cuptiPCSamplingStart(&start), log);
}

static bool add_line(prof_part_line line, prof_parts *out)
{
    if (line.samples == 0)
        return true;
    if ((out->line_count & (out->line_count - 1)) == 0) { /* room for a power of two */
        const size_t room = out->line_count > 0 ? 2 * (size_t)out->line_count : 1;
        prof_part_line *grown = realloc(out->line, room * sizeof *grown);
        if (grown == NULL)
            return false;
        out->line = grown;
    }
    out->line[out->line_count++] = line;
    return true;
}

/* Count the samples of one program counter. Returns false without memory. */
static bool count_counter(const prof_gpu_code *code, const CUpti_PCSamplingPCData *at,
                          prof_trace *trace)
{
    char around[NAMES_LENGTH], kernel[256];
    int64_t samples = 0;
    for (size_t k = 0; k < at->stallReasonCount; k++)
        samples += at->stallReason[k].samples;
    code_plain_name(at->functionName, kernel, sizeof kernel);
    const prof_options *options = code->options;
    const char *stage = NULL;
    for (int k = 0; k < options->kernel_count && stage == NULL; k++)
        if (strcmp(options->kernels[k].name, kernel) == 0)
            stage = options->kernels[k].stage;
    const uint64_t program = at->cubinCrc; /* as on_program numbers them from 1; 0: none */
    const code_cubin *cubin =
        program >= 1 && program <= (uint64_t)programs.count ? programs.cubin[program - 1] : NULL;
    if (stage == NULL || cubin == NULL)
        return true;
    const code_line line =
        code_cubin_at(cubin, at->functionName, at->pcOffset, around, sizeof around);
    const char *part =
        code_parts_add(options->parts, options->part_count, stage, around, samples, &trace->parts);
    return add_line((prof_part_line){stage, part, prof_trace_intern(trace, kernel),
                                     prof_trace_intern(trace, line.file != NULL ? line.file : ""),
                                     line.line, samples},
                    &trace->parts);
}

/* Fetch and count all program counters; false after a warning. */
static bool count_all(prof_gpu_code *code, prof_trace *trace, swe_log *log)
{
    CUpti_PCSamplingData *data = &code->data;
    CUpti_PCSamplingGetDataParams get = {
        .size = CUpti_PCSamplingGetDataParamsSize, .ctx = code->context, .pcSamplingData = data};
    uint64_t dropped = 0;
    do {
        data->totalNumPcs = data->remainingNumPcs = 0;
        data->droppedSamples = 0;
        if (!succeeds(code, code->library.cuptiPCSamplingGetData(&get), log))
            return false;
        dropped += data->droppedSamples;
        for (size_t k = 0; k < data->totalNumPcs; k++)
            if (!count_counter(code, &data->pPcData[k], trace)) {
                swe_warn(log, "no parts of stages: out of memory");
                return false;
            }
    } while (data->remainingNumPcs > 0 && data->totalNumPcs > 0);
    if (dropped > 0)
        swe_warn(log, "the GPU dropped %lld samples of code", (long long)dropped);
    return true;
}

/* By kernel, part, file and line, so that equal ones follow each other. */
static int compare_places(const void *first, const void *second)
{
    const prof_part_line *a = first, *b = second;
    const int by_kernel = strcmp(a->kernel, b->kernel), by_file = strcmp(a->file, b->file),
              by_part = strcmp(a->part != NULL ? a->part : "", b->part != NULL ? b->part : "");
    return by_kernel != 0 ? by_kernel
           : by_part != 0 ? by_part
           : by_file != 0 ? by_file
                          : a->line - b->line;
}

static int compare_samples(const void *first, const void *second)
{
    const prof_part_line *a = first, *b = second;
    return a->samples != b->samples ? (a->samples < b->samples ? 1 : -1)
                                    : compare_places(first, second);
}

/* Add up the samples of a line; the line with most of them comes first. */
static void merge_lines(prof_parts *parts)
{
    int count = 0;
    if (parts->line_count == 0)
        return;
    qsort(parts->line, (size_t)parts->line_count, sizeof *parts->line, compare_places);
    for (int k = 1; k < parts->line_count; k++)
        if (compare_places(&parts->line[count], &parts->line[k]) == 0)
            parts->line[count].samples += parts->line[k].samples;
        else
            parts->line[++count] = parts->line[k];
    parts->line_count = count + 1;
    qsort(parts->line, (size_t)parts->line_count, sizeof *parts->line, compare_samples);
}

void prof_gpu_code_stop(prof_gpu_code *code, prof_trace *trace, swe_log *log)
{
    if (code == NULL || !code->samples)
        return;
    prof_parts *parts = &trace->parts;
    CUpti_PCSamplingStopParams stop = {.size = CUpti_PCSamplingStopParamsSize,
                                       .ctx = code->context};
    code->samples = false;
    if (!succeeds(code, code->library.cuptiPCSamplingStop(&stop), log))
        return;
    if (!code_parts_open(code->options->parts, code->options->part_count, parts)) {
        swe_warn(log, "no parts of stages: out of memory");
        return;
    }
    /* by the clock of the GPU in the window */
    const double clock = trace->sample_count > 0 ? 1e6 * trace->samples[0].sm_clock : 0.0;
    parts->period = clock > 0.0 ? (int64_t)(1e9 * (1 << PERIOD) / clock) : 0;
    if (!count_all(code, trace, log))
        parts->count = parts->line_count = 0;
    else if (code_parts_close(parts) == 0)
        swe_warn(log, "no parts of stages: no sample is in code of a stage that has parts and line "
                      "tables (scheme.pipeline, profile.duration)");
    merge_lines(parts);
}
