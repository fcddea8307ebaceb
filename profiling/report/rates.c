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

/* What bounds a call, and the fraction of the roofline that it reaches. */
static prof_bound bound_of(const prof_report_ceilings *c, double bytes, double flops, double time,
                           double *fraction)
{
    const prof_roofline roofline =
        prof_roofline_of(bytes, flops, time, (prof_ceilings){c->bandwidth, c->flops});
    *fraction = roofline.bound != PROF_BOUND_UNKNOWN ? roofline.time / time : NAN;
    return roofline.bound;
}

static void derive_stage(const prof_report_ceilings *c, prof_report_stage *s)
{
    s->bandwidth = rate_of(s->bytes, s->call);
    s->flop_rate = rate_of(s->flops, s->call);
    s->intensity = s->bytes > 0.0 ? s->flops / s->bytes : NAN;
    s->attainable = isnan(s->intensity) ? NAN : lesser(s->intensity * c->bandwidth, c->flops);
    s->bound = bound_of(c, s->bytes, s->flops, s->call, &s->fraction);
}

static void derive_counted(const prof_report_ceilings *c, prof_report_counted *s)
{
    s->bandwidth = rate_of(s->bytes.counted, s->time);
    s->flop_rate = rate_of(s->flops.counted, s->time);
    s->intensity = s->bytes.counted > 0.0 ? s->flops.counted / s->bytes.counted : NAN;
    s->bound = bound_of(c, s->bytes.counted, s->flops.counted, s->time, &s->fraction);
}

void derive_rates(const prof_report_device *device, prof_report_window *w)
{
    complete_ceilings(device, &w->ceilings);
    for (int k = 0; k < w->stage_count; k++)
        derive_stage(&w->ceilings, &w->stages[k]);
    for (int k = 0; k < w->counters.stage_count; k++)
        derive_counted(&w->ceilings, &w->counters.stages[k]);
}
