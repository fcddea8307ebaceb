#include "backend/peaks.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/samples.h"
#include "base/tuning.h"
#include "ranks/ranks.h"
#include "stages/regions.h"

enum { LEAST_SAMPLES = 8 };

static const double long_enough = 2e-3, patience = 0.04; /* [s] of a sample, of a benchmark */
/* Time in which peaks are measured again until they are reliable [s]. */
static const double patience_of_all = 1.5;
/* Least ratio of the bandwidth of a cache to the bandwidth of the memory beyond it. */
static const double least_order = 0.9;

/* A benchmark and its arrays. */
typedef struct timed {
    const swe_backend *backend;
    swe_device *device;
    const swe_execution *execution;
    swe_benchmark_sizes sizes;
    const swe_fma_benchmark *chains;
    int width;
    size_t cached; /* values of each array of a copy within a cache */
    bool together; /* with all ranks */
    void *from, *to, *last;
    void (*start)(const struct timed *t, long amount);
} timed;

static void start_copies(const timed *t, long amount)
{
    for (long k = 0; k < amount; k++)
        t->backend->copy_benchmark->copy(t->execution, t->sizes.values, t->from, t->to);
}

static void start_cached_copies(const timed *t, long amount)
{
    t->backend->copy_benchmark->copy_in_cache(t->execution, t->cached, amount, t->from, t->to);
}

static void start_chains(const timed *t, long amount)
{
    t->chains->run(t->execution, t->width, t->sizes.groups, amount * t->chains->least_length,
                   t->last);
}

/* With all ranks: the status of the first rank that failed; the largest value of all ranks. */

static swe_status agree(swe_context *ctx, const timed *t, swe_status status)
{
    return t->together ? swe_ranks_agree(ctx, status) : status;
}

static int largest(const timed *t, int value)
{
    return t->together ? swe_ranks_max(value) : value;
}

/* Seconds of `amount` copies one after another, or of chains of `amount` times the least length. */
static swe_status time_load(swe_context *ctx, const timed *t, long amount, double *seconds)
{
    const double start = swe_clock_seconds();
    t->start(t, amount);
    const swe_status status = t->backend->synchronize(ctx, t->device);
    *seconds = fmax(swe_clock_seconds() - start, 1e-9); /* the clock's resolution */
    return agree(ctx, t, status);
}

/* Best rate of a benchmark [amounts s-1]. Starting, waiting and other load on the machine only
 * reduce the rate of a sample; they reduce the rate of a long sample less. Hence the amount doubles
 * after a sample that is short, better than all earlier samples, or far below the best. Ranks begin
 * a sample together, with the largest amount of all ranks. */
static swe_status find_rate(swe_context *ctx, const timed *t, double *rate)
{
    const double least = swe_tuning_patience(patience);
    double spent = 0.0, seconds = 0.0;
    int amount = 1;
    *rate = 0.0;
    SWE_TRY(time_load(ctx, t, amount, &seconds)); /* the first run is slow */
    for (int sample = 0; largest(t, sample < LEAST_SAMPLES || spent < least); sample++) {
        amount = largest(t, amount);
        SWE_TRY(time_load(ctx, t, amount, &seconds));
        const double found = (double)amount / seconds;
        const bool is_steady = found > 0.5 * *rate && found < 1.1 * *rate;
        *rate = fmax(*rate, found);
        spent += seconds;
        if ((seconds < long_enough || !is_steady) && amount < least * *rate)
            amount *= 2;
    }
    return SWE_OK;
}

static swe_status measure_chains(swe_context *ctx, timed *t, swe_precision precision, double *flops)
{
    t->chains = t->backend->fma_benchmark[precision];
    const int *widths = t->chains->widths;
    t->start = start_chains;
    for (int k = 0; k < SWE_MOST_WIDTHS && widths[k] > 0; k++) {
        double rate = 0.0;
        t->width = widths[k];
        swe_status status =
            t->backend->reserve(ctx, t->device, t->sizes.groups * (size_t)t->width, sizeof(double),
                                PROF_HERE("ceilings: chains"), &t->last);
        const bool has_memory = status == SWE_OK;
        status = agree(ctx, t, status);
        if (status == SWE_OK)
            status = find_rate(ctx, t, &rate);
        if (has_memory)
            t->backend->release(t->device, t->last);
        if (status != SWE_OK)
            return status;
        const double count = (double)t->width * (double)t->sizes.groups;
        const double found = 2.0 * count * (double)t->chains->least_length * rate;
        *flops = found > *flops ? found : *flops;
    }
    return SWE_OK;
}

/* The bytes of a working set for a cache: half of the cache, or, if half is not well beyond the
 * previous cache, the mean of both sizes. */
static double working_set(double before, double bytes)
{
    return 0.5 * bytes > 2.0 * before ? 0.5 * bytes : 0.5 * (before + bytes);
}

static swe_status copy_in_caches(swe_context *ctx, timed *t, swe_peaks *out)
{
    const double pair = 2.0 * sizeof(double), block = SWE_COPY_BLOCK;
    double before = 0.0, rate = 0.0;
    t->cached = SWE_COPY_BLOCK;
    const int count = largest(t, t->sizes.cache_count);
    t->start = start_cached_copies;
    for (int k = 0; k < t->sizes.cache_count; k++) {
        const double values = working_set(before, t->sizes.caches[k].bytes) / pair;
        t->cached = (size_t)(fmax(floor(values / block), 1.0) * block);
        t->cached = t->cached < t->sizes.values ? t->cached : t->sizes.values;
        SWE_TRY(find_rate(ctx, t, &rate));
        const double found = pair * (double)t->cached * rate;
        const double best = k < out->cache_count ? fmax(out->caches[k].bandwidth, found) : found;
        out->caches[k] = t->sizes.caches[k];
        out->caches[k].bandwidth = best;
        out->cache_count = out->cache_count > k ? out->cache_count : k + 1;
        before = out->caches[k].bytes;
    }
    for (int k = t->sizes.cache_count; k < count; k++) /* while ranks with more caches measure */
        SWE_TRY(find_rate(ctx, t, &rate));
    return SWE_OK;
}

static swe_status copy_arrays(swe_context *ctx, timed *t, swe_peaks *out)
{
    double rate = 0.0;
    t->start = start_copies;
    t->backend->copy_benchmark->fill(t->execution, t->sizes.values, t->from);
    SWE_TRY(find_rate(ctx, t, &rate));
    out->copy_bandwidth =
        fmax(out->copy_bandwidth, 2.0 * sizeof(double) * (double)t->sizes.values * rate);
    return copy_in_caches(ctx, t, out);
}

static swe_status measure_copy(swe_context *ctx, timed *t, swe_peaks *out)
{
    const prof_place place = PROF_HERE("ceilings: copy");
    swe_status status =
        t->backend->reserve(ctx, t->device, t->sizes.values, sizeof(double), place, &t->from);
    if (status == SWE_OK)
        status =
            t->backend->reserve(ctx, t->device, t->sizes.values, sizeof(double), place, &t->to);
    status = agree(ctx, t, status);
    if (status == SWE_OK)
        status = copy_arrays(ctx, t, out);
    if (t->to != NULL)
        t->backend->release(t->device, t->to);
    if (t->from != NULL)
        t->backend->release(t->device, t->from);
    return status;
}

/* Divide the arrays among the ranks of a machine: together they are as large as the arrays of one
 * rank. */
static void share_memory(timed *t)
{
    const size_t blocks = t->sizes.values / SWE_COPY_BLOCK, ranks = (size_t)swe_ranks_on_machine();
    if (t->together)
        t->sizes.values = (blocks > ranks ? blocks / ranks : 1) * SWE_COPY_BLOCK;
}

static swe_status measure(swe_context *ctx, timed *t, int precisions, swe_peaks *out)
{
    for (int k = 0; k < SWE_PRECISIONS; k++)
        if ((precisions & 1 << k) != 0)
            SWE_TRY(measure_chains(ctx, t, (swe_precision)k, &out->flops[k]));
    return measure_copy(ctx, t, out);
}

const char swe_peaks_not_ordered[] = "copies in a cache are slower than in the memory beyond it";

const char *swe_peaks_doubt(const swe_peaks *peaks, double waited)
{
    for (int k = 0; k < peaks->cache_count; k++) {
        const double beyond =
            k + 1 < peaks->cache_count ? peaks->caches[k + 1].bandwidth : peaks->copy_bandwidth;
        if (peaks->caches[k].bandwidth < least_order * beyond)
            return swe_peaks_not_ordered;
    }
    return swe_doubt_of_waits(waited);
}

swe_status swe_peaks_measure(swe_context *ctx, const swe_backend *backend, swe_device *device,
                             const swe_execution *execution, int precisions, bool together,
                             swe_peaks *out)
{
    timed t = {.backend = backend, .device = device, .execution = execution, .together = together};
    const double end = swe_clock_seconds() + swe_tuning_patience(patience_of_all);
    *out = (swe_peaks){.doubt = NULL};
    SWE_TRY(agree(ctx, &t, backend->copy_benchmark->sizes(ctx, execution, &t.sizes)));
    share_memory(&t);
    do {
        const swe_watch watch = swe_watch_start();
        SWE_TRY(measure(ctx, &t, precisions, out));
        out->doubt = swe_peaks_doubt(out, swe_watch_waited(&watch));
    } while (largest(&t, out->doubt != NULL && swe_clock_seconds() < end));
    return SWE_OK;
}

void swe_peaks_record(const swe_backend *backend, swe_device *device,
                      const swe_execution *execution, swe_precision precision)
{
    swe_context ctx = {""};
    swe_peaks found;
    int is_wanted = swe_tuning(SWE_TUNING_peaks);
    swe_ranks_broadcast(&is_wanted, sizeof is_wanted);
    if (!is_wanted)
        return;
    prof_begin(execution->profiler, SWE_REGION_peaks);
    const swe_status status =
        swe_peaks_measure(&ctx, backend, device, execution, 1 << precision, true, &found);
    prof_end(execution->profiler);
    prof_peaks peaks = {.copy_bandwidth = found.copy_bandwidth,
                        .flops = found.flops[precision],
                        .cache_count = found.cache_count};
    memcpy(peaks.caches, found.caches, sizeof peaks.caches);
    const bool is_reliable = found.doubt == NULL;
    prof_set_peaks(execution->profiler, is_reliable ? peaks : (prof_peaks){.cache_count = 0});
    if (status == SWE_OK && is_reliable)
        return;
    char line[sizeof ctx.message + 64];
    snprintf(line, sizeof line, "peak rates %s: %s",
             status == SWE_OK ? "are left out, because they are not reliable"
                              : "could not be measured",
             status == SWE_OK ? found.doubt : ctx.message);
    prof_add_warning(execution->profiler, line);
}
