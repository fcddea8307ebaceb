/* The diagnosis: patterns, thresholds, rules that apply to every device and those for CPU threads.
 */
#include "report/findings.h"

#include <math.h>
#include <string.h>

#include "report/internal.h"
#include "report/measures.h"

const char pattern_host_bound[] = "Host-bound: launch overhead";
const char pattern_idle_gaps[] = "GPU idle gaps";
const char pattern_copies[] = "Large copies between host and GPU";
const char pattern_small_kernels[] = "Many small kernels";
const char pattern_few_blocks[] = "Grids too small for the GPU";
const char pattern_low_occupancy[] = "Low occupancy";
const char pattern_spills[] = "Register spills";
const char pattern_busy_machine[] = "CPU cores shared with other work";
const char pattern_imbalance[] = "Thread imbalance";
const char pattern_waiting[] = "Fork and barrier overhead";
const char pattern_dominating[] = "One stage dominates";
const char pattern_below_peak[] = "Memory-bound, far below peak bandwidth";
const char pattern_cached[] = "Working set fits in the caches";
const char pattern_near_memory[] = "Memory-bound, near peak bandwidth";
const char pattern_near_compute[] = "Compute-bound, near peak FLOP rate";
const char pattern_output[] = "Output and diagnostics are expensive";
const char pattern_drops[] = "Dropped profiler records";
const char pattern_more_traffic[] = "More memory traffic than the static cost";
const char pattern_less_traffic[] = "Less memory traffic than the static cost";
const char pattern_more_operations[] = "More operations than the static cost";
const char pattern_fewer_operations[] = "Fewer operations than the static cost";

const thresholds finding_thresholds = {
    .idle = 0.20,
    .idle_bad = 0.50,
    .launch_share = 0.50,
    .kernel_small = 5e3,
    .small_launches = 0.50,
    .small_time = 0.25,
    .copies = 0.10,
    .copies_bad = 0.25,
    .pageable = 8e9,
    .dominant = 0.50,
    .dominant_bad = 0.75,
    .dominant_min_stages = 3,
    .near_peak = 0.60,
    .cached = 1.25,
    .cached_share = 0.10,
    .below_peak = 0.40,
    .below_share = 0.50,
    .occupancy = 50.0,
    .occupancy_bad = 25.0,
    .occupancy_share = 0.10,
    .few_blocks_share = 0.50,
    .spill_share = 0.01,
    .spill_share_bad = 0.25,
    .imbalance = 0.10,
    .imbalance_bad = 0.25,
    .waiting = 0.10,
    .waiting_bad = 0.25,
    .short_stage = 100e3,
    .on_core = 0.90,
    .on_core_bad = 0.70,
    .output = 0.15,
    .output_bad = 0.40,
    .output_count = 3,
    .counter_tolerance = 0.10,
    .excess_traffic_bad = 0.50,
    .counter_min_share = 0.02,
};

static const thresholds *const limit = &finding_thresholds;

static const prof_finding *find_finding(const prof_report_window *w, const char *pattern)
{
    for (int k = 0; k < w->finding_count; k++)
        if (strcmp(w->findings[k].pattern, pattern) == 0)
            return &w->findings[k];
    return NULL;
}

bool finding_exists(const prof_report_window *w, const char *pattern)
{
    return find_finding(w, pattern) != NULL;
}

prof_grade finding_severity(const prof_report_window *w, const char *pattern)
{
    const prof_finding *finding = find_finding(w, pattern);
    return finding != NULL ? finding->severity : PROF_GRADE_GOOD;
}

/* ---- any device ---- */

static bool find_dominating_stage(pool *pool, const prof_report *report,
                                  const prof_report_window *w, prof_finding *f)
{
    (void)report;
    if (w->stage_count < limit->dominant_min_stages)
        return false;
    const prof_report_stage *s = &w->stages[0]; /* the largest */
    if (!(s->share > limit->dominant) || s->fraction >= limit->near_peak)
        return false;
    *f = (prof_finding){
        pattern_dominating, s->share > limit->dominant_bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING,
        pool_text(pool, "Stage %s takes %.0f %% of the step: %.1f calls of %.1f us%s.", s->name,
                  100.0 * s->share, s->calls_per_step, 1e-3 * s->call,
                  isnan(s->fraction)
                      ? ""
                      : pool_text(pool, ", at %.0f %% of its roofline", 100.0 * s->fraction)),
        "The algorithm or the code of this stage is expensive compared with the other stages.",
        "Optimize this stage first: memory access pattern, divisions and square roots, branches, "
        "data layout. On a GPU, profile its kernels with Nsight Compute (tools/ncu-profile)."};
    return true;
}

/* What moves faster than memory can is not bound by it, though its intensity says so; nor are the
 * other stages, which work on the same fields. */
static bool find_cached(pool *pool, const prof_report *report, const prof_report_window *w,
                        prof_finding *f)
{
    const prof_report_stage *fastest = NULL;
    double cached = 0.0, total = 0.0;
    (void)report;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        total += s->total;
        if (s->bound != PROF_BOUND_MEMORY || !(s->fraction > limit->cached))
            continue;
        cached += s->total;
        if (fastest == NULL || s->fraction > fastest->fraction)
            fastest = s;
    }
    if (fastest == NULL || !(cached > limit->cached_share * total))
        return false;
    *f = (prof_finding){
        pattern_cached, PROF_GRADE_GOOD,
        pool_text(pool,
                  "Stages with %.0f %% of the time exceed the memory bandwidth: %s reaches %.0f %% "
                  "of the copy bandwidth, all stages together reach %.0f %%.",
                  100.0 * cached / total, fastest->name, 100.0 * fastest->fraction,
                  100.0 * measure_bandwidth(w)),
        "Most of the working set stays in the caches. Memory bandwidth does not limit the stages, "
        "so the DRAM roofline does not apply.",
        "Profile a larger grid.n to measure memory-bound performance. At this size, examine "
        "synchronization, launch overhead and instruction throughput."};
    return true;
}

/* Stages by their time: the share that a peak bounds closely, and of which kind most are. */
static bool find_near_peak(pool *pool, const prof_report *report, const prof_report_window *w,
                           prof_finding *f)
{
    double near = 0.0, total = 0.0, memory = 0.0;
    (void)report;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        total += s->total;
        if (!(s->fraction >= limit->near_peak))
            continue;
        near += s->total;
        memory += s->bound == PROF_BOUND_MEMORY ? s->total : 0.0;
    }
    if (total <= 0.0 || !(near > 0.5 * total) || finding_exists(w, pattern_cached))
        return false;
    const bool by_memory = memory > 0.5 * near;
    *f = (prof_finding){
        by_memory ? pattern_near_memory : pattern_near_compute, PROF_GRADE_GOOD,
        pool_text(pool,
                  "Stages with %.0f %% of the time reach at least %.0f %% of their roofline; all "
                  "stages together reach %.0f %% of the copy bandwidth.",
                  100.0 * near / total, 100.0 * limit->near_peak, 100.0 * measure_bandwidth(w)),
        by_memory
            ? "The stages are limited by memory bandwidth and use most of it. No action is "
              "required."
            : "The stages are limited by the FP64 rate and use most of it. No action is required.",
        by_memory ? "To go faster, reduce memory traffic: fuse stages, keep intermediate fields in "
                    "registers or shared memory, recompute instead of loading."
                  : "To go faster, reduce the number of operations."};
    return true;
}

/* Low bandwidth is reported only if no earlier finding explains it. */
static bool find_below_peak(pool *pool, const prof_report *report, const prof_report_window *w,
                            prof_finding *f)
{
    const double slow = measure_slow_share(w, limit->below_peak);
    (void)report;
    if (!(slow > limit->below_share) || w->finding_count > 0)
        return false;
    *f = (prof_finding){
        pattern_below_peak, PROF_GRADE_WARNING,
        pool_text(
            pool,
            "Stages with %.0f %% of the time are memory-bound by their arithmetic intensity, but "
            "reach less than %.0f %% of the copy bandwidth (all stages together: %.0f %%).",
            100.0 * slow, 100.0 * limit->below_peak, 100.0 * measure_bandwidth(w)),
        "Latency or instruction throughput limits the stages, not bandwidth: too few loads in "
        "flight, non-contiguous accesses, divisions and square roots, or too few threads.",
        "Use more threads or more work per thread, contiguous accesses, fewer divisions. On a GPU, "
        "Nsight Compute reports the stall reasons (tools/ncu-profile)."};
    return true;
}

/* Time of the whole run in a phase [s]. */
static double phase_seconds(const prof_report_window *w, const char *name)
{
    const prof_report_phase *phase = measure_phase(w, name);
    return phase != NULL ? 1e-9 * phase->total : 0.0;
}

static bool find_output(pool *pool, const prof_report *report, const prof_report_window *w,
                        prof_finding *f)
{
    int64_t count = 0;
    const double share = measure_output_share(w, &count);
    (void)report;
    if (!(share > limit->output) || count < limit->output_count)
        return false;
    *f = (prof_finding){
        pattern_output, share > limit->output_bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING,
        pool_text(pool,
                  "Output and diagnostics used %.0f %% of the run time so far, setup excluded: "
                  "output %.3f s, diagnostics %.3f s, together %lld times.",
                  100.0 * share, phase_seconds(w, "output") + phase_seconds(w, "output wait"),
                  phase_seconds(w, "diagnostics"), (long long)count),
        "Fields are written, or integrals and errors are computed, too often relative to the time "
        "of a step.",
        "Write less often (output.every, diagnostics.every), write fewer variables "
        "(output.fields), or use a faster disk."};
    return true;
}

static bool find_drops(pool *pool, const prof_report *report, const prof_report_window *w,
                       prof_finding *f)
{
    const prof_drops *d = &w->drops;
    (void)report;
    if (d->spans + d->ops + d->records + d->rejected == 0)
        return false;
    *f = (prof_finding){
        pattern_drops, PROF_GRADE_WARNING,
        pool_text(pool,
                  "%lld regions, %lld operations and calls, and %lld CUPTI records were dropped; "
                  "%lld records were rejected.",
                  (long long)d->spans, (long long)d->ops, (long long)d->records,
                  (long long)d->rejected),
        "The window has more events than profile.max_events, or than the CUPTI buffers can hold.",
        "Profile fewer steps (profile.duration) or raise profile.max_events. Totals of this window "
        "are too small."};
    return true;
}

/* ---- threads of a CPU ---- */

static bool find_busy_machine(pool *pool, const prof_report *report, const prof_report_window *w,
                              prof_finding *f)
{
    const thread_counts counts = measure_counts(w);
    const double share = counts.on_core / counts.time;
    if (counts.time <= 0.0 || report->device.is_gpu || !(share < limit->on_core))
        return false;
    *f = (prof_finding){
        pattern_busy_machine, share < limit->on_core_bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING,
        pool_text(pool,
                  "Threads were scheduled on a core for %.0f %% of their work time (%.3f ms of "
                  "%.3f ms), with %.0f context switches.",
                  100.0 * share, 1e-6 * counts.on_core, 1e-6 * counts.time, counts.switches),
        "Other processes compete for the cores, or there are more threads than cores.",
        "Use dedicated cores (taskset, or the binding of the batch system) and at most as many "
        "--threads as there are free cores. Times in this profile include the interference."};
    return true;
}

static bool find_imbalance(pool *pool, const prof_report *report, const prof_report_window *w,
                           prof_finding *f)
{
    const prof_report_thread *worst = NULL;
    const double lost = measure_imbalance(w, &worst);
    if (worst == NULL || report->device.is_gpu || !(lost > limit->imbalance) ||
        finding_exists(w, pattern_busy_machine))
        return false;
    *f = (prof_finding){
        pattern_imbalance, lost > limit->imbalance_bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING,
        pool_text(
            pool,
            "Threads waited for the slowest thread during %.0f %% of the step time; the largest "
            "share is in stage %s, where the slowest thread worked %.2f times the mean.",
            100.0 * lost, worst->stage, worst->imbalance),
        "The work of a stage is divided unevenly, or another process occasionally occupies one of "
        "the cores.",
        "Choose a number of threads that divides the panel rows (6 x grid.n); use dedicated cores "
        "(taskset) on an idle machine."};
    return true;
}

/* Mean time of a call of a stage, ns: the median would hide that waiting comes in bursts. */
static double mean_call_time(const prof_report_window *w, const char *name)
{
    for (int k = 0; k < w->stage_count; k++)
        if (strcmp(w->stages[k].name, name) == 0)
            return w->stages[k].host.mean;
    return NAN;
}

static bool find_waiting(pool *pool, const prof_report *report, const prof_report_window *w,
                         prof_finding *f)
{
    const prof_report_thread *worst = NULL;
    const double waited = measure_waiting(w, &worst);
    if (worst == NULL || report->device.is_gpu || !(waited > limit->waiting) ||
        finding_exists(w, pattern_busy_machine))
        return false;
    const double call = mean_call_time(w, worst->stage);
    const bool is_short = call < limit->short_stage;
    *f = (prof_finding){
        pattern_waiting, waited > limit->waiting_bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING,
        pool_text(
            pool,
            "All threads were idle within stages during %.0f %% of the step time; the largest "
            "share is in stage %s: of its %.1f us (mean) the slowest thread worked %.0f %%.",
            100.0 * waited, worst->stage, 1e-3 * call, 100.0 * worst->share_of_stage),
        is_short ? "The stages are so short that the fork and the barrier of each parallel region "
                   "use much of their time."
                 : "Threads are not scheduled when a stage begins: other processes use the cores, "
                   "or there are more threads than cores.",
        is_short
            ? "Use fewer threads (--threads) or more work per thread (a larger grid.n). Set "
              "OMP_WAIT_POLICY=active if the cores are dedicated."
            : "Use dedicated cores (taskset, or the binding of the batch system) and at most as "
              "many --threads as there are free cores; use --threads auto on a shared machine."};
    return true;
}

/* ---- all rules ---- */

/* In order of precedence: a rule may skip its pattern when an earlier one explains it. */
static finding_rule *const rules[] = {
    find_host_bound,   find_idle_gaps,     find_copies,           find_small_kernels,
    find_few_blocks,   find_low_occupancy, find_spills,           find_busy_machine,
    find_imbalance,    find_waiting,       find_dominating_stage, find_below_peak,
    find_output,       find_drops,         find_cached,           find_near_peak,
    find_more_traffic, find_less_traffic,  find_more_operations,  find_fewer_operations};

enum { RULES = sizeof rules / sizeof rules[0] };

/* Bad ones first; of one severity, in the rules' order. */
static void sort_findings(prof_finding *findings, int count)
{
    for (int k = 1; findings != NULL && k < count; k++)
        for (int j = k; j > 0 && findings[j].severity > findings[j - 1].severity; j--) {
            const prof_finding swapped = findings[j];
            findings[j] = findings[j - 1];
            findings[j - 1] = swapped;
        }
}

void derive_findings(pool *pool, const prof_report *report, prof_report_window *w)
{
    w->findings = pool_array(pool, RULES, sizeof *w->findings);
    for (int k = 0; k < RULES && w->findings != NULL; k++)
        if (rules[k](pool, report, w, &w->findings[w->finding_count]))
            w->finding_count++;
    sort_findings(w->findings, w->finding_count);
}
