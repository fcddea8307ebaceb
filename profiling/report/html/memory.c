/* Memory of the device: over the window, and by buffer. */
#include <math.h>

#include "report/html/sections.h"
#include "report/html/svg.h"
#include "report/html/table.h"

static const double left = 72.0, right = 930.0, top = 30.0, bottom = 150.0;
enum { BARS_MOST = 24 };

static void graph(page *p, const prof_report_window *w)
{
    const prof_timeline *t = &w->timeline;
    double most = w->memory.peak;
    for (int64_t k = 0; k < t->memory_count; k++)
        most = fmax(most, t->memory[k].in_use);
    const axis x = {0.0, (double)t->duration, left, right, false, false};
    const axis y = axis_from_zero(most, bottom, top);
    svg_begin(p, "memory", (int)bottom + 44, "Memory in use during the window",
              "From %s as the window opened to %s as it closed; most since the run began %s.",
              number_bytes(w->memory.before).text, number_bytes(w->memory.after).text,
              number_bytes(w->memory.peak).text);
    svg_axis_y(p, &y, left, right, scale_bytes(y.high), "in use");
    svg_axis_x(p, &x, bottom, bottom, scale_time((double)t->duration), "time");
    page_markup(p, "<path class=\"fill-memory\" d=\"M%.1f %.1f", left, bottom);
    double level = bottom;
    for (int64_t k = 0; k < t->memory_count; k++) {
        const double at = axis_at(&y, t->memory[k].in_use);
        if (at != level)
            page_markup(p, "H%.1fV%.1f", axis_at(&x, (double)t->memory[k].time), at);
        level = at;
    }
    page_markup(p, "H%.1fV%.1fZ\"/>\n", right, bottom);
    if (w->memory.peak > 0.0) {
        page_markup(p, "<path class=\"median\" d=\"M%.1f %.1fH%.1f\"/>\n", left,
                    axis_at(&y, w->memory.peak), right);
        svg_text(p, right, axis_at(&y, w->memory.peak) - 5.0, "end", "most so far %s",
                 number_bytes(w->memory.peak).text);
    }
    svg_end(p);
}

static void site_row(page *p, const prof_report_site *site, scale s, double all)
{
    table_row_begin(p);
    table_heading(p, site->label);
    table_number(p, s, site->before.bytes);
    table_number(p, s, site->after.bytes);
    table_share(p, site->after.bytes / all);
    table_count(p, site->after.blocks);
    page_markup(p, "<td class=\"text\"><code>");
    page_print(p, "%s, %s:%lld", site->function, site->file, (long long)site->line);
    page_markup(p, "</code></td>");
    table_row_end(p);
}

static void sites(page *p, const prof_report_memory *m)
{
    double all = 0.0, most = 0.0;
    for (int k = 0; k < m->site_count; k++) {
        all += m->sites[k].after.bytes;
        most = fmax(most, fmax(m->sites[k].before.bytes, m->sites[k].after.bytes));
    }
    const scale s = scale_bytes(most);
    const column columns[] = {
        {"Buffer", NULL, NULL, true},      {"At opening", s.unit, NULL, false},
        {"At close", s.unit, NULL, false}, {"Share", "at close", NULL, false},
        {"Blocks", NULL, NULL, false},     {"Allocated in", NULL, NULL, true}};
    table_begin(p, "memory", true, "Buffers, the largest first");
    table_columns(p, columns, 6);
    for (int k = 0; k < m->site_count; k++)
        site_row(p, &m->sites[k], s, all);
    table_end(p);
}

void section_memory(page *p, const prof_report *report, const prof_report_window *w)
{
    (void)report;
    const prof_report_memory *m = &w->memory;
    if (!(m->peak > 0.0)) {
        page_element(p, "p", NULL, "No memory of the device was allocated, as far as was told.");
        return;
    }
    page_markup(p, "<p>");
    page_print(p, "At most %s were in use since the run began. ", number_bytes(m->peak).text);
    if (m->allocated.blocks + m->released.blocks == 0)
        page_text(p, "Within the window nothing was allocated or released.");
    else
        page_print(p,
                   "Within the window %s (blocks: %s) were allocated and %s (blocks: %s) released.",
                   number_bytes(m->allocated.bytes).text, number_count(m->allocated.blocks).text,
                   number_bytes(m->released.bytes).text, number_count(m->released.blocks).text);
    if (m->untracked.blocks > 0)
        page_print(p, " Others than the solver allocated %s (blocks: %s).",
                   number_bytes(m->untracked.bytes).text, number_count(m->untracked.blocks).text);
    page_markup(p, "</p>\n");
    if (w->timeline.memory_count > 0 && w->timeline.duration > 0)
        graph(p, w);
    if (m->site_count > 0)
        sites(p, m);
}
