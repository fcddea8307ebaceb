/* CUPTI's PC sampling, as far as the profiler calls it. CUPTI_EMULATION_PROGRAM is a file that is
 * loaded while it is enabled; CUPTI_EMULATION_COUNTERS has the program counters of all windows, as
 * "kernel:offset:samples kernel:offset:samples ...". Each sample counts for one reason to wait, and
 * again for the same reason of warps that did not issue. */
#include <cupti_pcsampling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti_emulation_state.h"

/* Counters are handed over in such portions at most. */
enum { REASONS = 4, PORTION = 2, MOST = 64, NAME_LENGTH = 256 };

static const char *const reasons[REASONS] = {"smsp__pcsamp_sample_count",
                                             "smsp__pcsamp_warps_issue_stalled_wait",
                                             "smsp__pcsamp_warps_issue_stalled_wait_not_issued",
                                             "smsp__pcsamp_warps_issue_stalled_selected"};
enum { WAIT = 1, WAIT_AGAIN = 2 };

static struct {
    CUpti_ComputeCrcCallbackFunc checksum_of;
    uint64_t checksum;
    int is_on, is_started;
    uint32_t chosen[REASONS];
    size_t chosen_count;
    struct {
        char kernel[NAME_LENGTH];
        long offset;
        unsigned long samples;
    } counter[MOST];
    size_t count, fetched;
} code;

static CUptiResult refusal(const char *call)
{
    const char *text = getenv("CUPTI_EMULATION_REFUSED_CALL");
    const size_t length = strlen(call);
    return text != NULL && strncmp(text, call, length) == 0 && text[length] == ':'
               ? (CUptiResult)atoi(text + length + 1)
               : CUPTI_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    *context = cupti_emulation_context();
    return CUDA_SUCCESS;
}

CUptiResult cuptiRegisterComputeCrcCallback(CUpti_ComputeCrcCallbackFunc function)
{
    code.checksum_of = function;
    return CUPTI_SUCCESS;
}

/* Load the program, as a first launch does. */
static void load_program(void)
{
    static char program[1 << 16];
    const char *path = getenv("CUPTI_EMULATION_PROGRAM");
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return;
    const size_t size = fread(program, 1, sizeof program, file);
    fclose(file);
    code.checksum_of(program, size, &code.checksum);
}

CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *p)
{
    if (p->size != CUpti_PCSamplingEnableParamsSize || p->ctx != cupti_emulation_context())
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (refusal(__func__) != CUPTI_SUCCESS)
        return refusal(__func__);
    code.is_on = 1;
    cupti_emulation.state.code_samplers++;
    if (code.checksum_of != NULL)
        load_program();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *p)
{
    (void)p;
    cupti_emulation.state.code_samplers -= code.is_on;
    code.is_on = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *p)
{
    *p->numStallReasons = REASONS;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *p)
{
    if (p->numStallReasons != REASONS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (uint32_t k = 0; k < REASONS; k++) {
        p->stallReasonIndex[k] = k;
        snprintf(p->stallReasons[k], CUPTI_STALL_REASON_STRING_SIZE, "%s", reasons[k]);
    }
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *p)
{
    int can_start = 0;
    for (size_t k = 0; k < p->numAttributes; k++) {
        const CUpti_PCSamplingConfigurationInfo *info = &p->pPCSamplingConfigurationInfo[k];
        if (info->attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON) {
            code.chosen_count = info->attributeData.stallReasonData.stallReasonCount;
            memcpy(code.chosen, info->attributeData.stallReasonData.pStallReasonIndex,
                   code.chosen_count * sizeof *code.chosen);
        }
        can_start |= info->attributeType ==
                         CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL &&
                     info->attributeData.enableStartStopControlData.enableStartStopControl == 1;
    }
    return can_start ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiPCSamplingStart(CUpti_PCSamplingStartParams *p)
{
    (void)p;
    if (!code.is_on || code.is_started)
        return CUPTI_ERROR_INVALID_OPERATION;
    if (refusal(__func__) != CUPTI_SUCCESS)
        return refusal(__func__);
    code.is_started = 1;
    return CUPTI_SUCCESS;
}

static void read_counters(void)
{
    const char *text = getenv("CUPTI_EMULATION_COUNTERS");
    int length = 0;
    code.count = code.fetched = 0;
    while (text != NULL && code.count < MOST &&
           sscanf(text, " %255[^:]:%li:%lu%n", code.counter[code.count].kernel,
                  &code.counter[code.count].offset, &code.counter[code.count].samples,
                  &length) == 3) {
        code.count++;
        text += length;
    }
}

CUptiResult cuptiPCSamplingStop(CUpti_PCSamplingStopParams *p)
{
    (void)p;
    if (!code.is_started)
        return CUPTI_ERROR_INVALID_OPERATION;
    code.is_started = 0;
    read_counters();
    return CUPTI_SUCCESS;
}

static void give_counter(size_t k, CUpti_PCSamplingPCData *out)
{
    out->cubinCrc = code.checksum;
    out->pcOffset = (uint64_t)code.counter[k].offset;
    out->functionName = code.counter[k].kernel;
    out->stallReasonCount = 0;
    for (size_t r = 0; r < code.chosen_count; r++)
        if (code.chosen[r] == WAIT || code.chosen[r] == WAIT_AGAIN)
            out->stallReason[out->stallReasonCount++] =
                (CUpti_PCSamplingStallReason){code.chosen[r], (uint32_t)code.counter[k].samples};
}

CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *p)
{
    CUpti_PCSamplingData *data = p->pcSamplingData;
    if (code.is_started || data->size != sizeof *data)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (refusal(__func__) != CUPTI_SUCCESS)
        return refusal(__func__);
    data->totalNumPcs = 0;
    while (code.fetched < code.count && data->totalNumPcs < PORTION &&
           data->totalNumPcs < data->collectNumPcs)
        give_counter(code.fetched++, &data->pPcData[data->totalNumPcs++]);
    data->remainingNumPcs = code.count - code.fetched;
    data->droppedSamples = 0;
    return CUPTI_SUCCESS;
}
