/* The stages of the step: their times on the host and on the GPU, static costs, rates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/internal.h"

static const prof_spread no_spread = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

static const prof_report_region *region_named(const prof_report_window *w, const char *name)
{
    for (int k = 0; k < w->region_count; k++)
        if (strcmp(w->regions[k].name, name) == 0)
            return &w->regions[k];
    return NULL;
}

static bool is_stage(const prof_report_region *region)
{
    return strcmp(region->kind, "stage") == 0;
}

prof_report_stage *stage_named(const prof_report_window *w, const char *name)
{
    for (int k = 0; k < w->stage_count; k++)
        if (strcmp(w->stages[k].name, name) == 0)
            return &w->stages[k];
    return NULL;
}

static prof_report_stage *add_stage(prof_report_window *w, const char *name)
{
    prof_report_stage *stage = &w->stages[w->stage_count++];
    *stage = (prof_report_stage){.name = name,
                                 .host = no_spread,
                                 .gpu = no_spread,
                                 .calls = no_spread,
                                 .read_bytes = NAN,
                                 .written_bytes = NAN,
                                 .bytes = NAN,
                                 .flops = NAN,
                                 .reach = NAN,
                                 .served_by = "",
                                 .serving = NAN};
    return stage;
}

/* Allocate the stages, and fill those that are regions. */
static void begin_stages(reader *r, prof_report_window *w)
{
    const size_t most = (size_t)w->region_count + (size_t)w->gpu_time_count;
    w->stages = pool_array(r->pool, most, sizeof *w->stages);
    for (int k = 0; k < w->region_count && w->stages != NULL; k++)
        if (is_stage(&w->regions[k]))
            add_stage(w, w->regions[k].name)->host = w->regions[k].host;
}

/* Operations of a graph that was captured before the window have the name of their stage, but the
 * stage has no region in the window. Operations of other regions (output) belong to no stage. */
static void add_gpu_times(prof_report_window *w)
{
    const prof_gpu_time *times = w->gpu_times;
    for (int k = 0; k < w->gpu_time_count && w->stages != NULL; k++) {
        const prof_report_region *region = region_named(w, times[k].stage);
        if (times[k].stage[0] == '\0' || (region != NULL && !is_stage(region)))
            continue;
        prof_report_stage *stage = stage_named(w, times[k].stage);
        if (stage == NULL)
            stage = add_stage(w, times[k].stage);
        stage->gpu = times[k].time;
        stage->calls = times[k].calls;
    }
}

/* Number of calls on the GPU in profiles that do not have it: each call launches every kernel of
 * the stage at least once, so it is the least number of launches of a kernel, over all its shapes.
 */
static double gpu_calls(const prof_report_window *w, const char *stage)
{
    double least = INFINITY;
    for (int k = 0; k < w->kernel_count; k++) {
        double launches = 0.0;
        if (strcmp(w->kernels[k].stage, stage) != 0)
            continue;
        for (int j = 0; j < w->kernel_count; j++)
            if (strcmp(w->kernels[j].stage, stage) == 0 &&
                strcmp(w->kernels[j].name, w->kernels[k].name) == 0)
                launches += (double)w->kernels[j].time.count;
        least = launches < least ? launches : least;
    }
    return isfinite(least) ? least : NAN;
}

/* Times on the device that computed. */
static void set_times(prof_report_window *w, bool is_gpu)
{
    double total = 0.0;
    for (int k = 0; k < w->stage_count; k++) {
        prof_report_stage *s = &w->stages[k];
        const double calls = !is_gpu              ? (double)s->host.count
                             : s->calls.count > 0 ? (double)s->calls.count
                                                  : gpu_calls(w, s->name);
        s->total = is_gpu ? (s->gpu.count > 0 ? s->gpu.total : 0.0) : s->host.total;
        s->call = calls > 0.0 ? s->total / calls : NAN;
        s->calls_per_step =
            (s->calls.count == 0 && s->host.count > 0 ? (double)s->host.count : calls) /
            (double)w->step_count;
        total += s->total;
    }
    const double of = is_gpu ? total : w->step_host.total;
    w->other_share = is_gpu ? NAN : 1.0;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_region *region = region_named(w, w->stages[k].name);
        w->stages[k].share = !is_gpu && region != NULL ? region->share : w->stages[k].total / of;
        w->other_share -= w->stages[k].share;
    }
    w->step = is_gpu ? w->step_gpu.median : w->step_host.median;
}

/* Add the costs of the stages that ran. Only their arrays, which the report shows, get a note on a
 * former name. */
static void add_costs(reader *r, prof_report_window *w)
{
    for (int k = 0; k < w->cost_count; k++) {
        const prof_report_cost *cost = &w->costs[k];
        prof_report_stage *stage = stage_named(w, cost->stage);
        if (stage == NULL)
            continue; /* it did not run in this window */
        stage->flops = cost->flops;
        stage->read_bytes = cost->read_bytes;
        stage->written_bytes = cost->written_bytes;
        stage->bytes = cost->read_bytes + cost->written_bytes;
        stage->reach = cost->reach;
        stage->buffers = cost->buffers;
        stage->buffer_count = cost->buffer_count;
        for (int b = 0; b < cost->buffer_count; b++) {
            prof_report_buffer *buffer = &cost->buffers[b];
            buffer->name = reader_current(r, SWE_NAMED_ARRAY, buffer->name);
            buffer->writes = strcmp(buffer->access, "write") == 0;
        }
    }
}

static int larger_share_first(const void *a, const void *b)
{
    const double x = ((const prof_report_stage *)a)->total;
    const double y = ((const prof_report_stage *)b)->total;
    return (x < y) - (x > y);
}

void load_stages(reader *r, bool is_gpu, prof_report_window *w)
{
    begin_stages(r, w);
    add_gpu_times(w);
    set_times(w, is_gpu);
    add_costs(r, w);
    if (w->stage_count > 0)
        qsort(w->stages, (size_t)w->stage_count, sizeof *w->stages, larger_share_first);
}

/* Replace peaks that were not measured by the peaks of the data sheet, which has no FP32 peak.
 * Profiles of earlier versions have no FP32 peak: runs in single precision are then compared with
 * the FP64 peak. */
static void complete_peaks(const prof_report *report, prof_report_peaks *c)
{
    const bool is_single = strcmp(report->precision, "single") == 0 && isfinite(c->fp32);
    c->flops = is_single ? c->fp32 : c->fp64;
    c->flops_of = is_single ? "FP32" : "FP64";
    c->bandwidth_is_measured = isfinite(c->bandwidth);
    c->flops_are_measured = isfinite(c->flops);
    if (!c->bandwidth_is_measured)
        c->bandwidth = report->device.memory_bandwidth;
    if (!c->flops_are_measured)
        c->flops = report->device.peak_flops;
    c->ridge = c->flops / c->bandwidth;
}

static double rate_of(double amount, double ns)
{
    return ns > 0.0 ? 1e9 * amount / ns : NAN;
}

/* The bound of a call, and the fraction of the roofline that it reaches. */
static prof_bound bound_of(double bytes, double flops, double time, double bandwidth, double peak,
                           double *fraction)
{
    const prof_roofline roofline = prof_roofline_of(bytes, flops, time, bandwidth, peak);
    *fraction = roofline.bound != PROF_BOUND_UNKNOWN && time > 0.0 ? roofline.time / time : NAN;
    return roofline.bound;
}

/* Return the time [ns] of a step that rank 0 waits within a stage for messages of other ranks. On a
 * GPU it is 0: times of stages are times of GPU operations, which contain no waits. */
static double waits_in(const prof_report_ranks *ranks, bool is_gpu, const char *stage)
{
    for (int k = 0; k < ranks->stage_count && !is_gpu; k++)
        if (strcmp(ranks->stages[k].stage, stage) == 0 && ranks->stages[k].rank_0_exposed > 0.0)
            return ranks->stages[k].rank_0_exposed;
    return 0.0;
}

/* Means of the waits of rank 0 over their medians: rank_0_exposed is a median, times of calls are
 * means. The share of a region counts its calls within steps. */
static double mean_over_median(const prof_report_window *w)
{
    double share = 0.0, medians = 0.0;
    for (int k = 0; k < w->region_count; k++)
        share += strcmp(w->regions[k].kind, "wait") == 0 ? w->regions[k].share : 0.0;
    for (int k = 0; k < w->ranks.stage_count; k++)
        medians += w->ranks.stages[k].rank_0_exposed;
    const double mean = share * w->step_host.total / (double)w->step_count;
    return mean > 0.0 && medians > 0.0 ? mean / medians : 1.0;
}

static void derive_stage(const prof_report_peaks *c, prof_report_stage *s)
{
    /* a device without a measured bandwidth has no caches */
    const prof_cache *cache =
        prof_serving_cache(c->caches, c->bandwidth_is_measured ? c->cache_count : 0, s->reach);
    s->served_by = cache != NULL                                  ? cache->name
                   : isnan(s->reach) || !c->bandwidth_is_measured ? ""
                                                                  : "memory";
    s->serving = cache != NULL ? cache->bandwidth : c->bandwidth;
    s->bandwidth = rate_of(s->bytes, s->work);
    s->flop_rate = rate_of(s->flops, s->work);
    s->intensity = s->bytes > 0.0 ? s->flops / s->bytes : NAN;
    s->attainable = isnan(s->intensity) ? NAN : fmin(s->intensity * s->serving, c->flops);
    s->bound = bound_of(s->bytes, s->flops, s->work, s->serving, c->flops, &s->fraction);
}

void derive_rates(const prof_report *report, prof_report_window *w)
{
    const double ratio = mean_over_median(w);
    complete_peaks(report, &w->peaks);
    for (int k = 0; k < w->stage_count; k++) {
        prof_report_stage *s = &w->stages[k];
        const double waits = ratio * waits_in(&w->ranks, report->device.is_gpu, s->name);
        s->waits = waits > 0.0 ? fmin(waits / (s->call * s->calls_per_step), 1.0) : 0.0;
        /* rates, rooflines and threads are judged by the time of work */
        s->work = s->call * (1.0 - s->waits);
        s->total_work = s->total * (1.0 - s->waits);
        derive_stage(&w->peaks, s);
        if (is_disturbed(report, w))
            s->bandwidth = s->flop_rate = s->fraction = NAN;
    }
    for (int k = 0; k < w->counters.stage_count; k++) {
        prof_stage_counters *s = &w->counters.stages[k];
        s->bandwidth = rate_of(s->bytes.counted, s->time);
        s->flop_rate = rate_of(s->flops.counted, s->time);
        s->intensity = s->bytes.counted > 0.0 ? s->flops.counted / s->bytes.counted : NAN;
        s->bound = bound_of(s->bytes.counted, s->flops.counted, s->time, w->peaks.bandwidth,
                            w->peaks.flops, &s->fraction);
    }
}
