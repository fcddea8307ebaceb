/* The tables of the text. */
#include <math.h>
#include <string.h>

#include "report/internal.h"
#include "report/text.h"

/* Rows of the tables that may be long. */
enum { MAX_ROWS = 10 };

static void print_remaining(const text_page *page, int count)
{
    if (count > MAX_ROWS)
        fprintf(page->out, "(%d more)\n", count - MAX_ROWS);
}

void text_windows(const text_page *page, const prof_report *report)
{
    if (report->window_count < 2)
        return;
    text_heading(page, "Windows");
    fputs("first step    steps   step, us  quartiles, us       findings\n", page->out);
    for (int k = 0; k < report->window_count; k++) {
        const prof_report_window *w = &report->windows[k];
        const prof_spread *s = report->device.is_gpu ? &w->step_gpu : &w->step_host;
        int troubles = 0;
        for (int f = 0; f < w->finding_count; f++)
            troubles += w->findings[f].severity != PROF_GRADE_GOOD;
        fprintf(page->out, "%10lld %8lld ", (long long)w->first_step, (long long)w->steps);
        text_number(page, 1e-3 * w->step, 1, 10);
        text_number(page, 1e-3 * s->low, 1, 10);
        text_number(page, 1e-3 * s->high, 1, 10);
        fprintf(page->out, " %9d%s\n", troubles, k == report->shown ? "  (shown here)" : "");
    }
}

/* Copies within the caches that were measured, on a line. */
static void print_caches(const text_page *page, const prof_report_peaks *c)
{
    bool is_first = true;
    for (int k = 0; k < c->cache_count; k++) {
        if (isnan(c->caches[k].bandwidth))
            continue;
        fputs(is_first ? "copy within " : ", ", page->out);
        text_cell(page, c->caches[k].name, 3);
        fprintf(page->out, "(%.0f KiB) %.1f GB/s", c->caches[k].bytes / 1024.0,
                1e-9 * c->caches[k].bandwidth);
        is_first = false;
    }
    fputs(is_first ? "" : "\n", page->out);
}

static void print_peaks(const text_page *page, const prof_report_peaks *c)
{
    if (isnan(c->bandwidth) && isnan(c->flops))
        return;
    fputs("peaks: ", page->out);
    if (isfinite(c->bandwidth))
        fprintf(page->out, "%.1f GB/s (%s)", 1e-9 * c->bandwidth,
                c->bandwidth_is_measured ? "copy, measured" : "data sheet");
    if (isfinite(c->flops))
        fprintf(page->out, "%s%.1f GFLOP/s (%s, %s)", isfinite(c->bandwidth) ? ", " : "",
                1e-9 * c->flops, c->flops_of, c->flops_are_measured ? "measured" : "data sheet");
    if (isfinite(c->ridge))
        fprintf(page->out, ", memory ridge %.2f FLOP/B", c->ridge);
    fputc('\n', page->out);
    print_caches(page, c);
}

void text_stages(const text_page *page, const prof_report *report, const prof_report_window *w)
{
    if (w->stage_count == 0)
        return;
    text_heading(page, report->device.is_gpu ? "Stages, on the GPU" : "Stages");
    fputs("stage              calls us/call share %       MB    MFLOP     GB/s GFLOP/s FLOP/B "
          "served peak %\n",
          page->out);
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        text_cell(page, s->name, 16);
        text_number(page, s->calls_per_step, 1, 8);
        text_number(page, 1e-3 * s->call, 1, 8);
        text_number(page, 100.0 * s->share, 1, 8);
        text_number(page, 1e-6 * s->bytes, 3, 9);
        text_number(page, 1e-6 * s->flops, 3, 9);
        text_number(page, 1e-9 * s->bandwidth, 1, 9);
        text_number(page, 1e-9 * s->flop_rate, 1, 8);
        text_number(page, s->intensity, 2, 7);
        fputs(" ", page->out);
        text_cell(page, s->served_by, 6);
        text_number(page, 100.0 * s->fraction, 0, 7);
        fputc('\n', page->out);
    }
    if (isfinite(w->other_share))
        fprintf(page->out, "%-16s%24.1f\n", "(outside)", 100.0 * w->other_share);
    print_peaks(page, &w->peaks);
    if (w->ranks.count > 0)
        text_wrapped(page,
                     "Rates and peak % are of the work of rank 0: the time of a call without its "
                     "waits for messages. All ranks measured the peaks at the same time.",
                     0);
}

void text_kernels(const text_page *page, const prof_report_window *w)
{
    if (w->kernel_count == 0)
        return;
    text_heading(page, "Kernels");
    fputs("kernel                           stage          launches  mean us  share %  blocks  "
          "regs local occ %\n",
          page->out);
    for (int k = 0; k < w->kernel_count && k < MAX_ROWS; k++) {
        const prof_report_kernel *kernel = &w->kernels[k];
        const long long blocks = kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
        text_cell(page, kernel->name, 32);
        fputc(' ', page->out);
        text_cell(page, kernel->stage, 14);
        fprintf(page->out, " %8lld", (long long)kernel->time.count);
        text_number(page, 1e-3 * kernel->time.mean, 1, 9);
        text_number(page, 100.0 * kernel->share, 1, 9);
        fprintf(page->out, "%8lld%6lld%6lld", blocks, (long long)kernel->registers,
                (long long)kernel->local);
        text_number(page, kernel->occupancy, 0, 6);
        fputc('\n', page->out);
    }
    print_remaining(page, w->kernel_count);
}

void text_copies(const text_page *page, const prof_report_window *w)
{
    if (w->copy_count == 0)
        return;
    text_heading(page, "Copies and fills");
    fputs("operation                             count        MB        ms      GB/s\n", page->out);
    for (int k = 0; k < w->copy_count; k++) {
        const prof_report_copy *copy = &w->copies[k];
        text_cell(page, copy->operation, 34);
        fprintf(page->out, "%9lld", (long long)copy->time.count);
        text_number(page, 1e-6 * copy->bytes.total, 3, 10);
        text_number(page, 1e-6 * copy->time.total, 3, 10);
        text_number(page, 1e-9 * copy->bandwidth, 1, 10);
        fputc('\n', page->out);
    }
}

void text_calls(const text_page *page, const prof_report_window *w)
{
    if (w->call_count == 0)
        return;
    text_heading(page, "CUDA calls on the host");
    fputs(
        "call                              kind             count        ms   mean us    failed\n",
        page->out);
    for (int k = 0; k < w->call_count && k < MAX_ROWS; k++) {
        const prof_report_call *call = &w->calls[k];
        text_cell(page, call->name, 33);
        fputc(' ', page->out);
        text_cell(page, call->kind, 12);
        fprintf(page->out, "%10lld", (long long)call->time.count);
        text_number(page, 1e-6 * call->time.total, 3, 10);
        text_number(page, 1e-3 * call->time.mean, 1, 10);
        fprintf(page->out, "%10lld\n", (long long)call->failed);
    }
    print_remaining(page, w->call_count);
}

void text_threads(const text_page *page, const prof_report_window *w)
{
    if (w->thread_count == 0)
        return;
    text_heading(page, "Threads");
    fputs(
        "stage            thread         working %  imbalance  on core %  switches   instr/cycle\n",
        page->out);
    for (int k = 0; k < w->thread_count; k++) {
        const prof_report_thread *t = &w->threads[k];
        const int64_t on_core = t->counters[PROF_COUNTER_task_clock];
        const int64_t switches = t->counters[PROF_COUNTER_context_switches];
        const bool is_first = k == 0 || strcmp(t->stage, t[-1].stage) != 0;
        text_cell(page, is_first ? t->stage : "", 16);
        fputc(' ', page->out);
        text_cell(page, t->thread, 13);
        text_number(page, 100.0 * t->share_of_stage, 1, 11);
        text_number(page, is_first ? t->imbalance : NAN, 2, 11);
        text_number(page, on_core >= 0 ? 100.0 * (double)on_core / t->time.total : NAN, 1, 11);
        text_number(page, switches >= 0 ? (double)switches : NAN, 0, 10);
        text_number(page, t->instructions_per_cycle, 2, 14);
        fputc('\n', page->out);
    }
}

/* Print the number of samples of a stage, and the share of its threads' time that they cover. */
static void print_samples(const text_page *page, const prof_report_window *w, const char *stage)
{
    double worked = 0.0, sampled = 0.0;
    long long samples = 0;
    for (int k = 0; k < w->thread_count; k++)
        worked += strcmp(w->threads[k].stage, stage) == 0 ? w->threads[k].time.total : 0.0;
    for (int k = 0; k < w->part_count; k++)
        if (strcmp(w->parts[k].stage, stage) == 0) {
            sampled += w->parts[k].time;
            samples += w->parts[k].samples;
        }
    fprintf(page->out, "%lld samples", samples);
    if (worked > 0.0)
        fprintf(page->out, ", which cover %.1f %% of its threads' time", 100.0 * sampled / worked);
    fputc('\n', page->out);
}

void text_parts(const text_page *page, const prof_report_window *w)
{
    if (w->part_count == 0)
        return;
    text_heading(page, "Parts of the stages");
    fputs("stage            part                       share %  us/call  samples\n", page->out);
    for (int k = 0; k < w->part_count; k++) {
        const prof_report_part *part = &w->parts[k];
        const prof_report_stage *stage = stage_named(w, part->stage);
        const bool is_first = k == 0 || strcmp(part->stage, part[-1].stage) != 0;
        text_cell(page, is_first ? part->stage : "", 16);
        fputc(' ', page->out);
        text_cell(page, part->name[0] != '\0' ? part->name : "(other)", 24);
        text_number(page, 100.0 * part->share, 1, 10);
        text_number(page, stage != NULL ? 1e-3 * part->share * stage->call : NAN, 1, 9);
        fprintf(page->out, "%9lld\n", (long long)part->samples);
        if (k + 1 == w->part_count || strcmp(part->stage, part[1].stage) != 0)
            print_samples(page, w, part->stage);
    }
}

static void print_rank_stages(const text_page *page, const prof_report_ranks *ranks)
{
    fputs("stage             least us    median  greatest imbalance slowest  wait us exchanges "
          "messages      kB\n",
          page->out);
    for (int k = 0; k < ranks->stage_count; k++) {
        const prof_report_rank_stage *s = &ranks->stages[k];
        text_cell(page, s->stage, 16);
        text_number(page, 1e-3 * s->work.least, 1, 10);
        text_number(page, 1e-3 * s->work.median, 1, 10);
        text_number(page, 1e-3 * s->work.greatest, 1, 10);
        text_number(page, s->imbalance, 2, 10);
        text_number(page, s->slowest >= 0 ? (double)s->slowest : NAN, 0, 8);
        text_number(page, 1e-3 * s->exposed.median, 1, 9);
        text_number(page, s->exchanges, 1, 10);
        text_number(page, s->messages, 1, 9);
        text_number(page, 1e-3 * s->received, 1, 8);
        fputc('\n', page->out);
    }
}

static bool works_longer(const prof_rank *a, const prof_rank *b)
{
    return a->work > b->work || (isnan(b->work) && isfinite(a->work));
}

/* The ranks by number; if these are too many, those with most work first. Returns their number. */
static int find_rows(const prof_report_ranks *ranks, const prof_rank *rows[MAX_ROWS])
{
    int count = 0;
    for (int k = 0; k < ranks->each_count; k++) {
        int place = count;
        while (ranks->each_count > MAX_ROWS && place > 0 &&
               works_longer(&ranks->each[k], rows[place - 1]))
            place--;
        if (place == MAX_ROWS)
            continue;
        count += count < MAX_ROWS;
        for (int j = count - 1; j > place; j--)
            rows[j] = rows[j - 1];
        rows[place] = &ranks->each[k];
    }
    return count;
}

static void print_dropped(const text_page *page, const prof_report_ranks *ranks)
{
    int count = 0;
    for (int k = 0; k < ranks->each_count; k++) {
        if (ranks->each[k].dropped > 0 && count++ < MAX_ROWS)
            fprintf(page->out, "rank %lld dropped %lld records\n", (long long)ranks->each[k].rank,
                    (long long)ranks->each[k].dropped);
    }
    print_remaining(page, count);
}

static void print_ranks(const text_page *page, const prof_report_ranks *ranks)
{
    const prof_rank *rows[MAX_ROWS];
    const int count = find_rows(ranks, rows);
    if (ranks->each_count > MAX_ROWS)
        fprintf(page->out, "The %d ranks with most work:\n", MAX_ROWS);
    fputs("rank host           device                share %   step us   work us   wait us "
          "messages         kB\n",
          page->out);
    for (int k = 0; k < count; k++) {
        const prof_rank *rank = rows[k];
        fprintf(page->out, "%4lld ", (long long)rank->rank);
        text_cell(page, rank->host, 14);
        fputc(' ', page->out);
        text_cell(page, rank->device, 20);
        text_number(page, 100.0 * rank->share, 1, 9);
        text_number(page, 1e-3 * rank->step, 1, 10);
        text_number(page, 1e-3 * rank->work, 1, 10);
        text_number(page, 1e-3 * rank->exposed, 1, 10);
        text_number(page, rank->messages, 1, 9);
        text_number(page, 1e-3 * rank->received, 1, 11);
        fputc('\n', page->out);
    }
    print_remaining(page, ranks->each_count);
    print_dropped(page, ranks);
}

void text_ranks(const text_page *page, const prof_report_window *w)
{
    const prof_report_ranks *ranks = &w->ranks;
    if (ranks->count == 0)
        return;
    text_heading(page, "Ranks");
    fprintf(page->out,
            "%lld ranks, %lld of them in the traces; all other sections are of rank 0.\n",
            (long long)ranks->count, (long long)ranks->traced);
    fputs("Times are medians of a step. Of a stage: least, median and greatest work of a rank; "
          "median wait\nfor messages; most messages and kB that a rank receives.\n",
          page->out);
    print_rank_stages(page, ranks);
    print_ranks(page, ranks);
}

void text_memory(const text_page *page, const prof_report_window *w)
{
    const prof_report_memory *m = &w->memory;
    text_heading(page, "Memory of the device");
    fprintf(
        page->out,
        "%.3f MB before, %.3f MB after the window, %.3f MB at most; %lld blocks allocated, %lld "
        "released\n",
        1e-6 * m->before, 1e-6 * m->after, 1e-6 * m->peak, (long long)m->allocated.blocks,
        (long long)m->released.blocks);
    for (int k = 0; k < m->site_count && k < MAX_ROWS; k++) {
        const prof_report_site *site = &m->sites[k];
        text_cell(page, site->label, 34);
        text_number(page, 1e-6 * site->after.bytes, 3, 12);
        fputs(" MB  ", page->out);
        text_print(page, site->file);
        fprintf(page->out, ":%lld\n", (long long)site->line);
    }
    print_remaining(page, m->site_count);
}

void text_phases(const text_page *page, const prof_report_window *w)
{
    if (w->phase_count == 0)
        return;
    text_heading(page, "Phases of the run until the window closed");
    fputs("phase                 count        s  share %\n", page->out);
    for (int k = 0; k < w->phase_count; k++) {
        text_cell(page, w->phases[k].name, 18);
        fprintf(page->out, "%9lld", (long long)w->phases[k].count);
        text_number(page, 1e-9 * w->phases[k].total, 3, 9);
        text_number(page, 100.0 * w->phases[k].share, 1, 9);
        fputc('\n', page->out);
    }
}

static void print_check(const text_page *page, const prof_cost_check *pair)
{
    text_number(page, 1e-6 * pair->counted, 3, 9);
    text_number(page, 1e-6 * pair->formula, 3, 9);
    text_number(page, pair->ratio, 2, 7);
    fputc(counters_differ(pair) ? '!' : ' ', page->out);
}

void text_counters(const text_page *page, const prof_report *report, const prof_report_window *w)
{
    const prof_report_counters *c = &w->counters;
    char verdict[COUNTERS_VERDICT_SIZE];
    text_heading(page, "Counters");
    if (c->stage_count == 0) {
        text_wrapped(page, counters_missing_reason(report, w), 0);
        return;
    }
    fprintf(page->out,
            "one call of each stage: counters of %s and static cost; below it the kernel launches "
            "of a step\n",
            c->chip);
    fputs("stage          calls  us/call  DRAM MB  formula  ratio     L2 MB    L1 MB    MFLOP  "
          "formula  ratio\n",
          page->out);
    for (int k = 0; k < c->stage_count; k++) {
        const prof_stage_counters *s = &c->stages[k];
        text_cell(page, s->stage, 14);
        fprintf(page->out, "%6lld", (long long)s->calls);
        text_number(page, 1e-3 * s->time, 1, 9);
        print_check(page, &s->bytes);
        text_number(page, 1e-6 * s->l2_bytes, 3, 9);
        text_number(page, 1e-6 * s->l1_bytes, 3, 9);
        print_check(page, &s->flops);
        fputc('\n', page->out);
        for (int j = 0; j < s->kernel_count; j++) {
            fprintf(page->out, "  %4lld x ", (long long)s->kernels[j].launches);
            text_wrapped(page, s->kernels[j].name, 9);
        }
    }
    counters_verdict(w, verdict);
    text_wrapped(page, verdict, 0);
}
