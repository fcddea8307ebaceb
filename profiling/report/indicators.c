/* Indicators: numbers that are graded. The usual profiling guides define the first five indicators
 * and their thresholds. Where a guide assumes another kind of program, the meaning states the
 * difference. */
#include <math.h>
#include <string.h>

#include "report/diagnosis.h"
#include "report/internal.h"

static double setup_time(const diagnosis *c)
{
    const prof_phase_time *setup = measure_phase(c, "setup");
    return setup != NULL ? setup->total : NAN;
}

static double imbalance(const diagnosis *c)
{
    return measure_imbalance(c, NULL);
}

static double waiting(const diagnosis *c)
{
    return measure_waiting(c, NULL);
}

static double sampled_sm(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    return w->has_gpu && w->gpu.sm.count > 0 ? w->gpu.sm.mean : NAN;
}

/* Occupancy of the kernels, weighted by their time. */
static double occupancy(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    double sum = 0.0, time = 0.0;
    for (int k = 0; k < w->kernel_count; k++) {
        if (isnan(w->kernels[k].occupancy))
            continue;
        sum += w->kernels[k].occupancy * w->kernels[k].time.total;
        time += w->kernels[k].time.total;
    }
    return time > 0.0 ? sum / time : NAN;
}

/* OF_RANKS: of several ranks only. OF_WORK: of times without waits for messages. */
enum { ON_CPU = 1, ON_GPU = 2, OF_RANKS = 4, OF_WORK = 8 };

/* Good beyond `good`, bad beyond `bad`, a warning between; larger values are better if good > bad.
 */
static const struct {
    const char *name, *unit;
    int devices;
    double good, bad;
    double (*value)(const diagnosis *c);
    double scale; /* of the value, to the unit */
    const char *meaning, *why_unknown;
} rules[] = {
    {"GPU utilisation", "%", ON_GPU, 80.0, 50.0, measure_utilisation, 100.0,
     "share of the window in which at least one kernel, copy or fill ran",
     "no operation of a GPU was recorded"},
    {"core utilisation", "%", ON_CPU | OF_WORK, 80.0, 50.0, measure_utilisation, 100.0,
     "CPU equivalent of GPU utilisation: time that threads worked on stages, divided by the step "
     "time and the number of threads",
     "the profile has no per-thread times"},
    {"kernel duration", "us", ON_GPU, 10.0, 3.0, measure_kernel_time, 1e-3,
     "mean over all launches. Guides give 1 ms and 0.1 ms for launches from Python; these launches "
     "come from C, and a GPU starts a dependent kernel 1 to 3 us after its predecessor",
     "no kernel was recorded"},
    {"host overhead", "%", ON_CPU | ON_GPU, 10.0, 20.0, measure_host_overhead, 100.0,
     "share of the step time in which no stage ran; on a GPU, the gaps between stages on the GPU "
     "clock",
     "no step with operations of its stages was recorded"},
    {"memory bandwidth", "%", ON_CPU | ON_GPU | OF_WORK, 60.0, 40.0, measure_bandwidth, 100.0,
     "bytes of the static cost of the stages, divided by their time and the copy bandwidth of the "
     "memory or cache that serves each",
     "the profile lacks the static costs or times of the stages, or the bandwidth of the device"},
    {"setup time", "s", ON_CPU | ON_GPU, 2.0, 10.0, setup_time, 1e-9,
     "time until the first step; it replaces the compilation time of profiling guides, because a "
     "run compiles nothing",
     "the phases do not contain the setup"},
    {"SM activity, sampled", "%", ON_GPU, 80.0, 50.0, sampled_sm, 1.0,
     "mean of the NVML samples in the window: share of the NVML sampling period in which a kernel "
     "ran",
     "no sample falls into the window"},
    {"occupancy", "%", ON_GPU, 50.0, 25.0, occupancy, 1.0,
     "theoretical occupancy of the kernels, weighted by their time",
     "no kernel with a known occupancy was recorded"},
    {"thread imbalance", "%", ON_CPU | OF_WORK, 10.0, 25.0, imbalance, 100.0,
     "share of the step time that threads waited for the slowest thread of a stage",
     "the profile has no per-thread times"},
    {"thread waiting", "%", ON_CPU | OF_WORK, 10.0, 25.0, waiting, 100.0,
     "share of the step time in which even the slowest thread of a stage was idle: fork and "
     "barrier overhead",
     "the profile has no per-thread times"},
    {"step spread", "%", ON_CPU | ON_GPU, 10.0, 30.0, measure_spread, 100.0,
     "interquartile range of the step time, divided by its median",
     "the window has fewer than two steps with a time"},
    {"tracing overhead", "%", ON_CPU | ON_GPU, 5.0, 20.0, measure_tracing, 100.0,
     "host time of a step in the window over that of the strides before the first window, less 1; "
     "in an eager window it holds what launching stages one by one costs",
     "not reliable: it is negative, or the steps spread more; or the window counted, no stride but "
     "the first of the run precedes it, or the profile is of an earlier version"},
    {"rank imbalance", "%", ON_CPU | ON_GPU | OF_RANKS, 10.0, 30.0, measure_rank_imbalance, 100.0,
     "work of the slowest rank in a step, without its waits for messages, over the mean of the "
     "ranks, less 1",
     "no stage of a step was recorded on the ranks"},
    {"exposed messages", "%", ON_CPU | ON_GPU | OF_RANKS, 5.0, 20.0, measure_exposed, 100.0,
     "share of the stages' time in which ranks wait for messages of other ranks",
     "waits were not recorded, as where NCCL carries the messages"},
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
    const diagnosis c = {pool, report, w, NULL, ""};
    w->indicators = pool_array(pool, RULES, sizeof *w->indicators);
    for (int k = 0; k < RULES && w->indicators != NULL; k++) {
        if ((rules[k].devices & device) == 0 ||
            ((rules[k].devices & OF_RANKS) != 0 && w->ranks.count == 0))
            continue;
        const double value = rules[k].scale * rules[k].value(&c);
        const double good = rules[k].good, bad = rules[k].bad;
        const char *unit = rules[k].unit;
        const bool more = good > bad; /* is better */
        const prof_grade grade = grade_of(value, good, bad);
        w->indicators[w->indicator_count++] = (prof_indicator){
            .name = rules[k].name,
            .value = value,
            .unit = unit,
            .grade = grade,
            .good = pool_text(pool, "%s %g %s", more ? ">" : "<", good, unit),
            .warning = pool_text(pool, "%g-%g %s", fmin(good, bad), fmax(good, bad), unit),
            .bad = pool_text(pool, "%s %g %s", more ? "<" : ">", bad, unit),
            .meaning = pool_text(pool, "%s%s", rules[k].meaning,
                                 (rules[k].devices & OF_WORK) != 0 && w->ranks.count > 0
                                     ? "; waits for messages of other ranks do not count"
                                     : ""),
            .why_unknown = !isnan(value)             ? ""
                           : is_disturbed(report, w) ? "not reliable: threads waited for cores "
                                                       "that others used"
                                                     : rules[k].why_unknown};
    }
}
