/* The diagnosis: rules that apply to every device, and rules for CPU threads. */
#include "report/diagnosis.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/internal.h"

prof_grade severity_of(double value, double bad)
{
    return value > bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING;
}

bool found(diagnosis *c, const char *pattern, prof_grade severity, const char *cause,
           const char *advice, const char *evidence, ...)
{
    va_list arguments;
    va_start(arguments, evidence);
    *c->finding =
        (prof_finding){pattern, severity, pool_vtext(c->pool, evidence, arguments), cause, advice};
    va_end(arguments);
    return true;
}

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
    return finding != NULL                                 ? finding->severity
           : find_finding(w, pattern_busy_machine) != NULL ? PROF_GRADE_UNKNOWN
                                                           : PROF_GRADE_GOOD;
}

/* ---- any device ---- */

static bool find_dominating_stage(diagnosis *c)
{
    const prof_report_window *w = c->window;
    if (w->stage_count < limit_dominant_min_stages)
        return false;
    const prof_report_stage *s = &w->stages[0]; /* the largest */
    const double working = s->share * (1.0 - s->waits);
    if (!(working > limit_dominant) || s->fraction >= limit_near_peak)
        return false;
    return found(
        c, pattern_dominating, severity_of(working, limit_dominant_bad),
        "The algorithm or the code of this stage is expensive compared with the other stages.",
        "Optimize this stage first: memory access pattern, divisions and square roots, branches, "
        "data layout. On a GPU, profile its kernels with Nsight Compute (tools/ncu-profile).",
        "Stage %s takes %.0f %% of the step: %.1f calls of %.1f us%s.", s->name, 100.0 * s->share,
        s->calls_per_step, 1e-3 * s->call,
        isnan(s->fraction)
            ? ""
            : pool_text(c->pool, ", at %.0f %% of its roofline", 100.0 * s->fraction));
}

/* A stage that a cache serves, or that exceeds the memory bandwidth. Memory does not bound it, nor
 * the other stages, which work on the same fields. Where ranks share a cache its size says nothing.
 */
static bool is_cached(const diagnosis *c, const prof_report_stage *s)
{
    const bool has_cache =
        s->served_by[0] != '\0' && strcmp(s->served_by, "memory") != 0 && !measure_shares_caches(c);
    return has_cache || (s->bound == PROF_BOUND_MEMORY && s->fraction > limit_cached);
}

static bool find_cached(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const prof_report_stage *largest = NULL;
    double cached = 0.0, total = 0.0;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        total += s->total_work;
        if (!is_cached(c, s))
            continue;
        cached += s->total_work;
        if (largest == NULL || s->total_work > largest->total_work)
            largest = s;
    }
    if (largest == NULL || !(cached > limit_cached_share * total))
        return false;
    return found(
        c, pattern_cached, PROF_GRADE_GOOD,
        "Most of the working set stays in the caches. Memory bandwidth does not limit the stages, "
        "so the DRAM roofline does not apply.",
        "Profile a larger grid.n to measure memory-bound performance. At this size, examine "
        "synchronization, launch overhead and instruction throughput.",
        "Caches serve stages with %.0f %% of the time, or these exceed the memory bandwidth: %s "
        "moves %.1f GB/s, %.0f %% of a copy in memory.",
        100.0 * cached / total, largest->name, 1e-9 * largest->bandwidth,
        100.0 * largest->bandwidth / w->peaks.bandwidth);
}

/* The share of the time in stages near a peak, and the kind of that peak for most of them. */
static bool find_near_peak(diagnosis *c)
{
    const prof_report_window *w = c->window;
    double near = 0.0, total = 0.0, memory = 0.0;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        total += s->total_work;
        if (!(s->fraction >= limit_near_peak))
            continue;
        near += s->total_work;
        memory += s->bound == PROF_BOUND_MEMORY ? s->total_work : 0.0;
    }
    if (total <= 0.0 || !(near > 0.5 * total) || finding_exists(w, pattern_cached))
        return false;
    const bool by_memory = memory > 0.5 * near;
    return found(
        c, by_memory ? pattern_near_memory : pattern_near_compute, PROF_GRADE_GOOD,
        by_memory
            ? "The stages are limited by the bandwidth of the memory that serves them and use most "
              "of it. No action is required."
            : pool_text(c->pool,
                        "The stages are limited by the %s rate and use most of it. No action is "
                        "required.",
                        w->peaks.flops_of),
        by_memory ? "To go faster, reduce memory traffic: fuse stages, keep intermediate fields in "
                    "registers or shared memory, recompute instead of loading."
                  : "To go faster, reduce the number of operations.",
        "Stages with %.0f %% of the time reach at least %.0f %% of their roofline; all "
        "stages together reach %.0f %% of copies in the memories that serve them.",
        100.0 * near / total, 100.0 * limit_near_peak, 100.0 * measure_bandwidth(c));
}

/* Low bandwidth is reported only if no earlier finding explains it. */
static bool find_below_peak(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const double slow = measure_slow_share(c, limit_below_peak);
    if (!(slow > limit_below_share) || w->finding_count > 0)
        return false;
    return found(
        c, pattern_below_peak, PROF_GRADE_WARNING,
        "Latency or instruction throughput limits the stages, not bandwidth: too few loads in "
        "flight, non-contiguous accesses, divisions and square roots, or too few threads.",
        "Use more threads or more work per thread, contiguous accesses, fewer divisions. On a GPU, "
        "Nsight Compute reports the stall reasons (tools/ncu-profile).",
        "Stages with %.0f %% of the time are memory-bound by their arithmetic intensity, but "
        "reach less than %.0f %% of the copy bandwidth of the memory that serves them (all stages "
        "together: %.0f %%).",
        100.0 * slow, 100.0 * limit_below_peak, 100.0 * measure_bandwidth(c));
}

/* Time of the whole run in a phase [s]. */
static double phase_seconds(const diagnosis *c, const char *name)
{
    const prof_phase_time *phase = measure_phase(c, name);
    return phase != NULL ? 1e-9 * phase->total : 0.0;
}

static bool find_output(diagnosis *c)
{
    int64_t count = 0;
    const double share = measure_output_share(c, &count);
    if (!(share > limit_output) || count < limit_output_count)
        return false;
    return found(
        c, pattern_output, severity_of(share, limit_output_bad),
        "Fields are written, or integrals and errors are computed, too often relative to the time "
        "of a step.",
        "Write less often (output.every, diagnostics.every), write fewer variables "
        "(output.fields), or use a faster disk.",
        "Output and diagnostics used %.0f %% of the run time so far, setup excluded: "
        "output %.3f s, diagnostics %.3f s, together %lld times.",
        100.0 * share, phase_seconds(c, "output") + phase_seconds(c, "output wait"),
        phase_seconds(c, "diagnostics"), (long long)count);
}

static bool find_drops(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const prof_drops *d = &w->drops;
    int ranks = 0; /* other ranks that lost records */
    double lost = 0.0;
    for (int k = 1; k < w->ranks.each_count; k++) {
        ranks += w->ranks.each[k].dropped > 0;
        lost += (double)w->ranks.each[k].dropped;
    }
    if (d->spans + d->ops + d->records + d->rejected == 0 && ranks == 0)
        return false;
    return found(
        c, pattern_drops, PROF_GRADE_WARNING,
        "The window has more events than profile.max_events, or than the CUPTI buffers can hold.",
        "Profile fewer steps (profile.duration) or raise profile.max_events. Totals of this window "
        "are too small.",
        "%lld regions, %lld operations and calls, and %lld CUPTI records were dropped; "
        "%lld records were rejected.%s",
        (long long)d->spans, (long long)d->ops, (long long)d->records, (long long)d->rejected,
        ranks == 0 ? ""
                   : pool_text(c->pool, " Of the other ranks, %d lost %.0f records.", ranks, lost));
}

/* ---- threads of a CPU ---- */

static bool find_busy_machine(diagnosis *c)
{
    const thread_counts counts = measure_counts(c);
    const double share = counts.on_core / counts.time, waited = c->window->tracing.waited;
    const bool is_bad = share < limit_on_core_bad || waited > 1.0 - limit_on_core_bad;
    if (!is_disturbed(c->report, c->window))
        return false;
    return found(
        c, pattern_busy_machine, is_bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING,
        "Other processes compete for the cores, or there are more threads than cores.",
        pool_text(c->pool,
                  "Use dedicated cores (taskset, or the binding of the batch system)%s. Times in "
                  "this profile include the interference: no ratio and no grade rests on them.",
                  c->report->device.threads > 1
                      ? " and at most as many --threads as there are free cores"
                      : ""),
        "%s",
        counts.time > 0.0
            ? pool_text(c->pool,
                        "Threads were scheduled on a core for %.0f %% of their work time (%.3f ms "
                        "of %.3f ms), with %.0f context switches.",
                        100.0 * share, 1e-6 * counts.on_core, 1e-6 * counts.time, counts.switches)
            : pool_text(c->pool, "Threads waited %.3f ms for cores in the %.3f ms of the window.",
                        1e-6 * waited * c->window->duration, 1e-6 * c->window->duration));
}

static bool find_imbalance(diagnosis *c)
{
    const prof_report_thread *worst = NULL;
    const double lost = measure_imbalance(c, &worst);
    if (worst == NULL || c->report->device.is_gpu || !(lost > limit_imbalance))
        return false;
    return found(
        c, pattern_imbalance, severity_of(lost, limit_imbalance_bad),
        "The work of a stage is divided unevenly, or another process occasionally occupies one of "
        "the cores.",
        "Choose a number of threads that divides the panel rows (6 x grid.n); use dedicated cores "
        "(taskset) on an idle machine.",
        "Threads waited for the slowest thread during %.0f %% of the step time; the largest "
        "share is in stage %s, where the slowest thread worked %.2f times the mean.",
        100.0 * lost, worst->stage, worst->imbalance);
}

static bool find_waiting(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const prof_report_thread *worst = NULL;
    const double waited = measure_waiting(c, &worst);
    if (worst == NULL || c->report->device.is_gpu || !(waited > limit_waiting))
        return false;
    /* means: medians would hide bursts of waiting */
    const prof_report_stage *s = stage_named(w, worst->stage);
    const double working = 1.0 - s->waits, call = working * s->host.mean;
    const bool is_short = call < limit_short_stage;
    return found(
        c, pattern_waiting, severity_of(waited, limit_waiting_bad),
        is_short ? "The stages are so short that the fork and the barrier of each parallel region "
                   "use much of their time."
                 : "Threads are not scheduled when a stage begins: other processes use the cores, "
                   "or there are more threads than cores.",
        is_short
            ? "Use fewer threads (--threads) or more work per thread (a larger grid.n). Set "
              "OMP_WAIT_POLICY=active if the cores are dedicated."
            : "Use dedicated cores (taskset, or the binding of the batch system) and at most as "
              "many --threads as there are free cores.",
        "All threads were idle within stages during %.0f %% of the step time; the largest "
        "share is in stage %s: of its %.1f us (mean%s) the slowest thread worked %.0f %%.",
        100.0 * waited, worst->stage, 1e-3 * call,
        s->waits > 0.0 ? ", without waits for messages" : "",
        100.0 * worst->share_of_stage / working);
}

/* ---- all rules ---- */

/* A grade that no finding explains: the diagnosis names it. */
static bool find_unexplained(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const char *names = "";
    for (int k = 0; k < w->finding_count; k++)
        if (w->findings[k].severity != PROF_GRADE_GOOD)
            return false;
    for (int k = 0; k < w->indicator_count; k++)
        if (w->indicators[k].grade == PROF_GRADE_BAD)
            names = pool_text(c->pool, "%s%s%s %.1f %s", names, names[0] != '\0' ? ", " : "",
                              w->indicators[k].name, w->indicators[k].value, w->indicators[k].unit);
    return names[0] != '\0' &&
           found(c, pattern_unexplained, PROF_GRADE_BAD, "No rule of the diagnosis explains them.",
                 "Read their meaning, and compare with a run of another size or number of threads.",
                 "Bad indicators: %s.", names);
}

/* In order of precedence: a rule may skip its pattern when an earlier one explains it. */
static finding_rule *const rules[] = {
    find_host_bound,       find_idle_gaps,       find_copies,           find_small_kernels,
    find_few_blocks,       find_low_occupancy,   find_spills,           find_busy_machine,
    find_imbalance,        find_waiting,         find_rank_imbalance,   find_exposed,
    find_dominating_stage, find_below_peak,      find_output,           find_drops,
    find_clocks,           find_cached,          find_near_peak,        find_more_traffic,
    find_less_traffic,     find_more_operations, find_fewer_operations, find_unexplained};

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
    for (int k = 0; k < RULES && w->findings != NULL; k++) {
        diagnosis c = {pool, report, w, &w->findings[w->finding_count], ""};
        const bool is_of_times = rules[k] != find_drops && rules[k] != find_clocks;
        if (is_of_times && finding_exists(w, pattern_busy_machine))
            continue;
        if (rules[k](&c))
            w->finding_count++;
    }
    sort_findings(w->findings, w->finding_count);
}
