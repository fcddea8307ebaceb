/* Indicators: numbers that are graded. The first five, and their thresholds, are those that users
 * of profilers know; where they were meant for another kind of program, the meaning says what is
 * different here. */
#include <math.h>
#include <string.h>

#include "report/measures.h"
#include "report/internal.h"

typedef double indicator_value(const prof_report *report, const prof_report_window *window);

static double utilisation(const prof_report *report, const prof_report_window *w)
{
    return 100.0 * measure_utilisation(report, w);
}

static double kernel_time(const prof_report *report, const prof_report_window *w)
{
    (void)report;
    return 1e-3 * measure_kernel_time(w);
}

static double host_overhead(const prof_report *report, const prof_report_window *w)
{
    return 100.0 * measure_host_overhead(report, w);
}

static double bandwidth(const prof_report *report, const prof_report_window *w)
{
    (void)report;
    return 100.0 * measure_bandwidth(w);
}

static double setup_time(const prof_report *report, const prof_report_window *w)
{
    const prof_report_phase *setup = measure_phase(w, "setup");
    (void)report;
    return setup != NULL ? 1e-9 * setup->total : NAN;
}

static double imbalance(const prof_report *report, const prof_report_window *w)
{
    const prof_report_thread *worst;
    (void)report;
    return 100.0 * measure_imbalance(w, &worst);
}

static double waiting(const prof_report *report, const prof_report_window *w)
{
    const prof_report_thread *worst;
    (void)report;
    return 100.0 * measure_waiting(w, &worst);
}

static double spread(const prof_report *report, const prof_report_window *w)
{
    return 100.0 * measure_spread(report, w);
}

static double sampled_sm(const prof_report *report, const prof_report_window *w)
{
    (void)report;
    return w->has_gpu && w->gpu.sm.count > 0 ? w->gpu.sm.mean : NAN;
}

/* Occupancy of the kernels, each by its time. */
static double occupancy(const prof_report *report, const prof_report_window *w)
{
    double sum = 0.0, time = 0.0;
    (void)report;
    for (int k = 0; k < w->kernel_count; k++) {
        if (isnan(w->kernels[k].occupancy))
            continue;
        sum += w->kernels[k].occupancy * w->kernels[k].time.total;
        time += w->kernels[k].time.total;
    }
    return time > 0.0 ? sum / time : NAN;
}

enum { ON_CPU = 1, ON_GPU = 2 };

/* Good beyond `good`, bad beyond `bad`, a warning between; what is more is better if good > bad. */
static const struct {
    const char *name, *unit;
    double good, bad;
    int devices;
    indicator_value *value;
    const char *in_words[3];
    const char *meaning, *why_unknown;
} rules[] = {
    {"GPU utilisation",
     "%",
     80.0,
     50.0,
     ON_GPU,
     utilisation,
     {"> 80 %", "50-80 %", "< 50 %"},
     "share of the window in which at least one kernel, copy or fill ran",
     "no operation of a GPU was recorded"},
    {"core utilisation",
     "%",
     80.0,
     50.0,
     ON_CPU,
     utilisation,
     {"> 80 %", "50-80 %", "< 50 %"},
     "CPU equivalent of GPU utilisation: time that threads worked on stages, divided by the step "
     "time and the number of threads",
     "the profile has no per-thread times"},
    {"kernel duration",
     "us",
     10.0,
     3.0,
     ON_GPU,
     kernel_time,
     {"> 10 us", "3-10 us", "< 3 us"},
     "mean over all launches. Guides give 1 ms and 0.1 ms for launches from Python; these launches "
     "come from C, and a GPU starts a dependent kernel 1 to 3 us after its predecessor",
     "no kernel was recorded"},
    {"host overhead",
     "%",
     10.0,
     20.0,
     ON_CPU | ON_GPU,
     host_overhead,
     {"< 10 %", "10-20 %", "> 20 %"},
     "share of the step time in which no stage ran; on a GPU, the gaps between stages on the GPU "
     "clock",
     "no step with operations of its stages was recorded"},
    {"memory bandwidth",
     "%",
     60.0,
     40.0,
     ON_CPU | ON_GPU,
     bandwidth,
     {"> 60 %", "40-60 %", "< 40 %"},
     "bytes of the static cost of the stages, divided by their time and the copy bandwidth; above "
     "100 % if the data stay in caches",
     "the profile lacks the static costs or times of the stages, or the bandwidth of the device"},
    {"setup time",
     "s",
     2.0,
     10.0,
     ON_CPU | ON_GPU,
     setup_time,
     {"< 2 s", "2-10 s", "> 10 s"},
     "time until the first step; it replaces the compilation time of profiling guides, because a "
     "run compiles nothing",
     "the phases do not contain the setup"},
    {"SM activity, sampled",
     "%",
     80.0,
     50.0,
     ON_GPU,
     sampled_sm,
     {"> 80 %", "50-80 %", "< 50 %"},
     "mean of the NVML samples in the window: share of the NVML sampling period in which a kernel "
     "ran",
     "no sample falls into the window"},
    {"occupancy",
     "%",
     50.0,
     25.0,
     ON_GPU,
     occupancy,
     {"> 50 %", "25-50 %", "< 25 %"},
     "theoretical occupancy of the kernels, weighted by their time",
     "no kernel with a known occupancy was recorded"},
    {"thread imbalance",
     "%",
     10.0,
     25.0,
     ON_CPU,
     imbalance,
     {"< 10 %", "10-25 %", "> 25 %"},
     "share of the step time that threads waited for the slowest thread of a stage",
     "the profile has no per-thread times"},
    {"thread waiting",
     "%",
     10.0,
     25.0,
     ON_CPU,
     waiting,
     {"< 10 %", "10-25 %", "> 25 %"},
     "share of the step time in which even the slowest thread of a stage was idle: fork and "
     "barrier overhead",
     "the profile has no per-thread times"},
    {"step spread",
     "%",
     10.0,
     30.0,
     ON_CPU | ON_GPU,
     spread,
     {"< 10 %", "10-30 %", "> 30 %"},
     "interquartile range of the step time, divided by its median",
     "the window has fewer than two steps with a time"},
};

enum { RULES = sizeof rules / sizeof rules[0] };

static prof_grade grade_of(double value, double good, double bad)
{
    const double sign = good > bad ? 1.0 : -1.0;
    if (isnan(value))
        return PROF_GRADE_UNKNOWN;
    if (sign * value > sign * good)
        return PROF_GRADE_GOOD;
    return sign * value < sign * bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING;
}

void derive_indicators(pool *pool, const prof_report *report, prof_report_window *w)
{
    const int device = report->device.is_gpu ? ON_GPU : ON_CPU;
    w->indicators = pool_array(pool, RULES, sizeof *w->indicators);
    for (int k = 0; k < RULES && w->indicators != NULL; k++) {
        if ((rules[k].devices & device) == 0)
            continue;
        const double value = rules[k].value(report, w);
        const prof_grade grade = grade_of(value, rules[k].good, rules[k].bad);
        w->indicators[w->indicator_count++] =
            (prof_indicator){.name = rules[k].name,
                             .value = value,
                             .unit = rules[k].unit,
                             .grade = grade,
                             .good = rules[k].in_words[0],
                             .warning = rules[k].in_words[1],
                             .bad = rules[k].in_words[2],
                             .meaning = rules[k].meaning,
                             .why_unknown = isnan(value) ? rules[k].why_unknown : ""};
    }
}
