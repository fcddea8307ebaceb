/* Patterns of what the GPU counted beside what the formulas say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/internal.h"
#include "report/findings.h"

static const thresholds *const limit = &finding_thresholds;

bool counters_differ(const prof_cost_check *pair)
{
    return fabs(pair->ratio - 1.0) > limit->counter_tolerance;
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
               "--backend cuda --profile=counters).";
    if (strcmp(w->mode, "counters") == 0)
        return "The static cost of the stages was not checked against counters in this run: "
               "nothing could be counted, and the warnings say why.";
    return "The static cost of the stages was not checked against counters in this run. Another "
           "run counts memory traffic and operations of every stage: cubeswe run CASE.yaml "
           "--backend cuda --profile=counters.";
}

void counters_verdict(const prof_report_window *w, char text[COUNTERS_VERDICT_SIZE])
{
    int compared = 0;
    for (int k = 0; k < w->counters.stage_count; k++)
        compared += isfinite(w->counters.stages[k].bytes.ratio) ||
                    isfinite(w->counters.stages[k].flops.ratio);
    const int differing = counters_count_differing(w);
    const double percent = 100.0 * limit->counter_tolerance;
    if (compared == 0)
        snprintf(text, COUNTERS_VERDICT_SIZE,
                 "Nothing that was counted has a formula to be compared with.");
    else if (differing == 0)
        snprintf(text, COUNTERS_VERDICT_SIZE,
                 "The static cost of all %d stages agrees with the counters within %.0f %%.",
                 compared, percent);
    else
        snprintf(text, COUNTERS_VERDICT_SIZE,
                 "The static cost of %d of %d stages differs from the counters by more than %.0f "
                 "%%; the diagnosis names the likely reasons.",
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
            by < limit->counter_min_share * found.whole)
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

static const char *traffic_evidence(pool *pool, const difference *d, const char *way)
{
    const prof_stage_counters *most = d->most;
    return pool_text(
        pool,
        "%d of %d stages moved %s to and from device memory than their formulas say, by more than "
        "%.0f %% and %.0f %% of a step's: %.3f MB instead of %.3f MB in a step. Most in %s: %.3f "
        "MB instead of %.3f MB a "
        "call (%.2f times)%s.",
        d->count, d->compared, way, 100.0 * limit->counter_tolerance,
        100.0 * limit->counter_min_share, 1e-6 * d->counted, 1e-6 * d->formula, most->stage,
        1e-6 * most->bytes.counted, 1e-6 * most->bytes.formula, most->bytes.ratio,
        isnan(most->l2_bytes)
            ? ""
            : pool_text(pool, ", and asked L2 for %.3f MB", 1e-6 * most->l2_bytes));
}

/* L2 is asked for what misses in L1: beside it stands what the formulas say. */
static double l2_ratio(const prof_stage_counters *stage)
{
    return stage->l2_bytes / stage->bytes.formula;
}

bool find_more_traffic(pool *pool, const prof_report *report, const prof_report_window *w,
                       prof_finding *f)
{
    (void)report;
    const difference d = find_difference(w, bytes_of, true);
    if (d.most == NULL)
        return false;
    const bool asked_more = l2_ratio(d.most) > 1.0 + limit->counter_tolerance;
    const bool writes = d.most->written_bytes > d.most->read_bytes;
    *f = (prof_finding){
        pattern_more_traffic,
        d.counted - d.formula > limit->excess_traffic_bad * d.whole ? PROF_GRADE_BAD
                                                                    : PROF_GRADE_WARNING,
        traffic_evidence(pool, &d, "more"),
        asked_more ? "Values are asked for more than once and do not stay in the caches until "
                     "then: neighbours' rows are loaded again, parts of 32-byte sectors and the "
                     "padding of rows are moved with them, or registers spill."
        : writes   ? "The caches do not ask for more than the formulas say, and most of it is "
                     "written: lines that stages before it left in L2 are written back while it "
                     "runs, or lines are written in parts and read for that."
                   : "The caches do not ask for more than the formulas say, and most of it is "
                     "read: whole sectors of 32 bytes are fetched for parts of them, padding of "
                     "rows among them.",
        "Blocks wider along the rows; rows that are marched over with their neighbours in "
        "registers or shared memory; fewer arrays in one kernel. ncu tells the sectors of each "
        "request (tools/ncu-profile)."};
    return true;
}

bool find_less_traffic(pool *pool, const prof_report *report, const prof_report_window *w,
                       prof_finding *f)
{
    (void)report;
    const difference d = find_difference(w, bytes_of, false);
    if (d.most == NULL)
        return false;
    const double asked = l2_ratio(d.most);
    *f = (prof_finding){
        pattern_less_traffic, PROF_GRADE_GOOD, traffic_evidence(pool, &d, "less"),
        isnan(asked) ? "L2 probably holds what stages pass to each other: at this size it need not "
                       "go to memory."
        : asked < 1.0 - limit->counter_tolerance
            ? "Not even L2 was asked for all of it: the stage does not touch every value that its "
              "formulas count, or L1 serves some."
            : "L2 was asked for all of it and had it: at this size what stages pass to each other "
              "stays there.",
        "For the traffic of large cases profile a larger grid.n, with fields of several times L2. "
        "Here the rates and shares of a ceiling by formulas are not those of device memory, and "
        "may be above 100 %."};
    return true;
}

static const char *operations_evidence(pool *pool, const difference *d, const char *way)
{
    return pool_text(
        pool,
        "%d of %d stages did %s FP64 operations than their formulas say, by more than %.0f %% and "
        "%.0f %% of a step's: %.3f MFLOP instead of %.3f MFLOP in a step. Most in %s: %.3f MFLOP "
        "instead of %.3f MFLOP "
        "a call (%.2f times), at %.2f FLOP/B.",
        d->count, d->compared, way, 100.0 * limit->counter_tolerance,
        100.0 * limit->counter_min_share, 1e-6 * d->counted, 1e-6 * d->formula, d->most->stage,
        1e-6 * d->most->flops.counted, 1e-6 * d->most->flops.formula, d->most->flops.ratio,
        d->most->intensity);
}

bool find_more_operations(pool *pool, const prof_report *report, const prof_report_window *w,
                          prof_finding *f)
{
    (void)report;
    const difference d = find_difference(w, flops_of, true);
    if (d.most == NULL)
        return false;
    const bool costs = d.most->bound == PROF_BOUND_COMPUTE;
    *f = (prof_finding){
        pattern_more_operations, costs ? PROF_GRADE_WARNING : PROF_GRADE_GOOD,
        operations_evidence(pool, &d, "more"),
        "A division or a root is one operation by the formulas and about ten instructions on a "
        "GPU; and every thread computes anew what only constants go into, which the formulas leave "
        "out (repeated_operations of cubeswe info --kernels --json).",
        costs ? "Arithmetic bounds the stage: keep reciprocals, pass products of constants as "
                "arguments, take fewer roots."
              : "Nothing as long as memory bounds the stage: its operations cost no time then."};
    return true;
}

bool find_fewer_operations(pool *pool, const prof_report *report, const prof_report_window *w,
                           prof_finding *f)
{
    (void)report;
    const difference d = find_difference(w, flops_of, false);
    if (d.most == NULL)
        return false;
    *f = (prof_finding){
        pattern_fewer_operations, PROF_GRADE_GOOD, operations_evidence(pool, &d, "fewer"),
        "The compiler left out what weights of zero and one make needless, and computes once what "
        "the formulas have twice; or the stage does less than its formulas count.",
        "Rates by formulas are above those of the FP64 units here. If the difference is large, "
        "look at the stage's cost in solver/stages/cost.h."};
    return true;
}
