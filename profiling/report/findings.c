/* The diagnosis: every rule, one after the other. */
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
const char pattern_busy_machine[] = "Busy machine";
const char pattern_imbalance[] = "Thread imbalance";
const char pattern_waiting[] = "Threads wait to begin and to meet";
const char pattern_dominating[] = "One stage dominates";
const char pattern_below_ceiling[] = "Memory-bound, below the ceiling";
const char pattern_cached[] = "Served by caches";
const char pattern_near_memory[] = "Memory-bound, near the ceiling";
const char pattern_near_compute[] = "Compute-bound, near the ceiling";
const char pattern_output[] = "Output and diagnostics take long";
const char pattern_drops[] = "Dropped records";
const char pattern_more_traffic[] = "More memory traffic than the formulas say";
const char pattern_less_traffic[] = "Less memory traffic than the formulas say";
const char pattern_more_operations[] = "More operations than the formulas say";
const char pattern_fewer_operations[] = "Fewer operations than the formulas say";

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
    .near_ceiling = 0.60,
    .cached = 1.25,
    .cached_share = 0.10,
    .below_ceiling = 0.40,
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
    if (!(s->share > limit->dominant) || s->fraction >= limit->near_ceiling)
        return false;
    *f = (prof_finding){
        pattern_dominating, s->share > limit->dominant_bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING,
        pool_text(pool, "Stage %s takes %.0f %% of the step: %.1f calls of %.1f us%s.", s->name,
                  100.0 * s->share, s->calls_per_step, 1e-3 * s->call,
                  isnan(s->fraction)
                      ? ""
                      : pool_text(pool, ", at %.0f %% of its ceiling", 100.0 * s->fraction)),
        "Its algorithm or code is slow, compared with the other stages.",
        "Look at this stage first: its accesses, divisions and roots, branches, layout; on a GPU "
        "its kernels with ncu (tools/ncu-profile)."};
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
                  "Stages with %.0f %% of the time move more than memory could: %s %.0f %% of the "
                  "bandwidth of a copy, all together %.0f %%.",
                  100.0 * cached / total, fastest->name, 100.0 * fastest->fraction,
                  100.0 * measure_bandwidth(w)),
        "The fields, or much of them, lie in the caches: memory does not bound the stages, and the "
        "roofline tells little of them.",
        "A larger grid.n shows what memory costs. At this size, look at what threads or launches "
        "wait for, and at instructions."};
    return true;
}

/* Stages by their time: the share that a ceiling bounds closely, and of which kind most are. */
static bool find_near_ceiling(pool *pool, const prof_report *report, const prof_report_window *w,
                              prof_finding *f)
{
    double near = 0.0, total = 0.0, memory = 0.0;
    (void)report;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        total += s->total;
        if (!(s->fraction >= limit->near_ceiling))
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
                  "Stages with %.0f %% of the time reach at least %.0f %% of the ceiling that "
                  "bounds them; all together move %.0f %% of the bandwidth of a copy.",
                  100.0 * near / total, 100.0 * limit->near_ceiling, 100.0 * measure_bandwidth(w)),
        by_memory ? "The stages move their data as fast as the device can: this is healthy."
                  : "The stages compute as fast as the device can: this is healthy.",
        by_memory ? "Only moving less makes it faster: fuse stages, keep intermediate fields on "
                    "the chip, recompute instead of loading."
                  : "Only computing less makes it faster."};
    return true;
}

/* Poor bandwidth is told where nothing else explains it. */
static bool find_below_ceiling(pool *pool, const prof_report *report, const prof_report_window *w,
                               prof_finding *f)
{
    const double slow = measure_slow_share(w, limit->below_ceiling);
    (void)report;
    if (!(slow > limit->below_share) || w->finding_count > 0)
        return false;
    *f = (prof_finding){
        pattern_below_ceiling, PROF_GRADE_WARNING,
        pool_text(pool,
                  "Stages with %.0f %% of the time are bound by memory at their intensity, but "
                  "move less than %.0f %% of the bandwidth of a copy (all together %.0f %%).",
                  100.0 * slow, 100.0 * limit->below_ceiling, 100.0 * measure_bandwidth(w)),
        "Latency or instructions bound them, not bandwidth: too few loads in flight, accesses "
        "that are not contiguous, divisions and roots, or too few threads.",
        "More threads, or more work for each of them; contiguous accesses; fewer divisions. On a "
        "GPU, ncu tells the stalls (tools/ncu-profile)."};
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
                  "They took %.0f %% of the run so far without its setup: output %.3f s, "
                  "diagnostics %.3f s, together %lld times.",
                  100.0 * share, phase_seconds(w, "output") + phase_seconds(w, "output wait"),
                  phase_seconds(w, "diagnostics"), (long long)count),
        "Fields are written, or integrals and errors computed, often compared with the time of a "
        "step.",
        "Write less often (output.every, diagnostics.every), fewer variables (output.fields), to a "
        "faster disk."};
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
                  "%lld regions, %lld operations and calls, and %lld records of CUPTI were not "
                  "kept, %lld were rejected.",
                  (long long)d->spans, (long long)d->ops, (long long)d->records,
                  (long long)d->rejected),
        "The window has more events than profile.max_events, or than CUPTI's buffers held.",
        "Fewer steps in a window (profile.duration), or more room (profile.max_events). Sums of "
        "this window are too small."};
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
                  "Threads were on a core in %.0f %% of the time that their work took (%.3f ms of "
                  "%.3f ms), and left it %.0f times.",
                  100.0 * share, 1e-6 * counts.on_core, 1e-6 * counts.time, counts.switches),
        "Other processes, or more threads than there are cores, take turns with the solver.",
        "Run on cores of its own (taskset, a batch system's binding), with --threads at most the "
        "number of free cores. Times of this profile are not those of the solver alone."};
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
        pool_text(pool,
                  "Threads waited %.0f %% of the steps for the one that worked longest; most in "
                  "stage %s, where that one worked %.2f times the mean.",
                  100.0 * lost, worst->stage, worst->imbalance),
        "Threads do not share a stage evenly, or something else has one of their cores now and "
        "then.",
        "A number of threads that divides the rows of the panels (6 x grid.n); cores of its own "
        "(taskset); a machine without other work."};
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
            "In %.0f %% of the steps not even the thread that works longest was at work; most "
            "in stage %s, of whose %.1f us (mean) it worked %.0f %%.",
            100.0 * waited, worst->stage, 1e-3 * call, 100.0 * worst->share_of_stage),
        is_short ? "Stages are so short that beginning and ending them on all threads takes much "
                   "of their time."
                 : "Threads do not get a core when a stage begins: other processes have it, or "
                   "there are more threads than cores.",
        is_short ? "Fewer threads (--threads), or more work for each (a larger grid.n); "
                   "OMP_WAIT_POLICY=active where no other work shares the cores."
                 : "Cores of its own (taskset, a batch system's binding), --threads at most the "
                   "number of free ones; --threads auto on a machine with other work."};
    return true;
}

/* ---- all rules ---- */

/* What explains others comes before them. */
static finding_rule *const rules[] = {
    find_host_bound,   find_idle_gaps,     find_copies,           find_small_kernels,
    find_few_blocks,   find_low_occupancy, find_spills,           find_busy_machine,
    find_imbalance,    find_waiting,       find_dominating_stage, find_below_ceiling,
    find_output,       find_drops,         find_cached,           find_near_ceiling,
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
