/* Answers of the checklist on rates: bandwidth, FLOP rate, roofline, occupancy. */
#include <math.h>
#include <string.h>

#include "report/diagnosis.h"

static const char no_costs[] = "the profile lacks the static costs or reliable times of the stages";

/* Rates of the stages together: of those whose costs are known. */
typedef struct rates {
    double bytes, flops, seconds; /* of a step */
} rates;

static rates rates_of(const prof_report_window *w)
{
    rates sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        if (isnan(s->bandwidth))
            continue;
        sum.bytes += s->bytes * s->calls_per_step;
        sum.flops += s->flops * s->calls_per_step;
        sum.seconds += 1e-9 * s->work * s->calls_per_step;
    }
    return sum;
}

prof_grade check_bandwidth(diagnosis *c)
{
    const double share = measure_bandwidth(c);
    c->text = isnan(share) ? no_costs
                           : pool_text(c->pool, "stages reach %.0f %% of %s", 100.0 * share,
                                       c->window->peaks.bandwidth_is_measured
                                           ? "copies in the memories that serve them"
                                           : "the data-sheet bandwidth");
    return check_grade(c, "memory bandwidth");
}

/* The ridge of the roofline under the memories that serve the stages. */
static double ridge_of(const diagnosis *c)
{
    return c->window->peaks.flops / measure_serving(c);
}

prof_grade check_intensity(diagnosis *c)
{
    const rates sum = rates_of(c->window);
    if (sum.bytes <= 0.0)
        return answer(c, PROF_GRADE_UNKNOWN, "%s", no_costs);
    const double intensity = sum.flops / sum.bytes, ridge = ridge_of(c);
    c->text =
        isnan(ridge)
            ? pool_text(c->pool, "%.2f FLOP/B", intensity)
            : pool_text(c->pool, "%.2f FLOP/B; the ridge of what serves the stages is at %.2f",
                        intensity, ridge);
    return isnan(ridge) ? PROF_GRADE_UNKNOWN : PROF_GRADE_GOOD;
}

prof_grade check_roofline(diagnosis *c)
{
    const prof_report_window *w = c->window;
    double by[PROF_BOUND_LATENCY + 1] = {0.0}, total = 0.0, weighted = 0.0;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        if (isnan(s->fraction))
            continue;
        total += s->total_work;
        weighted += s->total_work * s->fraction;
        by[s->bound] += s->total_work;
    }
    if (total <= 0.0)
        return answer(c, PROF_GRADE_UNKNOWN,
                      "the profile lacks the static costs or reliable times of the stages, or the "
                      "peak rates");
    c->text =
        pool_text(c->pool,
                  "memory-bound %.0f %% of the time, compute-bound %.0f %%, latency-bound %.0f %%; "
                  "at %.0f %% of the roofline",
                  100.0 * by[PROF_BOUND_MEMORY] / total, 100.0 * by[PROF_BOUND_COMPUTE] / total,
                  100.0 * by[PROF_BOUND_LATENCY] / total, 100.0 * weighted / total);
    if (weighted / total > limit_near_peak)
        return PROF_GRADE_GOOD;
    return weighted / total < limit_below_peak ? PROF_GRADE_BAD : PROF_GRADE_WARNING;
}

prof_grade check_throughput(diagnosis *c)
{
    const rates sum = rates_of(c->window);
    if (sum.seconds <= 0.0)
        return answer(c, PROF_GRADE_UNKNOWN, "%s", no_costs);
    return answer(c, check_grade(c, "memory bandwidth"), "%.1f GB/s and %.1f GFLOP/s",
                  1e-9 * sum.bytes / sum.seconds, 1e-9 * sum.flops / sum.seconds);
}

/* A rate and its peak, with the grade of the bandwidth if that peak bounds the stages. */
static prof_grade compare_with_peak(diagnosis *c, double rate, double peak, const char *unit,
                                    bool bounds)
{
    if (isnan(rate))
        return answer(c, PROF_GRADE_UNKNOWN, "%s", no_costs);
    c->text = isnan(peak) ? pool_text(c->pool, "%.1f %s; the peak is unknown", 1e-9 * rate, unit)
                          : pool_text(c->pool, "%.1f of %.1f %s%s", 1e-9 * rate, 1e-9 * peak, unit,
                                      bounds ? "" : "; not the limit of the stages");
    if (isnan(peak))
        return PROF_GRADE_UNKNOWN;
    return bounds ? check_grade(c, "memory bandwidth") : PROF_GRADE_GOOD;
}

/* Whether the stages together are compute-bound. */
static bool is_compute_bound(const diagnosis *c, const rates *sum)
{
    return sum->flops / sum->bytes > ridge_of(c);
}

prof_grade check_memory_rate(diagnosis *c)
{
    const rates sum = rates_of(c->window);
    return compare_with_peak(c, sum.seconds > 0.0 ? sum.bytes / sum.seconds : NAN,
                             measure_serving(c), "GB/s", !is_compute_bound(c, &sum));
}

prof_grade check_flop_rate(diagnosis *c)
{
    const rates sum = rates_of(c->window);
    return compare_with_peak(c, sum.seconds > 0.0 ? sum.flops / sum.seconds : NAN,
                             c->window->peaks.flops, "GFLOP/s", is_compute_bound(c, &sum));
}

prof_grade check_pinned(diagnosis *c)
{
    if (check_no_gpu_data(c))
        return PROF_GRADE_UNKNOWN;
    const transfers moved = measure_transfers(c);
    if (moved.count == 0.0)
        return answer(c, PROF_GRADE_GOOD, "no copies between host and device");
    const double rate = moved.time > 0.0 ? 1e9 * moved.bytes / moved.time : NAN;
    return answer(c, rate < limit_pageable ? PROF_GRADE_WARNING : PROF_GRADE_GOOD,
                  "copies ran at %.1f GB/s", 1e-9 * rate);
}

prof_grade check_size(diagnosis *c)
{
    const prof_report_kernel *k = c->window->kernel_count > 0 ? &c->window->kernels[0] : NULL;
    const prof_rank *rank = c->window->ranks.count > 0 ? &c->window->ranks.each[0] : NULL;
    if (!check_on_gpu(c))
        return answer(c, check_grade(c, "thread waiting"), "%.0f unknowns on %lld threads%s",
                      c->report->unknowns * (rank != NULL ? rank->share : 1.0),
                      (long long)c->report->device.threads, rank != NULL ? " of rank 0" : "");
    if (k == NULL)
        return answer(c, PROF_GRADE_UNKNOWN, "no kernel was recorded");
    const long long blocks = k->grid[0] * k->grid[1] * k->grid[2];
    return answer(c, finding_severity(c->window, pattern_few_blocks),
                  "the largest kernel has %lld blocks for %lld multiprocessors", blocks,
                  (long long)c->report->device.multiprocessors);
}

prof_grade check_precision(diagnosis *c)
{
    return answer(c, PROF_GRADE_GOOD, "%s",
                  strcmp(c->report->precision, "single") == 0
                      ? "no: FP32 throughout, except for the diagnostics"
                      : "no: FP64 throughout; accuracy and conservation are tested in FP64");
}

prof_grade check_occupancy(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const prof_grade grade = check_grade(c, "occupancy");
    if (!check_on_gpu(c))
        return answer(c, grade, "no GPU computed");
    for (int k = 0; k < w->indicator_count; k++)
        if (strcmp(w->indicators[k].name, "occupancy") == 0)
            return grade == PROF_GRADE_UNKNOWN
                       ? answer(c, grade, "%s", w->indicators[k].why_unknown)
                       : answer(c, grade, "%.0f %% theoretical occupancy, weighted by time",
                                w->indicators[k].value);
    return grade;
}
