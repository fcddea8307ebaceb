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

static void derive_stage(const prof_report_ceilings *c, prof_report_stage *s)
{
    const double seconds = 1e-9 * s->call;
    s->bandwidth = seconds > 0.0 ? s->bytes / seconds : NAN;
    s->flop_rate = seconds > 0.0 ? s->flops / seconds : NAN;
    s->intensity = s->bytes > 0.0 ? s->flops / s->bytes : NAN;
    s->attainable = isnan(s->intensity) ? NAN : lesser(s->intensity * c->bandwidth, c->flops);
    if (isnan(s->intensity) || isnan(c->bandwidth))
        s->bound = PROF_BOUND_UNKNOWN;
    else
        s->bound = s->intensity > c->ridge ? PROF_BOUND_COMPUTE : PROF_BOUND_MEMORY;
    /* of what moves data without computing, the roofline tells nothing but its bandwidth */
    s->fraction = s->bound == PROF_BOUND_COMPUTE  ? s->flop_rate / c->flops
                  : s->bound == PROF_BOUND_MEMORY ? s->bandwidth / c->bandwidth
                                                  : NAN;
}

void derive_rates(const prof_report_device *device, prof_report_window *w)
{
    complete_ceilings(device, &w->ceilings);
    for (int k = 0; k < w->stage_count; k++)
        derive_stage(&w->ceilings, &w->stages[k]);
}
