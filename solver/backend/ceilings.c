#include "backend/ceilings.h"

#include <math.h>
#include <stdio.h>

#include "clock.h"
#include "stages/regions.h"

enum { REPEATS = 10 };

static const double long_enough = 2e-3; /* [s] */
static const long most_amount = 1L << 30;

/* A load that is timed. */
typedef struct timed {
    const swe_backend *backend;
    swe_device *device;
    const swe_view *view;
    swe_load_sizes sizes;
    int width;
    double *from, *to, *last;
    void (*start)(const struct timed *t, long amount);
} timed;

static void start_copies(const timed *t, long amount)
{
    for (long k = 0; k < amount; k++)
        t->backend->loads->copy(t->view, t->sizes.values, t->from, t->to);
}

static void start_chains(const timed *t, long amount)
{
    t->backend->loads->chains(t->view, t->width, t->sizes.groups, amount, t->last);
}

/* Seconds of an amount of a load: copies one after another, or multiply-adds of every chain. */
static swe_status time_load(swe_context *ctx, const timed *t, long amount, double *seconds)
{
    const double start = prof_clock_seconds();
    t->start(t, amount);
    SWE_TRY(t->backend->synchronize(ctx, t->device));
    *seconds = prof_clock_seconds() - start;
    return SWE_OK;
}

/* Double an amount until it takes long beside starting and waiting for it. */
static swe_status raise_amount(swe_context *ctx, const timed *t, long *amount)
{
    double seconds = 0.0;
    SWE_TRY(time_load(ctx, t, *amount, &seconds));
    while (seconds < long_enough && *amount < most_amount) {
        *amount *= 2;
        SWE_TRY(time_load(ctx, t, *amount, &seconds));
    }
    return SWE_OK;
}

/* Seconds of the fastest of several repeats. */
static swe_status find_fastest(swe_context *ctx, const timed *t, long amount, double *fastest)
{
    *fastest = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double seconds = 0.0;
        SWE_TRY(time_load(ctx, t, amount, &seconds));
        *fastest = fmin(*fastest, seconds);
    }
    return SWE_OK;
}

/* The most of a load in a second. An amount that took long once, as the machine did something else,
 * is raised again. */
static swe_status find_rate(swe_context *ctx, const timed *t, double *rate)
{
    double seconds = 0.0;
    long amount = 1;
    SWE_TRY(time_load(ctx, t, amount, &seconds)); /* the first one of all is slow */
    for (;;) {
        SWE_TRY(raise_amount(ctx, t, &amount));
        SWE_TRY(find_fastest(ctx, t, amount, &seconds));
        if (seconds >= 0.5 * long_enough || amount >= most_amount)
            break;
        amount *= 2;
    }
    *rate = (double)amount / seconds;
    return SWE_OK;
}

static swe_status measure_chains(swe_context *ctx, timed *t, double *flops)
{
    const int *widths = t->backend->loads->widths;
    t->start = start_chains;
    for (int k = 0; k < SWE_MOST_WIDTHS && widths[k] > 0; k++) {
        double rate = 0.0;
        t->width = widths[k];
        SWE_TRY(t->backend->reserve(ctx, t->device, t->sizes.groups * (size_t)t->width,
                                    PROF_HERE("ceilings: chains"), &t->last));
        const swe_status status = find_rate(ctx, t, &rate);
        t->backend->release(t->device, &t->last);
        if (status != SWE_OK)
            return status;
        const double found = 2.0 * t->width * (double)t->sizes.groups * rate;
        *flops = found > *flops ? found : *flops;
    }
    return SWE_OK;
}

static swe_status copy_arrays(swe_context *ctx, timed *t, double *bandwidth)
{
    double rate = 0.0;
    t->start = start_copies;
    t->backend->loads->fill(t->view, t->sizes.values, t->from);
    SWE_TRY(find_rate(ctx, t, &rate));
    *bandwidth = 2.0 * sizeof(double) * (double)t->sizes.values * rate;
    return SWE_OK;
}

static swe_status measure_copy(swe_context *ctx, timed *t, double *bandwidth)
{
    const prof_place place = PROF_HERE("ceilings: copy");
    SWE_TRY(t->backend->reserve(ctx, t->device, t->sizes.values, place, &t->from));
    swe_status status = t->backend->reserve(ctx, t->device, t->sizes.values, place, &t->to);
    if (status == SWE_OK) {
        status = copy_arrays(ctx, t, bandwidth);
        t->backend->release(t->device, &t->to);
    }
    t->backend->release(t->device, &t->from);
    return status;
}

swe_status swe_ceilings_measure(swe_context *ctx, const swe_backend *backend, swe_device *device,
                                const swe_view *view, prof_ceilings *out)
{
    timed t = {.backend = backend, .device = device, .view = view};
    *out = (prof_ceilings){0.0, 0.0};
    SWE_TRY(backend->loads->sizes(ctx, view, &t.sizes));
    SWE_TRY(measure_chains(ctx, &t, &out->flops));
    return measure_copy(ctx, &t, &out->copy_bandwidth);
}

void swe_ceilings_tell(const swe_backend *backend, swe_device *device, const swe_view *view)
{
    swe_context ctx = {""};
    prof_ceilings ceilings;
    if (!prof_wants_ceilings(view->profiler))
        return;
    prof_begin(view->profiler, SWE_REGION_ceilings);
    const swe_status status = swe_ceilings_measure(&ctx, backend, device, view, &ceilings);
    prof_end(view->profiler);
    prof_set_ceilings(view->profiler, ceilings);
    if (status != SWE_OK) {
        char line[sizeof ctx.message + 64];
        snprintf(line, sizeof line, "ceilings are not known: %s", ctx.message);
        prof_tell(view->profiler, line);
    }
}
