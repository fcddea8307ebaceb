/* What CPU threads did of the stages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/colour.h"
#include "report/html/sections.h"
#include "report/html/table.h"

enum { OPEN_MOST = 16 }; /* rows of a table that is shown unasked */

/* The threads of one stage: `count` of them, as they follow each other. */
typedef struct team {
    const prof_report_thread *thread;
    int count;
    double least, mean, most; /* of their totals */
} team;

static team team_at(const prof_report_window *w, int first)
{
    team t = {.thread = &w->threads[first], .least = INFINITY};
    for (int k = first; k < w->thread_count; k++) {
        const prof_report_thread *thread = &w->threads[k];
        if (strcmp(thread->stage, t.thread->stage) != 0)
            break;
        t.count++;
        t.least = fmin(t.least, thread->time.total);
        t.most = fmax(t.most, thread->time.total);
        t.mean += thread->time.total;
    }
    t.mean /= t.count;
    return t;
}

static void team_table(page *p, const prof_report_window *w)
{
    double most = 0.0;
    for (int k = 0; k < w->thread_count; k++)
        most = fmax(most, w->threads[k].time.total);
    const scale s = scale_time(most);
    const column columns[] = {
        {"Stage", NULL, NULL, true},
        {"Threads", NULL, NULL, false},
        {"Least", s.unit, "time that the thread with the least work spent in the window", false},
        {"Mean", s.unit, NULL, false},
        {"Most", s.unit, NULL, false},
        {"Imbalance", "most / mean", "1: all work equally long", false},
        {"Waiting", "of the threads’ time", "what an even share would save", false}};
    table_begin(p, "teams", true, "How evenly threads shared each stage");
    table_columns(p, columns, 7);
    for (int k = 0; k < w->thread_count;) {
        const team t = team_at(w, k);
        table_row_begin(p);
        table_stage(p, t.thread->stage, colour_of(w, t.thread->stage));
        table_count(p, t.count);
        table_number(p, s, t.least);
        table_number(p, s, t.mean);
        table_number(p, s, t.most);
        table_number(p, (scale){1.0, "", 2}, t.thread->imbalance);
        table_share(p, 1.0 - 1.0 / t.thread->imbalance);
        table_row_end(p);
        k += t.count;
    }
    table_end(p);
}

/* The columns of the table of all threads: those of counters that were measured somewhere. */
typedef struct thread_scales {
    scale total, call, counters[PROF_COUNTER_COUNT];
    bool is_measured[PROF_COUNTER_COUNT], has_ipc;
} thread_scales;

static thread_scales thread_scales_of(const prof_report_window *w)
{
    thread_scales s = {0};
    double most = 0.0, longest = 0.0, counts[PROF_COUNTER_COUNT] = {0.0};
    for (int k = 0; k < w->thread_count; k++) {
        const prof_report_thread *t = &w->threads[k];
        most = fmax(most, t->time.total);
        longest = fmax(longest, t->time.median);
        s.has_ipc = s.has_ipc || isfinite(t->instructions_per_cycle);
        for (int c = 0; c < PROF_COUNTER_COUNT; c++) {
            counts[c] = fmax(counts[c], (double)t->counters[c]);
            s.is_measured[c] = s.is_measured[c] || t->counters[c] >= 0;
        }
    }
    s.total = scale_time(most);
    s.call = scale_time(longest);
    for (int c = 0; c < PROF_COUNTER_COUNT; c++)
        s.counters[c] = c == PROF_COUNTER_task_clock ? s.total : scale_count(counts[c]);
    return s;
}

static void thread_row(page *p, const prof_report_window *w, const prof_report_thread *t,
                       const thread_scales *s)
{
    table_row_begin(p);
    table_stage(p, t->stage, colour_of(w, t->stage));
    table_text(p, t->thread);
    table_count(p, t->time.count);
    table_number(p, s->total, t->time.total);
    table_number(p, s->call, t->time.median);
    table_share(p, t->share_of_stage);
    for (int c = 0; c < PROF_COUNTER_COUNT; c++)
        if (s->is_measured[c])
            table_number(p, s->counters[c], t->counters[c] < 0 ? NAN : (double)t->counters[c]);
    if (s->has_ipc)
        table_number(p, (scale){1.0, "", 2}, t->instructions_per_cycle);
    table_row_end(p);
}

static void thread_table(page *p, const prof_report_window *w, const thread_scales *s)
{
    static const char *const headings[PROF_COUNTER_COUNT] = {
        [PROF_COUNTER_task_clock] = "On a core",
        [PROF_COUNTER_context_switches] = "Switches",
        [PROF_COUNTER_instructions] = "Instructions",
        [PROF_COUNTER_cycles] = "Cycles",
        [PROF_COUNTER_cache_misses] = "Cache misses"};
    column columns[7 + PROF_COUNTER_COUNT] = {
        {"Stage", NULL, NULL, true},
        {"Thread", NULL, NULL, true},
        {"Parts", NULL, NULL, false},
        {"Total", s->total.unit, NULL, false},
        {"Median", s->call.unit, NULL, false},
        {"Share", "of the stage", "of the stage’s time on the main thread", false}};
    int count = 6;
    for (int c = 0; c < PROF_COUNTER_COUNT; c++)
        if (s->is_measured[c])
            columns[count++] = (column){headings[c], s->counters[c].unit, NULL, false};
    if (s->has_ipc)
        columns[count++] = (column){"IPC", NULL, "instructions per cycle", false};
    page_markup(p, "<details%s><summary>", w->thread_count <= OPEN_MOST ? " open" : "");
    page_print(p, "Every thread of every stage (%d rows)", w->thread_count);
    page_markup(p, "</summary>\n");
    table_begin(p, "threads", true, "What each thread did of each stage");
    table_columns(p, columns, count);
    for (int k = 0; k < w->thread_count; k++)
        thread_row(p, w, &w->threads[k], s);
    table_end(p);
    page_markup(p, "</details>\n");
}

void section_threads(page *p, const prof_report *report, const prof_report_window *w)
{
    if (w->thread_count == 0) {
        page_element(p, "p", NULL,
                     report->device.is_gpu
                         ? "No CPU threads shared the stages: a GPU computed."
                         : "The profile does not tell what each thread did of the stages.");
        return;
    }
    const thread_scales scales = thread_scales_of(w);
    team_table(p, w);
    thread_table(p, w, &scales);
    bool has_counters = false;
    for (int c = 0; c < PROF_COUNTER_COUNT; c++)
        has_counters = has_counters || (c != PROF_COUNTER_task_clock && scales.is_measured[c]);
    if (!has_counters)
        page_element(p, "p", "note",
                     "The cores’ counters (instructions, cycles, cache misses) were not measured: "
                     "profile.counters asks for them, and the system must allow it.");
}
