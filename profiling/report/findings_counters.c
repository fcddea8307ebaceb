/* Rules of the diagnosis that compare GPU counters with the static cost of the stages. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/internal.h"
#include "report/diagnosis.h"

bool counters_differ(const prof_cost_check *pair)
{
    return fabs(pair->ratio - 1.0) > limit_counter_tolerance;
}

int counters_count_differing(const prof_report_window *w)
{
    int count = 0;
    for (int k = 0; k < w->counters.stage_count; k++)
        count += counters_differ(&w->counters.stages[k].bytes) ||
                 counters_differ(&w->counters.stages[k].flops);
    return count;
}

const char *counters_missing_reason(const prof_report *report, const prof_report_window *w)
{
    if (!report->device.is_gpu)
        return "The static cost of the stages was not checked against counters in this run: memory "
               "traffic and operations of a stage are counted on GPUs only (cubeswe run CASE.yaml "
               "--backend cuda --profile=full).";
    if (strcmp(w->mode, "counters") == 0 || strcmp(w->mode, "full") == 0)
        return "The static cost of the stages was not checked against counters in this run: "
               "no counter could be read; the warnings give the reason.";
    return "The static cost of the stages was not checked against counters in this run. To count "
           "memory traffic and operations of every stage: cubeswe run CASE.yaml "
           "--backend cuda --profile=full.";
}

void counters_verdict(const prof_report_window *w, char text[COUNTERS_VERDICT_SIZE])
{
    int compared = 0;
    for (int k = 0; k < w->counters.stage_count; k++)
        compared += isfinite(w->counters.stages[k].bytes.ratio) ||
                    isfinite(w->counters.stages[k].flops.ratio);
    const int differing = counters_count_differing(w);
    const double percent = 100.0 * limit_counter_tolerance;
    if (compared == 0)
        snprintf(text, COUNTERS_VERDICT_SIZE,
                 "None of the counted stages has a static cost to compare with.");
    else if (differing == 0)
        snprintf(text, COUNTERS_VERDICT_SIZE,
                 "The static cost of all %d stages agrees with the counters within %.0f %%.",
                 compared, percent);
    else
        snprintf(text, COUNTERS_VERDICT_SIZE,
                 "The static cost of %d of %d stages differs from the counters by more than %.0f "
                 "%%; the diagnosis gives likely reasons.",
                 differing, compared, percent);
}

typedef const prof_cost_check *pair_function(const prof_stage_counters *stage);

static const prof_cost_check *bytes_of(const prof_stage_counters *stage)
{
    return &stage->bytes;
}

static const prof_cost_check *flops_of(const prof_stage_counters *stage)
{
    return &stage->flops;
}

/* Stages that differ in one way: sums over a step, and the one that differs most in a step. */
typedef struct difference {
    const prof_stage_counters *most;
    int count, compared; /* stages that differ; that were counted and have a formula */
    double formula, counted;
    double whole; /* of all that were compared, by the formulas */
} difference;

static double per_step(const prof_stage_counters *stage, double per_call)
{
    return (double)stage->calls * per_call;
}

static difference find_difference(const prof_report_window *w, pair_function *of, bool more)
{
    difference found = {NULL, 0, 0, 0.0, 0.0, 0.0};
    double largest = 0.0;
    for (int k = 0; k < w->counters.stage_count; k++) {
        const prof_stage_counters *stage = &w->counters.stages[k];
        if (isnan(of(stage)->ratio))
            continue;
        found.compared++;
        found.whole += per_step(stage, of(stage)->formula);
    }
    for (int k = 0; k < w->counters.stage_count; k++) {
        const prof_stage_counters *stage = &w->counters.stages[k];
        const prof_cost_check *pair = of(stage);
        const double by = per_step(stage, fabs(pair->counted - pair->formula));
        if (!counters_differ(pair) || (pair->ratio > 1.0) != more ||
            by < limit_counter_min_share * found.whole)
            continue;
        found.count++;
        found.formula += per_step(stage, pair->formula);
        found.counted += per_step(stage, pair->counted);
        if (by > largest) {
            largest = by;
            found.most = stage;
        }
    }
    return found;
}

static const char *traffic_evidence(const diagnosis *c, const difference *d, const char *way)
{
    const prof_stage_counters *most = d->most;
    return pool_text(
        c->pool,
        "%d of %d stages moved %s DRAM bytes than their static cost, by more than %.0f %% of the "
        "stage and %.0f %% of the step: %.3f MB instead of %.3f MB a step. The largest difference "
        "is in %s: %.3f MB instead of %.3f MB a call (%.2f times)%s.",
        d->count, d->compared, way, 100.0 * limit_counter_tolerance,
        100.0 * limit_counter_min_share, 1e-6 * d->counted, 1e-6 * d->formula, most->stage,
        1e-6 * most->bytes.counted, 1e-6 * most->bytes.formula, most->bytes.ratio,
        isnan(most->l2_bytes)
            ? ""
            : pool_text(c->pool, ", with %.3f MB requested from L2", 1e-6 * most->l2_bytes));
}

/* Requests to L2 over the static cost; L1 misses cause these requests. */
static double l2_ratio(const prof_stage_counters *stage)
{
    return stage->l2_bytes / stage->bytes.formula;
}

bool find_more_traffic(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const difference d = find_difference(w, bytes_of, true);
    if (d.most == NULL)
        return false;
    const bool requests_more = l2_ratio(d.most) > 1.0 + limit_counter_tolerance;
    const bool writes = d.most->written_bytes > d.most->read_bytes;
    return found(
        c, pattern_more_traffic,
        d.counted - d.formula > limit_excess_traffic_bad * d.whole ? PROF_GRADE_BAD
                                                                   : PROF_GRADE_WARNING,
        requests_more
            ? "Values are requested more than once and are evicted from the caches in "
              "between: neighbouring rows are loaded again, partly used 32-byte sectors and "
              "row padding are transferred, or registers spill."
        : writes
            ? "L2 requests agree with the static cost, and most of the traffic is writes: dirty "
              "lines of earlier stages are written back from L2 during this stage, or partial "
              "writes require a read of the line."
            : "L2 requests agree with the static cost, and most of the traffic is reads: whole "
              "32-byte sectors are fetched although only a part, or row padding, is needed.",
        "Use blocks that are wider along the rows, keep neighbouring rows in registers or shared "
        "memory, or read fewer arrays in one kernel. Nsight Compute reports the sectors per "
        "request (tools/ncu-profile).",
        "%s", traffic_evidence(c, &d, "more"));
}

bool find_less_traffic(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const difference d = find_difference(w, bytes_of, false);
    if (d.most == NULL)
        return false;
    const double requested = l2_ratio(d.most);
    return found(
        c, pattern_less_traffic, PROF_GRADE_GOOD,
        isnan(requested)
            ? "The fields exchanged between stages probably stay in L2 at this grid size."
        : requested < 1.0 - limit_counter_tolerance
            ? "L2 requests are also below the static cost: the stage does not access every value "
              "that the cost includes, or L1 hits cover some."
            : "L2 requests agree with the static cost and hit in L2: the fields exchanged between "
              "stages stay there at this grid size.",
        "Profile a larger grid.n, with fields several times the size of L2, to measure DRAM "
        "traffic. At this size, bandwidths from static costs are not DRAM bandwidths and may "
        "exceed 100 % of the peak.",
        "%s", traffic_evidence(c, &d, "less"));
}

static const char *operations_evidence(const diagnosis *c, const difference *d, const char *way)
{
    return pool_text(c->pool,
                     "%d of %d stages executed %s FP64 operations than their static cost, by more "
                     "than %.0f %% of the stage and %.0f %% of the step: %.3f MFLOP instead of "
                     "%.3f MFLOP a step. The largest difference is in %s: %.3f MFLOP instead of "
                     "%.3f MFLOP a call (%.2f times), at %.2f FLOP/B.",
                     d->count, d->compared, way, 100.0 * limit_counter_tolerance,
                     100.0 * limit_counter_min_share, 1e-6 * d->counted, 1e-6 * d->formula,
                     d->most->stage, 1e-6 * d->most->flops.counted, 1e-6 * d->most->flops.formula,
                     d->most->flops.ratio, d->most->intensity);
}

bool find_more_operations(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const difference d = find_difference(w, flops_of, true);
    if (d.most == NULL)
        return false;
    const bool costs = d.most->bound == PROF_BOUND_COMPUTE;
    return found(
        c, pattern_more_operations, costs ? PROF_GRADE_WARNING : PROF_GRADE_GOOD,
        "The static cost counts a division or a square root as one operation; a GPU executes about "
        "ten instructions. Every thread also recomputes constant expressions, which the static "
        "cost excludes (repeated_operations of cubeswe info --kernels --json).",
        costs ? "The stage is compute-bound: store reciprocals, pass products of constants as "
                "arguments, use fewer square roots."
              : "No action is required while the stage is memory-bound: the extra operations cost "
                "no time.",
        "%s", operations_evidence(c, &d, "more"));
}

bool find_fewer_operations(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const difference d = find_difference(w, flops_of, false);
    if (d.most == NULL)
        return false;
    return found(
        c, pattern_fewer_operations, PROF_GRADE_GOOD,
        "The compiler removed multiplications by zero and one and merged common subexpressions, or "
        "the stage executes less than its static cost.",
        "FLOP rates from static costs exceed the rates of the FP64 units here. If the difference "
        "is large, check the cost of the stage in solver/stages/cost.h.",
        "%s", operations_evidence(c, &d, "fewer"));
}
