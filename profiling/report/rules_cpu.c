/* Patterns of a CPU's threads. */
#include <math.h>
#include <string.h>

#include "report/findings.h"
#include "report/measures.h"

static const thresholds *const limit = &finding_thresholds;

bool find_busy_machine(pool *pool, const prof_report *report, const prof_report_window *w,
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

bool find_imbalance(pool *pool, const prof_report *report, const prof_report_window *w,
                    prof_finding *f)
{
    const prof_report_thread *worst = NULL;
    const double lost = measure_imbalance(w, &worst);
    if (worst == NULL || report->device.is_gpu || !(lost > limit->imbalance) ||
        finding_is_told(w, pattern_busy_machine))
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
static double call_of(const prof_report_window *w, const char *name)
{
    for (int k = 0; k < w->stage_count; k++)
        if (strcmp(w->stages[k].name, name) == 0)
            return w->stages[k].host.mean;
    return NAN;
}

bool find_waiting(pool *pool, const prof_report *report, const prof_report_window *w,
                  prof_finding *f)
{
    const prof_report_thread *worst = NULL;
    const double waited = measure_waiting(w, &worst);
    if (worst == NULL || report->device.is_gpu || !(waited > limit->waiting) ||
        finding_is_told(w, pattern_busy_machine))
        return false;
    const double call = call_of(w, worst->stage);
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
