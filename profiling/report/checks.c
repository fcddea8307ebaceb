/* The checklist: the questions of profiling guides, in their order. */
#include "report/checks.h"

#include <string.h>

#include "report/parts.h"

static const char bottleneck[] = "What is the actual bottleneck?";
static const char busy[] = "Is the device actually busy?";
static const char bound[] = "Is it compute or memory bound?";
static const char easy[] = "Are there easy wins?";
static const char timeline[] = "What does the timeline show?";
static const char kernels[] = "What do the kernels reach?";
static const char analysis[] = "And the tabs of a profile viewer?";

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
    {easy, "compiled, and launched at once?", check_compiled},
    {easy, "data in pinned memory?", check_pinned},
    {easy, "enough work at a time?", check_size},
    {easy, "mixed precision?", check_precision},
    {timeline, "many small launches?", check_launches},
    {timeline, "unexpected transfers?", check_transfers},
    {timeline, "idle gaps?", check_idle},
    {timeline, "do kernels and copies overlap?", check_overlap},
    {kernels, "occupancy?", check_occupancy},
    {kernels, "memory throughput?", check_memory_rate},
    {kernels, "arithmetic throughput?", check_flop_rate},
    {kernels, "position under the roofline?", check_roofline},
    {analysis, "overview: time of a step?", check_step},
    {analysis, "op profile: the largest operations?", check_top},
    {analysis, "operations over 50 ms?", check_long},
    {analysis, "fallback to the CPU?", check_fallback},
    {analysis, "memory profile: peak?", check_peak},
};

enum { QUESTIONS = sizeof questions / sizeof questions[0] };

bool check_on_gpu(const check_case *c)
{
    return c->report->device.is_gpu;
}

bool check_lacks_gpu(check_case *c)
{
    if (c->window->has_gpu && c->window->gpu.ops > 0)
        return false;
    c->text = check_on_gpu(c) ? "no operation of the GPU was recorded" : "no GPU computed";
    return true;
}

prof_grade check_grade(const check_case *c, const char *indicator)
{
    for (int k = 0; k < c->window->indicator_count; k++)
        if (strcmp(c->window->indicators[k].name, indicator) == 0)
            return c->window->indicators[k].grade;
    return PROF_GRADE_UNKNOWN;
}

void derive_checks(pool *pool, const prof_report *report, prof_report_window *w)
{
    w->checks = pool_array(pool, QUESTIONS, sizeof *w->checks);
    for (int k = 0; k < QUESTIONS && w->checks != NULL; k++) {
        check_case c = {pool, report, w, ""};
        const prof_grade grade = questions[k].answer(&c);
        w->checks[w->check_count++] =
            (prof_check){questions[k].group, questions[k].question, c.text, grade};
    }
}
