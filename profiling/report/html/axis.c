#include "report/html/axis.h"

#include <math.h>

/* 1, 2 or 5 times a power of ten, at or above a positive value. */
static double round_up(double value)
{
    const double power = pow(10.0, floor(log10(value)));
    const double steps[] = {1.0, 2.0, 5.0};
    for (int k = 0; k < 3; k++)
        if (value <= steps[k] * power * (1.0 + 1e-9))
            return steps[k] * power;
    return 10.0 * power;
}

axis axis_from_zero(double most, double from, double to)
{
    if (!isfinite(most) || most <= 0.0)
        most = 1.0;
    const double step = round_up(most / 6.0);
    return (axis){0.0, ceil(most / step * (1.0 - 1e-9)) * step, from, to, false, false};
}

axis axis_decades(double low, double high, double from, double to)
{
    const double first = floor(log10(low) + 1e-9);
    const double last = fmax(ceil(log10(high) - 1e-9), first + 1.0);
    return (axis){pow(10.0, first), pow(10.0, last), from, to, true, false};
}

double axis_at(const axis *a, double value)
{
    const double share = a->is_log ? log10(value / a->low) / log10(a->high / a->low)
                                   : (value - a->low) / (a->high - a->low);
    return a->from + share * (a->to - a->from);
}

int axis_ticks(const axis *a, int wanted, double ticks[AXIS_TICKS_MOST])
{
    int count = 0;
    if (a->is_log) {
        const int first = (int)lround(log10(a->low)), last = (int)lround(log10(a->high));
        const int step = (last - first) / AXIS_TICKS_MOST + 1;
        for (int power = first; power <= last; power += step)
            ticks[count++] = pow(10.0, power);
        return count;
    }
    if (!(a->high > a->low))
        return 0;
    const double least = round_up((a->high - a->low) / wanted);
    const double step = a->is_whole ? fmax(least, 1.0) : least;
    const double first = ceil(a->low / step - 1e-9);
    for (; count < AXIS_TICKS_MOST && (first + count) * step <= a->high + 1e-9 * step; count++)
        ticks[count] = (first + count) * step;
    return count;
}
