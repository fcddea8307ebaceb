#include "compare/significance.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Probability of Student's |t| < t: Abramowitz and Stegun (1964), 26.7.3 and 26.7.4. */
static double student_within(double t, int freedom)
{
    const double angle = atan(t / sqrt(freedom));
    const double cosine = cos(angle);
    const bool is_odd = freedom % 2 == 1;
    double term = is_odd ? cosine : 1.0;
    double sum = freedom == 1 ? 0.0 : term;
    for (int k = is_odd ? 3 : 2; k < freedom; k += 2) {
        term *= cosine * cosine * (k - 1) / k;
        sum += term;
    }
    sum *= sin(angle);
    return is_odd ? 2.0 / pi * (angle + sum) : sum;
}

double prof_student_quantile(double tail, int freedom)
{
    double low = 0.0, high = 1.0;
    while (1.0 - student_within(high, freedom) > tail && high < 1e9)
        high *= 2.0;
    for (int k = 0; k < 100; k++) {
        const double middle = 0.5 * (low + high);
        if (1.0 - student_within(middle, freedom) > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Windows gathered to groups: logarithms of the groups' medians, sorted; how many there are. Of
 * more windows than a group has room for, every second, third, ... one is used. */
static int group_windows(const prof_medians *run, double groups[PROF_GROUPS_MAX])
{
    enum { GROUP_WINDOWS_MAX = 256 };
    const int count = run->count < PROF_GROUPS_MAX ? run->count : PROF_GROUPS_MAX;
    for (int g = 0; g < count; g++) {
        const int first = (int)((long)run->count * g / count);
        const int end = (int)((long)run->count * (g + 1) / count);
        const int stride = (end - first - 1) / GROUP_WINDOWS_MAX + 1;
        double windows[GROUP_WINDOWS_MAX];
        int used = 0;
        for (int k = first; k < end; k += stride)
            windows[used++] = log(run->median[k]);
        qsort(windows, (size_t)used, sizeof *windows, ascending);
        groups[g] = 0.5 * (windows[(used - 1) / 2] + windows[used / 2]);
    }
    qsort(groups, (size_t)count, sizeof *groups, ascending);
    return count;
}

/* A trimmed mean, its squared standard error and the degrees of freedom of that. */
typedef struct centre {
    double mean, error2;
    int freedom;
} centre;

/* Yuen (1974), Biometrika 61: the mean without a fifth at either end, its error from the variance
 * with those winsorized_mean in to the outermost that are kept. */
static centre centre_of(const prof_medians *run)
{
    double group[PROF_GROUPS_MAX];
    const int count = group_windows(run, group);
    const int trimmed = count / 5, kept = count - 2 * trimmed;
    double sum = 0.0, winsorized_mean = 0.0, squares = 0.0;
    for (int k = trimmed; k < count - trimmed; k++)
        sum += group[k];
    for (int k = 0; k < trimmed; k++)
        group[k] = group[trimmed], group[count - 1 - k] = group[count - 1 - trimmed];
    for (int k = 0; k < count; k++)
        winsorized_mean += group[k] / count;
    for (int k = 0; k < count; k++)
        squares += (group[k] - winsorized_mean) * (group[k] - winsorized_mean);
    const double error2 = kept > 1 ? PROF_VARIANCE_FACTOR * squares / (kept * (kept - 1.0)) : 0.0;
    return (centre){sum / kept, error2, kept - 1};
}

double prof_middle_of(const prof_medians *run)
{
    return exp(centre_of(run).mean);
}

/* Welch's degrees of freedom, rounded down. */
static int welch_freedom(const centre *a, const centre *b)
{
    const double both = a->error2 + b->error2;
    if (both <= 0.0)
        return a->freedom < b->freedom ? a->freedom : b->freedom;
    return (int)(both * both /
                 (a->error2 * a->error2 / a->freedom + b->error2 * b->error2 / b->freedom));
}

/* Half the interval of the difference of logarithms. */
static double half_between(const centre *a, const centre *b, double tail)
{
    const double smaller = exp(fmin(a->mean, b->mean));
    return hypot(prof_student_quantile(tail, welch_freedom(a, b)) * sqrt(a->error2 + b->error2),
                 PROF_RUN_FLOOR + PROF_RUN_FLOOR_US / smaller);
}

static double half_within(const prof_medians *a, const prof_medians *b, double smaller, double tail)
{
    const long samples = a->samples < b->samples ? a->samples : b->samples;
    const int freedom = samples <= 1000 ? (int)samples - 1 : 999;
    return hypot(prof_student_quantile(tail, freedom) * hypot(a->spread, b->spread),
                 PROF_DRIFT_FLOOR + PROF_RUN_FLOOR_US / smaller);
}

prof_difference prof_difference_of(const prof_medians *a, const prof_medians *b, double tail)
{
    const centre of_a = centre_of(a), of_b = centre_of(b);
    const double shift = of_b.mean - of_a.mean;
    prof_difference difference = {.a = exp(of_a.mean), .b = exp(of_b.mean), .change = expm1(shift)};
    difference.between_windows = a->count >= PROF_WINDOWS_MIN && b->count >= PROF_WINDOWS_MIN;
    difference.verdict = PROF_NOT_JUDGED;
    if (!difference.between_windows &&
        (a->samples < PROF_SAMPLES_MIN || b->samples < PROF_SAMPLES_MIN))
        return difference;
    const double half = difference.between_windows
                            ? half_between(&of_a, &of_b, tail)
                            : half_within(a, b, fmin(difference.a, difference.b), tail);
    if (!isfinite(expm1(shift + half))) /* too wide to judge */
        return difference;
    difference.low = expm1(shift - half);
    difference.high = expm1(shift + half);
    difference.detectable = expm1(half);
    difference.verdict = difference.low > 0.0    ? PROF_SLOWER
                         : difference.high < 0.0 ? PROF_FASTER
                                                 : PROF_NO_DIFFERENCE;
    return difference;
}
