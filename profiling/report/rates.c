/* Rates of the stages, and the roofline that they stand under. */
#include <math.h>

#include "report/parts.h"

/* Where nothing was measured, the data sheet's. */
static void complete_ceilings(const prof_report_device *device, prof_report_ceilings *c)
{
    c->bandwidth_is_measured = isfinite(c->bandwidth);
    c->flops_are_measured = isfinite(c->flops);
    if (!c->bandwidth_is_measured)
        c->bandwidth = device->memory_bandwidth;
    if (!c->flops_are_measured)
        c->flops = device->peak_flops;
    c->ridge = c->flops / c->bandwidth;
}

/* Of two values, the lesser that is known. */
static double lesser(double a, double b)
{
    return isnan(a) || b < a ? b : a;
}

static double rate_of(double amount, double ns)
{
    return ns > 0.0 ? 1e9 * amount / ns : NAN;
}

static prof_bound bound_of(const prof_report_ceilings *c, double intensity)
{
    if (isnan(intensity) || isnan(c->bandwidth))
        return PROF_BOUND_UNKNOWN;
    return intensity > c->ridge ? PROF_BOUND_COMPUTE : PROF_BOUND_MEMORY;
}

/* Of what moves data without computing, the roofline tells nothing but its bandwidth. */
static double fraction_of(const prof_report_ceilings *c, prof_bound bound, double bandwidth,
                          double flop_rate)
{
    return bound == PROF_BOUND_COMPUTE  ? flop_rate / c->flops
           : bound == PROF_BOUND_MEMORY ? bandwidth / c->bandwidth
                                        : NAN;
}

static void derive_stage(const prof_report_ceilings *c, prof_report_stage *s)
{
    s->bandwidth = rate_of(s->bytes, s->call);
    s->flop_rate = rate_of(s->flops, s->call);
    s->intensity = s->bytes > 0.0 ? s->flops / s->bytes : NAN;
    s->attainable = isnan(s->intensity) ? NAN : lesser(s->intensity * c->bandwidth, c->flops);
    s->bound = bound_of(c, s->intensity);
    s->fraction = fraction_of(c, s->bound, s->bandwidth, s->flop_rate);
}

static void derive_counted(const prof_report_ceilings *c, prof_report_counted *s)
{
    s->bandwidth = rate_of(s->bytes.counted, s->time);
    s->flop_rate = rate_of(s->flops.counted, s->time);
    s->intensity = s->bytes.counted > 0.0 ? s->flops.counted / s->bytes.counted : NAN;
    s->bound = bound_of(c, s->intensity);
    s->fraction = fraction_of(c, s->bound, s->bandwidth, s->flop_rate);
}

void derive_rates(const prof_report_device *device, prof_report_window *w)
{
    complete_ceilings(device, &w->ceilings);
    for (int k = 0; k < w->stage_count; k++)
        derive_stage(&w->ceilings, &w->stages[k]);
    for (int k = 0; k < w->counters.stage_count; k++)
        derive_counted(&w->ceilings, &w->counters.stages[k]);
}
