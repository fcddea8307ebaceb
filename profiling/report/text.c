/* The report as text: run, GPU, indicators, diagnosis, checklist. */
#include "report/text.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

enum { WIDTH = 100 };

/* Bytes of a text's first `columns` characters (UTF-8), and how many those are. */
static size_t bytes_of(const char *text, int columns, int *found)
{
    size_t length = 0;
    *found = 0;
    while (text[length] != '\0') {
        size_t next = length + 1;
        while (((unsigned char)text[next] & 0xC0) == 0x80)
            next++;
        if (*found == columns)
            break;
        length = next;
        ++*found;
    }
    return length;
}

/* Print `length` bytes of a text, whole characters. A profile may come from another machine:
 * characters that are unsafe on a terminal become '?'. */
static void print_bytes(const text_page *page, const char *text, size_t length)
{
    for (size_t k = 0; k < length;) {
        const int unsafe = swe_unsafe_length(text + k);
        const int bytes = unsafe > 0 ? unsafe : swe_utf8_length(text + k);
        if (unsafe > 0)
            fputc('?', page->out);
        else
            fwrite(text + k, 1, (size_t)bytes, page->out);
        k += (size_t)bytes;
    }
}

void text_print(const text_page *page, const char *text)
{
    print_bytes(page, text, strlen(text));
}

void text_heading(const text_page *page, const char *heading)
{
    fprintf(page->out, page->colours ? "\n\033[1m%s\033[0m\n" : "\n%s\n", heading);
}

void text_cell(const text_page *page, const char *text, int width)
{
    int columns = 0;
    size_t length = bytes_of(text, width, &columns);
    const bool is_cut = text[length] != '\0';
    if (is_cut)
        length = bytes_of(text, width - 3, &columns);
    print_bytes(page, text, length);
    fprintf(page->out, "%s%*s", is_cut ? "..." : "", is_cut ? 0 : width - columns, "");
}

void text_number(const text_page *page, double value, int digits, int width)
{
    if (isfinite(value))
        fprintf(page->out, "%*.*f", width, digits, value);
    else
        fprintf(page->out, "%*s", width, "-");
}

void text_wrapped(const text_page *page, const char *text, int indent)
{
    int column = indent, columns = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (strncmp(text + length, " %", 2) == 0) /* a percent sign belongs to its number */
            length += 1 + strcspn(text + length + 1, " ");
        bytes_of(text, (int)length, &columns);
        if (column > indent && column + 1 + columns > WIDTH) {
            fprintf(page->out, "\n%*s", indent, "");
            column = indent;
        }
        fputs(column > indent ? " " : "", page->out);
        print_bytes(page, text, length);
        column += columns + (column > indent);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', page->out);
}

void text_grade(const text_page *page, prof_grade grade)
{
    static const int colours[] = {32, 33, 31, 90}; /* green, yellow, red, grey */
    if (page->colours)
        fprintf(page->out, "\033[%dm%-7s\033[0m", colours[grade], prof_grade_name(grade));
    else
        fprintf(page->out, "%-7s", prof_grade_name(grade));
}

static void print_run(const text_page *page, const prof_report *r, const prof_report_window *w)
{
    const int indent = 12;
    FILE *out = page->out;
    fputs("case        ", out);
    text_wrapped(page, r->case_name, indent);
    if (r->n > 0)
        fprintf(out, "grid        n = %lld, order %lld, %.0f unknowns, dt = %.6g s\n",
                (long long)r->n, (long long)r->order, r->unknowns, r->dt);
    fputs("device      ", out);
    text_wrapped(page, r->device.name, indent);
    if (!r->device.is_gpu)
        fprintf(out, "threads     %lld\n", (long long)r->device.threads);
    if (w->ranks.count > 0)
        fprintf(out, "ranks       %lld (times of rank 0 unless stated)\n",
                (long long)w->ranks.count);
    fputs("build       ", out);
    text_print(page, r->version);
    if (r->build[0] != '\0') {
        fputs(" (", out);
        text_print(page, r->build);
        fputc(')', out);
    }
    fprintf(out, "\nrecorded    %s, on ", w->date);
    text_print(page, r->host);
    fprintf(out, "\nwindow      %lld steps from step %lld, mode ", (long long)w->steps,
            (long long)w->first_step);
    text_print(page, w->mode);
    fputc('\n', out);
    fputs("folder      ", out);
    text_wrapped(page, w->folder, indent);
}

static void print_step(const text_page *page, const prof_report_window *w)
{
    if (w->step_host.count > 0)
        fprintf(page->out,
                "step        %.1f us on the host (median of %lld; quartiles %.1f and %.1f)\n",
                1e-3 * w->step_host.median, (long long)w->step_host.count, 1e-3 * w->step_host.low,
                1e-3 * w->step_host.high);
    if (w->step_gpu.count > 0)
        fprintf(page->out, "            %.1f us on the GPU (quartiles %.1f and %.1f)\n",
                1e-3 * w->step_gpu.median, 1e-3 * w->step_gpu.low, 1e-3 * w->step_gpu.high);
}

static void print_tracing(const text_page *page, const prof_report_window *w)
{
    const prof_tracing *t = &w->tracing;
    if (t->launch[0] != '\0')
        fprintf(page->out, "launch      %s: graphs launched %lld of %lld steps\n", t->launch,
                (long long)t->launched_steps, (long long)w->steps);
    if (isfinite(t->ratio))
        fprintf(
            page->out,
            "tracing     %.1f us a step, %.1f before the first window (%lld strides): ratio %.2f\n",
            1e-3 * t->traced, 1e-3 * t->untraced, (long long)t->untraced_strides, t->ratio);
    if (isfinite(t->later))
        fprintf(page->out, "            %.1f us a step since the window before\n", 1e-3 * t->later);
}

static void print_quantity(const text_page *page, const char *name, const prof_report_quantity *q,
                           double scale, const char *unit)
{
    if (q->count > 0)
        fprintf(page->out, "%-18s %10.1f %s (%.1f to %.1f)\n", name, scale * q->mean, unit,
                scale * q->min, scale * q->max);
}

static void print_gpu(const text_page *page, const prof_report_window *w)
{
    const prof_report_gpu *gpu = &w->gpu;
    if (!w->has_gpu)
        return;
    text_heading(page, "GPU");
    fprintf(page->out, "%-18s %10lld\n", "operations", (long long)gpu->ops);
    fprintf(page->out, "%-18s %10.3f ms of %.3f ms\n", "busy", 1e-6 * gpu->busy,
            1e-6 * w->duration);
    fprintf(page->out, "%-18s %10.1f %%\n", "idle", 100.0 * gpu->idle_share);
    if (gpu->launch_latency.count > 0)
        fprintf(page->out, "%-18s %10.1f us (median), %.1f us from the end of the call\n",
                "launch to start", 1e-3 * gpu->launch_latency.median, 1e-3 * gpu->queue.median);
    print_quantity(page, "SM activity", &gpu->sm, 1.0, "%");
    print_quantity(page, "memory activity", &gpu->memory, 1.0, "%");
    print_quantity(page, "memory used", &gpu->memory_used, 1e-6, "MB");
    print_quantity(page, "SM clock", &gpu->sm_clock, 1.0, "MHz");
    print_quantity(page, "memory clock", &gpu->memory_clock, 1.0, "MHz");
    print_quantity(page, "power", &gpu->power, 1.0, "W");
    print_quantity(page, "temperature", &gpu->temperature, 1.0, "degrees C");
}

static void print_log(const text_page *page, const prof_report *report)
{
    const prof_report_log *log = &report->log;
    if (log->count == 0)
        return;
    text_heading(page, "GPU over the whole run");
    fprintf(page->out, "%-18s %10lld in %.1f s\n", "samples", (long long)log->count,
            1e-9 * (double)log->samples[log->count - 1].time);
    print_quantity(page, "SM activity", &log->sm, 1.0, "%");
    print_quantity(page, "memory activity", &log->memory, 1.0, "%");
    print_quantity(page, "memory used", &log->memory_used, 1e-6, "MB");
    print_quantity(page, "SM clock", &log->sm_clock, 1.0, "MHz");
    print_quantity(page, "memory clock", &log->memory_clock, 1.0, "MHz");
    print_quantity(page, "power", &log->power, 1.0, "W");
    print_quantity(page, "temperature", &log->temperature, 1.0, "degrees C");
}

static void print_indicators(const text_page *page, const prof_report_window *w)
{
    text_heading(page, "Indicators");
    for (int k = 0; k < w->indicator_count; k++) {
        const prof_indicator *i = &w->indicators[k];
        text_grade(page, i->grade);
        fputc(' ', page->out);
        text_cell(page, i->name, 22);
        if (i->grade == PROF_GRADE_UNKNOWN) {
            fputs("  ", page->out);
            text_wrapped(page, i->why_unknown, 32);
            continue;
        }
        text_number(page, i->value, 1, 9);
        fprintf(page->out, " %-3s  good %s, warning %s, bad %s\n", i->unit, i->good, i->warning,
                i->bad);
    }
}

static void print_finding(const text_page *page, const prof_finding *f)
{
    text_grade(page, f->severity);
    fprintf(page->out, " %s\n        ", f->pattern);
    text_wrapped(page, f->evidence, 8);
    fputs("        cause: ", page->out);
    text_wrapped(page, f->cause, 15);
    fputs("        try:   ", page->out);
    text_wrapped(page, f->advice, 15);
}

static void print_findings(const text_page *page, const prof_report_window *w)
{
    text_heading(page, "Diagnosis");
    if (w->finding_count == 0)
        fputs(isfinite(w->step) ? "No known performance problem was found.\n"
                                : "The window has no step time of the computing device, so the "
                                  "diagnosis was not possible.\n",
              page->out);
    for (int k = 0; k < w->finding_count; k++)
        print_finding(page, &w->findings[k]);
}

static void print_checks(const text_page *page, const prof_report_window *w)
{
    text_heading(page, "Checklist");
    for (int k = 0; k < w->check_count; k++) {
        const prof_check *c = &w->checks[k];
        if (k == 0 || strcmp(c->group, c[-1].group) != 0)
            fprintf(page->out, "%s\n", c->group);
        text_grade(page, c->grade);
        fputs("  ", page->out);
        text_cell(page, c->question, 36);
        fputs("  ", page->out);
        text_wrapped(page, c->answer, 47);
    }
}

static void print_warnings(const text_page *page, const prof_report_window *w)
{
    if (w->warning_count > 0)
        text_heading(page, "Warnings of the profiler");
    for (int k = 0; k < w->warning_count; k++)
        text_wrapped(page, w->warnings[k], 0);
}

void prof_report_print(const prof_report *report, FILE *out, bool colours)
{
    const text_page page = {out, colours};
    const prof_report_window *w = &report->windows[report->shown];
    print_run(&page, report, w);
    print_step(&page, w);
    print_tracing(&page, w);
    text_windows(&page, report);
    text_stages(&page, report, w);
    text_counters(&page, report, w);
    text_kernels(&page, w);
    text_copies(&page, w);
    text_calls(&page, w);
    text_threads(&page, w);
    text_parts(&page, w);
    text_ranks(&page, w);
    print_gpu(&page, w);
    print_log(&page, report);
    text_memory(&page, w);
    text_phases(&page, w);
    print_indicators(&page, w);
    print_findings(&page, w);
    print_checks(&page, w);
    print_warnings(&page, w);
}
