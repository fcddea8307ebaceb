/* The checklist: the standard questions of profiling guides, and answers on the distribution of the
 * time. */
#include "report/diagnosis.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report/internal.h"

prof_grade answer(diagnosis *c, prof_grade grade, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    c->text = pool_vtext(c->pool, format, arguments);
    va_end(arguments);
    return grade;
}

bool check_on_gpu(const diagnosis *c)
{
    return c->report->device.is_gpu;
}

bool check_no_gpu_data(diagnosis *c)
{
    if (c->window->has_gpu && c->window->gpu.ops > 0)
        return false;
    c->text = check_on_gpu(c) ? "no operation of the GPU was recorded" : "no GPU computed";
    return true;
}

prof_grade check_grade(const diagnosis *c, const char *indicator)
{
    for (int k = 0; k < c->window->indicator_count; k++)
        if (strcmp(c->window->indicators[k].name, indicator) == 0)
            return c->window->indicators[k].grade;
    return PROF_GRADE_UNKNOWN;
}

/* ---- distribution of the time ---- */

static prof_grade check_preparation(diagnosis *c)
{
    const prof_phase_time *setup = measure_phase(c, "setup");
    if (setup == NULL)
        return answer(c, PROF_GRADE_UNKNOWN, "the phases do not contain the setup");
    return answer(c, check_grade(c, "setup time"),
                  "setup: %.3f s, once; no preparation between steps", 1e-9 * setup->total);
}

static prof_grade check_transfers(diagnosis *c)
{
    if (check_no_gpu_data(c))
        return PROF_GRADE_UNKNOWN;
    const transfers moved = measure_transfers(c);
    return answer(c, finding_severity(c->window, pattern_copies),
                  "copies between host and device: %.0f, %.1f MB, %.1f %% of the window",
                  moved.count, 1e-6 * moved.bytes, 100.0 * moved.time / c->window->duration);
}

static prof_grade check_largest(diagnosis *c)
{
    const prof_report_stage *s = c->window->stages;
    if (c->window->stage_count == 0 || isnan(s->share))
        return answer(c, PROF_GRADE_UNKNOWN, "%s",
                      c->window->stage_count == 0 ? "no stage was recorded"
                                                  : "the stages' time on the GPU was not recorded");
    return answer(c, finding_severity(c->window, pattern_dominating),
                  "the largest stage is %s, %.0f %% of the step", s->name, 100.0 * s->share);
}

static prof_grade check_allocation(diagnosis *c)
{
    const prof_report_memory *m = &c->window->memory;
    const int64_t blocks = m->allocated.blocks + m->released.blocks + m->untracked.blocks;
    if (blocks == 0)
        return answer(c, PROF_GRADE_GOOD, "no allocation and no release within the window");
    return answer(c, m->allocated.blocks >= c->window->steps ? PROF_GRADE_WARNING : PROF_GRADE_GOOD,
                  "%lld blocks allocated (%.1f MB), %lld released, %lld by libraries",
                  (long long)m->allocated.blocks, 1e-6 * m->allocated.bytes,
                  (long long)m->released.blocks, (long long)m->untracked.blocks);
}

static prof_grade check_synchronisation(diagnosis *c)
{
    double waits = 0.0;
    if (check_on_gpu(c)) {
        if (check_no_gpu_data(c))
            return PROF_GRADE_UNKNOWN;
        const double time = measure_calls(c, "synchronize", "", &waits);
        return answer(c, waits > (double)c->window->steps ? PROF_GRADE_WARNING : PROF_GRADE_GOOD,
                      "the host waited for the GPU %.0f times in %lld steps, %.3f ms", waits,
                      (long long)c->window->steps, 1e-6 * time);
    }
    const double uneven = measure_imbalance(c, NULL);
    const double waiting = measure_waiting(c, NULL);
    if (isnan(uneven))
        return answer(c, PROF_GRADE_UNKNOWN, "the profile has no reliable per-thread times");
    const prof_grade a = check_grade(c, "thread imbalance"), b = check_grade(c, "thread waiting");
    return answer(c, a > b ? a : b,
                  "threads lost %.1f %% of the step time to imbalance, %.1f %% to fork and barrier",
                  100.0 * uneven, 100.0 * waiting);
}

static prof_grade check_activity(diagnosis *c)
{
    const double share = measure_utilisation(c);
    const prof_report_quantity *sm = &c->window->gpu.sm;
    if (isnan(share))
        return answer(c, PROF_GRADE_UNKNOWN, "%s",
                      check_on_gpu(c) ? "no operation of the GPU was recorded"
                                      : "the profile has no per-thread times");
    const prof_grade grade =
        check_grade(c, check_on_gpu(c) ? "GPU utilisation" : "core utilisation");
    if (!check_on_gpu(c))
        return answer(c, grade, "%lld threads worked on stages for %.0f %% of the step time%s",
                      (long long)c->report->device.threads, 100.0 * share,
                      c->window->ranks.count > 0 ? " without waits for messages" : "");
    if (sm->count > 0)
        return answer(c, grade, "busy for %.0f %% of the window; NVML samples: %.0f %%",
                      100.0 * share, sm->mean);
    return answer(c, grade, "busy for %.0f %% of the window", 100.0 * share);
}

static prof_grade check_idle(diagnosis *c)
{
    const double overhead = measure_host_overhead(c);
    if (!check_on_gpu(c) && !isnan(overhead))
        return answer(c, check_grade(c, "host overhead"),
                      "no stage ran for %.1f %% of the step time", 100.0 * overhead);
    if (check_no_gpu_data(c))
        return PROF_GRADE_UNKNOWN;
    return answer(c, check_grade(c, "GPU utilisation"),
                  "the GPU was idle for %.1f %% of the window", 100.0 * c->window->gpu.idle_share);
}

static prof_grade check_compiled(diagnosis *c)
{
    double launches = 0.0, graphs = 0.0;
    if (!check_on_gpu(c))
        return answer(c, PROF_GRADE_GOOD,
                      "all code is compiled ahead of time, for several instruction sets");
    if (check_no_gpu_data(c))
        return PROF_GRADE_UNKNOWN;
    measure_calls(c, "runtime", "Launch", &launches);
    measure_calls(c, "runtime", "GraphLaunch", &graphs);
    return answer(c, finding_severity(c->window, pattern_host_bound),
                  "kernels are compiled ahead of time; %lld operations from %.0f launches, "
                  "%.0f of them CUDA graphs",
                  (long long)c->window->gpu.ops, launches, graphs);
}

static prof_grade check_launches(diagnosis *c)
{
    if (check_no_gpu_data(c))
        return PROF_GRADE_UNKNOWN;
    return answer(c, finding_severity(c->window, pattern_small_kernels),
                  "%.0f kernels a step, %.1f us each on average", measure_kernels_per_step(c),
                  1e-3 * measure_kernel_time(c));
}

/* Concurrency: total time of all operations over the busy time. */
static prof_grade check_overlap(diagnosis *c)
{
    double sum = 0.0;
    if (check_no_gpu_data(c))
        return PROF_GRADE_UNKNOWN;
    for (int k = 0; k < c->window->kernel_count; k++)
        sum += c->window->kernels[k].time.total;
    for (int k = 0; k < c->window->copy_count; k++)
        sum += c->window->copies[k].time.total;
    const double beside =
        c->window->gpu.busy > 0.0 ? fmax(sum / c->window->gpu.busy - 1.0, 0.0) : 0.0;
    return answer(c, PROF_GRADE_GOOD,
                  "operations overlapped for %.1f %% of the busy time; the stages of a step "
                  "depend on each other",
                  100.0 * beside);
}

static prof_grade check_step(diagnosis *c)
{
    const prof_spread *s = check_on_gpu(c) ? &c->window->step_gpu : &c->window->step_host;
    const prof_grade grade = check_grade(c, "step spread");
    if (s->count == 0)
        return answer(c, grade, "no step with a time was recorded");
    if (s->count == 1 || isnan(measure_spread(c)))
        return answer(c, grade, "%.1f us, %s", 1e-3 * s->median,
                      s->count == 1 ? "of one step" : "not reliable");
    return answer(c, grade, "%.1f us (median); interquartile range %.0f %%", 1e-3 * s->median,
                  100.0 * measure_spread(c));
}

static prof_grade check_top(diagnosis *c)
{
    const char *text = "by their share: ";
    if (c->window->stage_count > 0 && isnan(c->window->stages[0].share))
        return answer(c, PROF_GRADE_UNKNOWN, "the stages' time on the GPU was not recorded");
    for (int k = 0; k < c->window->stage_count && k < 5; k++)
        text = pool_text(c->pool, "%s%s%s %.0f %%", text, k > 0 ? ", " : "",
                         c->window->stages[k].name, 100.0 * c->window->stages[k].share);
    return answer(c,
                  c->window->stage_count > 0 ? finding_severity(c->window, pattern_dominating)
                                             : PROF_GRADE_UNKNOWN,
                  "%s", c->window->stage_count > 0 ? text : "no stage was recorded");
}

static prof_grade check_long(diagnosis *c)
{
    double longest = NAN;
    const char *name = "";
    for (int k = 0; k < c->window->stage_count; k++) {
        const prof_report_stage *s = &c->window->stages[k];
        const double time = check_on_gpu(c) ? s->gpu.max : s->host.max;
        if (isnan(longest) || time > longest) {
            longest = time;
            name = s->name;
        }
    }
    if (isnan(longest))
        return answer(c, PROF_GRADE_UNKNOWN, "no stage was recorded");
    return answer(c, longest > 50e6 ? PROF_GRADE_WARNING : PROF_GRADE_GOOD,
                  "%s; the longest operation, in stage %s: %.3f ms",
                  longest > 50e6 ? "yes" : "none", name, 1e-6 * longest);
}

static prof_grade check_fallback(diagnosis *c)
{
    int idle = 0;
    for (int k = 0; k < c->window->stage_count; k++)
        idle += c->window->stages[k].gpu.count == 0;
    if (!check_on_gpu(c))
        return answer(c, PROF_GRADE_GOOD, "the run used the CPU backend");
    if (check_no_gpu_data(c))
        return PROF_GRADE_UNKNOWN;
    c->text = idle == 0 ? "none: every stage ran on the GPU"
                        : pool_text(c->pool, "%d stages have no operation on the GPU", idle);
    return idle == 0 ? PROF_GRADE_GOOD : PROF_GRADE_WARNING;
}

static prof_grade check_peak(diagnosis *c)
{
    const prof_report_memory *m = &c->window->memory;
    const double size = c->report->device.memory_size;
    c->text = isnan(size) ? pool_text(c->pool, "%.1f MB at most", 1e-6 * m->peak)
                          : pool_text(c->pool, "%.1f MB at most, %.2f %% of the device's memory",
                                      1e-6 * m->peak, 100.0 * m->peak / size);
    return m->peak > 0.9 * size ? PROF_GRADE_WARNING : PROF_GRADE_GOOD;
}

/* ---- ranks ---- */

static prof_grade check_even(diagnosis *c)
{
    const prof_rank *slowest = measure_slowest_rank(c);
    const double excess = measure_rank_imbalance(c);
    if (slowest == NULL || isnan(excess))
        return answer(c, PROF_GRADE_UNKNOWN, "no stage of a step was recorded on the ranks");
    return answer(c, check_grade(c, "rank imbalance"),
                  "the slowest, rank %lld on %s, works %.2f times the mean",
                  (long long)slowest->rank, slowest->host, 1.0 + excess);
}

static prof_grade check_hidden(diagnosis *c)
{
    const double share = measure_exposed(c);
    if (isnan(share))
        return answer(c, PROF_GRADE_UNKNOWN, "the waits for messages were not recorded");
    return answer(c, check_grade(c, "exposed messages"),
                  "ranks wait for messages in %.1f %% of their stages' time", 100.0 * share);
}

/* ---- the list ---- */

static const char bottleneck[] = "What is the actual bottleneck?";
static const char busy[] = "Is the device actually busy?";
static const char bound[] = "Is it compute or memory bound?";
static const char easy[] = "Are there simple optimizations?";
static const char timeline[] = "What does the timeline show?";
static const char kernels[] = "What do the kernels reach?";
static const char ranks[] = "Do the ranks work together?"; /* several ranks only */
static const char analysis[] = "What do the standard profiler views show?";

static const struct {
    const char *group, *question;
    check_answer *answer;
} questions[] = {
    {bottleneck, "preparation on the CPU?", check_preparation},
    {bottleneck, "loading or moving data?", check_transfers},
    {bottleneck, "a specific kernel?", check_largest},
    {bottleneck, "memory allocation?", check_allocation},
    {bottleneck, "synchronisation?", check_synchronisation},
    {busy, "utilisation of the processors?", check_activity},
    {busy, "utilisation of the memory bandwidth?", check_bandwidth},
    {busy, "idle gaps?", check_idle},
    {bound, "arithmetic intensity?", check_intensity},
    {bound, "position under the roofline?", check_roofline},
    {bound, "throughput of memory and arithmetic?", check_throughput},
    {easy, "compiled ahead, few launches?", check_compiled},
    {easy, "data in pinned memory?", check_pinned},
    {easy, "enough parallel work?", check_size},
    {easy, "mixed precision?", check_precision},
    {timeline, "many small launches?", check_launches},
    {timeline, "unexpected transfers?", check_transfers},
    {timeline, "idle gaps?", check_idle},
    {timeline, "do kernels and copies overlap?", check_overlap},
    {kernels, "occupancy?", check_occupancy},
    {kernels, "memory throughput?", check_memory_rate},
    {kernels, "arithmetic throughput?", check_flop_rate},
    {kernels, "position under the roofline?", check_roofline},
    {ranks, "do they work evenly?", check_even},
    {ranks, "do messages hide behind work?", check_hidden},
    {analysis, "overview: time of a step?", check_step},
    {analysis, "op profile: the largest operations?", check_top},
    {analysis, "operations over 50 ms?", check_long},
    {analysis, "fallback to the CPU?", check_fallback},
    {analysis, "memory profile: peak?", check_peak},
};

enum { QUESTIONS = sizeof questions / sizeof questions[0] };

void derive_checks(pool *pool, const prof_report *report, prof_report_window *w)
{
    w->checks = pool_array(pool, QUESTIONS, sizeof *w->checks);
    for (int k = 0; k < QUESTIONS && w->checks != NULL; k++) {
        diagnosis c = {pool, report, w, NULL, ""};
        if (questions[k].group == ranks && w->ranks.count == 0)
            continue;
        const prof_grade grade = questions[k].answer(&c);
        w->checks[w->check_count++] =
            (prof_check){questions[k].group, questions[k].question, c.text, grade};
    }
}
