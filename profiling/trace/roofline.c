#include "trace/roofline.h"

#include <math.h>

static prof_bound bound_of(const prof_roofline *roofline, double time)
{
    if (!(time > 0.0) || !(roofline->time > 0.0))
        return PROF_BOUND_UNKNOWN;
    if (roofline->time < prof_latency && roofline->time < prof_latency_share * time)
        return PROF_BOUND_LATENCY;
    return roofline->moving <= roofline->computing ? PROF_BOUND_COMPUTE : PROF_BOUND_MEMORY;
}

prof_roofline prof_roofline_of(double bytes, double flops, double time, prof_peaks peaks)
{
    prof_roofline roofline = {.bound = PROF_BOUND_UNKNOWN};
    if (isnan(bytes + flops) || !(peaks.copy_bandwidth > 0.0) || !(peaks.flops > 0.0))
        return roofline;
    roofline.moving = 1e9 * bytes / peaks.copy_bandwidth;
    roofline.computing = 1e9 * flops / peaks.flops;
    roofline.time = fmax(roofline.moving, roofline.computing);
    roofline.bound = bound_of(&roofline, time);
    return roofline;
}
