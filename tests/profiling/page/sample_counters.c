/* Counters of the sample reports, and the log of the GPU's state. */
#include <math.h>
#include <stdlib.h>

#include "sample_report.h"

enum { SAMPLES = 1000, STAGES_MOST = 8 };

/* Ratios of counted to formula values: traffic and operations of each stage. */
static const double ratios[STAGES_MOST][2] = {{1.00, 1.31}, {0.46, 1.04}, {1.00, 0.99},
                                              {1.27, 1.02}, {0.97, 1.66}, {1.08, 1.0}};

static prof_cost_check pair_of(double formula, double ratio)
{
    return (prof_cost_check){formula, ratio * formula, formula > 0.0 ? ratio : NAN};
}

static prof_stage_counters counted_of(const prof_report_stage *s, const double *ratio, double call)
{
    static prof_counted_kernel kernels[] = {{"", "", 4},
                                            {"", "void edge_kernel<(int)4>(swe_params)", 8}};
    const double bytes = ratio[0] * s->bytes, flops = ratio[1] * s->flops;
    kernels[0].name = sample_awkward[1];
    return (prof_stage_counters){.stage = s->name,
                                 .calls = (int64_t)s->calls_per_step,
                                 .kernels = kernels,
                                 .kernel_count = 2,
                                 .time = 1.2 * call,
                                 .read_bytes = 0.6 * bytes,
                                 .written_bytes = 0.4 * bytes,
                                 .l2_bytes = 1.1 * s->bytes,
                                 .l1_bytes = NAN,
                                 .bytes = pair_of(s->bytes, ratio[0]),
                                 .flops = pair_of(s->flops, ratio[1]),
                                 .intensity = flops / bytes,
                                 .flop_rate = flops / (1.2e-9 * call),
                                 .bandwidth = bytes / (1.2e-9 * call),
                                 .bound = PROF_BOUND_MEMORY,
                                 .fraction = 0.4};
}

void sample_count(prof_report_window *w)
{
    prof_report_counters *c = &w->counters;
    *c = (prof_report_counters){.chip = "GH100", .passes = 2, .first_step = w->first_step};
    c->stages = calloc(STAGES_MOST, sizeof *c->stages);
    if (c->stages == NULL)
        exit(70);
    w->mode = "counters";
    w->step = NAN;
    for (int k = 0; k < w->stage_count && k < STAGES_MOST; k++) {
        prof_report_stage *s = &w->stages[k];
        c->stages[c->stage_count++] = counted_of(s, ratios[k], s->call);
        s->gpu = (prof_spread){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
        s->total = 0.0;
        s->share = s->call = s->bandwidth = s->flop_rate = s->fraction = NAN;
    }
}

void sample_log(prof_report *report)
{
    prof_report_log *log = &report->log;
    log->samples = calloc(SAMPLES, sizeof *log->samples);
    if (log->samples == NULL)
        exit(70);
    log->count = SAMPLES;
    log->start = report->windows[0].start - 1e9;
    for (int k = 0; k < SAMPLES; k++)
        log->samples[k] = (prof_gpu_sample){.time = (int64_t)k * 100000000,
                                            .sm = k < 20 ? 0.0 : 90.0 + 9.0 * sin(0.1 * k),
                                            .memory = 50.0 + 10.0 * cos(0.03 * k),
                                            .memory_used = 1.5e9,
                                            .sm_clock = k % 50 == 0 ? NAN : 1980.0 - 0.3 * k,
                                            .power = 350.0 + 0.1 * k,
                                            .temperature = NAN,
                                            .memory_clock = 2619.0};
    log->sm = (prof_report_quantity){SAMPLES, 88.3, 0.0, 99.0};
    log->power = (prof_report_quantity){SAMPLES, 399.95, 350.0, 449.9};
    log->memory_clock = (prof_report_quantity){SAMPLES, 2619.0, 2619.0, 2619.0};
}
