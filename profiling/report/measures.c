#include "report/diagnosis.h"

#include <math.h>
#include <string.h>

#include "base/samples.h"
#include "report/internal.h"

bool is_disturbed(const prof_report *report, const prof_report_window *w)
{
    const diagnosis c = {.report = report, .window = w};
    const thread_counts counts = measure_counts(&c);
    return !report->device.is_gpu &&
           (swe_doubt_of_waits(w->tracing.waited) != NULL ||
            (counts.time > 0.0 && counts.on_core < limit_on_core * counts.time));
}

/* Whether the times of threads are known and reliable. */
static bool has_threads(const diagnosis *c)
{
    return c->window->thread_count > 0 && !is_disturbed(c->report, c->window);
}

double measure_utilisation(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    double worked = 0.0, waits = 0.0;
    if (c->report->device.is_gpu)
        return w->has_gpu && w->gpu.ops > 0 ? 1.0 - w->gpu.idle_share : NAN;
    for (int k = 0; k < w->thread_count; k++)
        worked += w->threads[k].time.total;
    for (int k = 0; k < w->stage_count; k++) /* for messages, within the stages */
        waits += w->stages[k].total - w->stages[k].total_work;
    return has_threads(c) && c->report->device.threads > 0
               ? worked / ((double)c->report->device.threads * (w->step_host.total - waits))
               : NAN;
}

/* Time of a stage's calls on the GPU, in profiles of earlier versions. */
static double projected_total(const prof_report_window *w, const char *stage)
{
    for (int k = 0; k < w->region_count; k++)
        if (strcmp(w->regions[k].kind, "stage") == 0 && strcmp(w->regions[k].name, stage) == 0 &&
            w->regions[k].gpu.count > 0)
            return w->regions[k].gpu.total;
    return 0.0;
}

double measure_host_overhead(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    double stages = 0.0;
    if (!c->report->device.is_gpu)
        return w->stage_count > 0 && !is_disturbed(c->report, w) ? w->other_share : NAN;
    for (int k = 0; k < w->stage_count; k++)
        stages += w->stages[k].calls.count > 0 ? w->stages[k].calls.total
                                               : projected_total(w, w->stages[k].name);
    return w->step_gpu.count > 0 && stages > 0.0 ? fmax(1.0 - stages / w->step_gpu.total, 0.0)
                                                 : NAN;
}

double measure_kernel_time(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    double total = 0.0, count = 0.0;
    for (int k = 0; k < w->kernel_count; k++) {
        total += w->kernels[k].time.total;
        count += (double)w->kernels[k].time.count;
    }
    return count > 0.0 ? total / count : NAN;
}

double measure_kernels_per_step(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    double ops = 0.0;
    for (int64_t k = 0; k < w->step_count; k++)
        ops += (double)w->each[k].gpu_ops;
    return ops > 0.0 ? ops / (double)w->step_count : NAN;
}

double measure_byte_rate(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    double bytes = 0.0, time = 0.0;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        if (isnan(s->bandwidth))
            continue;
        bytes += s->bytes * s->calls_per_step;
        time += s->work * s->calls_per_step;
    }
    return time > 0.0 ? 1e9 * bytes / time : NAN;
}

double measure_serving(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    double bytes = 0.0, time = 0.0;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        if (isnan(s->bandwidth))
            continue;
        bytes += s->bytes * s->calls_per_step;
        time += s->bytes * s->calls_per_step / s->serving;
    }
    return time > 0.0 ? bytes / time : w->peaks.bandwidth;
}

double measure_bandwidth(const diagnosis *c)
{
    return measure_byte_rate(c) / measure_serving(c);
}

double measure_slow_share(const diagnosis *c, double fraction)
{
    const prof_report_window *w = c->window;
    double slow = 0.0, total = 0.0;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        total += s->total_work;
        if (s->bound == PROF_BOUND_MEMORY && s->fraction < fraction)
            slow += s->total_work;
    }
    return total > 0.0 ? slow / total : NAN;
}

const prof_phase_time *measure_phase(const diagnosis *c, const char *name)
{
    const prof_report_window *w = c->window;
    for (int k = 0; k < w->phase_count; k++)
        if (strcmp(w->phases[k].name, name) == 0)
            return &w->phases[k];
    return NULL;
}

double measure_output_share(const diagnosis *c, int64_t *count)
{
    const prof_report_window *w = c->window;
    double output = 0.0, all = 0.0;
    *count = 0;
    for (int k = 0; k < w->phase_count; k++) {
        const prof_phase_time *phase = &w->phases[k];
        if (strcmp(phase->name, "setup") == 0)
            continue;
        all += phase->total;
        const bool waits = strcmp(phase->name, "output wait") == 0; /* a part of an output */
        if (waits || strcmp(phase->name, "output") == 0 ||
            strcmp(phase->name, "diagnostics") == 0) {
            output += phase->total;
            *count += waits ? 0 : phase->count;
        }
    }
    return all > 0.0 ? output / all : NAN;
}

static void set_worst(const prof_report_thread **worst, const prof_report_thread *thread)
{
    if (worst != NULL)
        *worst = thread;
}

double measure_imbalance(const diagnosis *c, const prof_report_thread **worst)
{
    const prof_report_window *w = c->window;
    double lost = 0.0, most = 0.0;
    set_worst(worst, NULL);
    for (int k = 0; k < w->thread_count; k++) {
        const prof_report_thread *t = &w->threads[k];
        if (k > 0 && strcmp(t->stage, t[-1].stage) == 0)
            continue; /* the first thread represents the stage */
        const prof_report_stage *s = stage_named(w, t->stage);
        const double works = s != NULL ? s->share * (1.0 - s->waits) : 0.0; /* share of the step */
        const double here = works * (1.0 - 1.0 / t->imbalance);
        lost += here;
        if (here > most) {
            most = here;
            set_worst(worst, t);
        }
    }
    return has_threads(c) ? lost : NAN;
}

double measure_waiting(const diagnosis *c, const prof_report_thread **worst)
{
    const prof_report_window *w = c->window;
    double waited = 0.0, most = 0.0;
    set_worst(worst, NULL);
    for (int k = 0; k < w->thread_count;) {
        const prof_report_thread *first = &w->threads[k], *longest = first;
        for (; k < w->thread_count && strcmp(w->threads[k].stage, first->stage) == 0; k++)
            if (w->threads[k].share_of_stage > longest->share_of_stage)
                longest = &w->threads[k];
        /* share of the step in which the stage works and its longest thread does not */
        const prof_report_stage *s = stage_named(w, longest->stage);
        const double here =
            s != NULL ? s->share * fmax(1.0 - s->waits - longest->share_of_stage, 0.0) : 0.0;
        waited += here;
        if (here > most) {
            most = here;
            set_worst(worst, longest);
        }
    }
    return has_threads(c) ? waited : NAN;
}

thread_counts measure_counts(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    thread_counts sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < w->thread_count; k++) {
        const prof_report_thread *t = &w->threads[k];
        if (t->counters[PROF_COUNTER_task_clock] < 0)
            continue;
        sum.time += t->time.total;
        sum.on_core += (double)t->counters[PROF_COUNTER_task_clock];
        if (t->counters[PROF_COUNTER_context_switches] > 0)
            sum.switches += (double)t->counters[PROF_COUNTER_context_switches];
    }
    return sum;
}

transfers measure_transfers(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    transfers sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < w->copy_count; k++) {
        const prof_report_copy *copy = &w->copies[k];
        if (strstr(copy->operation, "Host") == NULL)
            continue;
        sum.time += copy->time.total;
        sum.bytes += copy->bytes.total;
        sum.count += (double)copy->time.count;
    }
    return sum;
}

double measure_calls(const diagnosis *c, const char *kind, const char *word, double *count)
{
    const prof_report_window *w = c->window;
    double time = 0.0;
    *count = 0.0;
    for (int k = 0; k < w->call_count; k++) {
        const prof_report_call *call = &w->calls[k];
        if (strcmp(call->kind, kind) != 0 || strstr(call->name, word) == NULL)
            continue;
        time += call->time.total;
        *count += (double)call->time.count;
    }
    return time;
}

double measure_tracing(const diagnosis *c)
{
    const double overhead = c->window->tracing.ratio - 1.0, spread = measure_spread(c);
    const bool is_noise = fabs(overhead) > limit_tracing && (overhead < 0.0 || overhead < spread);
    return is_noise || is_disturbed(c->report, c->window) ? NAN : overhead;
}

double measure_spread(const diagnosis *c)
{
    const prof_report_window *w = c->window;
    const prof_spread *s = c->report->device.is_gpu ? &w->step_gpu : &w->step_host;
    return s->count > 1 && s->median > 0.0 && !is_disturbed(c->report, w)
               ? (s->high - s->low) / s->median
               : NAN;
}

const prof_rank *measure_slowest_rank(const diagnosis *c)
{
    const prof_report_ranks *ranks = &c->window->ranks;
    const prof_rank *slowest = NULL;
    for (int k = 0; k < ranks->each_count; k++)
        if (isfinite(ranks->each[k].work) &&
            (slowest == NULL || ranks->each[k].work > slowest->work))
            slowest = &ranks->each[k];
    return slowest;
}

double measure_rank_imbalance(const diagnosis *c)
{
    return c->window->ranks.imbalance - 1.0;
}

bool measure_shares_caches(const diagnosis *c)
{
    const prof_report_ranks *ranks = &c->window->ranks;
    for (int k = 1; k < ranks->each_count && !c->report->device.is_gpu; k++)
        if (strcmp(ranks->each[k].host, ranks->each[0].host) == 0)
            return true;
    return false;
}

double measure_exposed(const diagnosis *c)
{
    return c->window->ranks.exposed_share;
}
