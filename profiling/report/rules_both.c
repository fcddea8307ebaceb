/* Patterns of any device. */
#include <math.h>

#include "report/findings.h"
#include "report/measures.h"

static const thresholds *const limit = &finding_thresholds;

bool find_dominating_stage(pool *pool, const prof_report *report, const prof_report_window *w,
                           prof_finding *f)
{
    (void)report;
    if (w->stage_count < limit->dominant_stages)
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
bool find_cached(pool *pool, const prof_report *report, const prof_report_window *w,
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
bool find_near_ceiling(pool *pool, const prof_report *report, const prof_report_window *w,
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
    if (total <= 0.0 || !(near > 0.5 * total) || finding_is_told(w, pattern_cached))
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
bool find_below_ceiling(pool *pool, const prof_report *report, const prof_report_window *w,
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
static double seconds_in(const prof_report_window *w, const char *name)
{
    const prof_report_phase *phase = measure_phase(w, name);
    return phase != NULL ? 1e-9 * phase->total : 0.0;
}

bool find_output(pool *pool, const prof_report *report, const prof_report_window *w,
                 prof_finding *f)
{
    int64_t count = 0;
    const double share = measure_output_share(w, &count);
    (void)report;
    if (!(share > limit->output) || count < limit->output_times)
        return false;
    *f = (prof_finding){
        pattern_output, share > limit->output_bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING,
        pool_text(pool,
                  "They took %.0f %% of the run so far without its setup: output %.3f s, "
                  "diagnostics %.3f s, together %lld times.",
                  100.0 * share, seconds_in(w, "output") + seconds_in(w, "output wait"),
                  seconds_in(w, "diagnostics"), (long long)count),
        "Fields are written, or integrals and errors computed, often compared with the time of a "
        "step.",
        "Write less often (output.every, diagnostics.every), fewer variables (output.fields), to a "
        "faster disk."};
    return true;
}

bool find_drops(pool *pool, const prof_report *report, const prof_report_window *w, prof_finding *f)
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
