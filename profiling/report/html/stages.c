/* The stages: how often, how long, what they must do, and at what rate they did it. */
#include <math.h>
#include <string.h>

#include "report/html/colour.h"
#include "report/html/sections.h"
#include "report/html/table.h"

/* The scales of the columns, of the largest number in each. */
typedef struct scales {
    scale call, gpu, bytes, flops, bandwidth, flop_rate, intensity;
    bool is_gpu, has_gpu, has_cost;
} scales;

static scales scales_of(const prof_report *report, const prof_report_window *w)
{
    double call = 0.0, gpu = 0.0, bytes = 0.0, flops = 0.0, bandwidth = 0.0, rate = 0.0;
    double intensity = 0.0;
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        call = fmax(call, s->call);
        if (s->gpu.count > 0)
            gpu = fmax(gpu, s->gpu.total);
        bytes = fmax(bytes, s->bytes);
        flops = fmax(flops, s->flops);
        bandwidth = fmax(bandwidth, s->bandwidth);
        rate = fmax(rate, s->flop_rate);
        intensity = fmax(intensity, s->intensity);
    }
    scales all = {.call = scale_time(call),
                  .gpu = scale_time(gpu),
                  .bytes = scale_bytes(bytes),
                  .flops = scale_flops(flops),
                  .bandwidth = scale_bandwidth(bandwidth),
                  .flop_rate = scale_flop_rate(rate),
                  .intensity = scale_plain(intensity),
                  .is_gpu = report->device.is_gpu,
                  .has_gpu = gpu > 0.0,
                  .has_cost = bytes > 0.0 || flops > 0.0};
    all.intensity.decimals = 2;
    return all;
}

static void heading(page *p, const scales *s)
{
    const column before[] = {
        {"Stage", NULL, NULL, true},
        {"Calls", "a step", NULL, false},
        {"Share", s->is_gpu ? "of all stages" : "of the step", NULL, false},
        {"Call", s->call.unit, "mean time of one call on the device that computed", false},
        {"Quartiles", s->call.unit, s->has_gpu ? "of its operations on the GPU" : "of its calls",
         true},
        {"GPU", s->gpu.unit, "total of its operations in the window", false}};
    const column after[] = {
        {"Bytes", s->bytes.unit, "that one call must move: each value read or written once", false},
        {"FLOPs", s->flops.unit, "of one call, by its formulas", false},
        {"Rate", s->bandwidth.unit, "bytes over the mean time of a call", false},
        {"Rate", s->flop_rate.unit, "operations over the mean time of a call", false},
        {"Intensity", "FLOP/B", "operations for every byte that must be moved", false},
        {"Reached", "of ceiling", "of what the ceilings allow at its intensity", false},
        {"Bound by", NULL,
         "the ceiling; latency where the device could do it in less than 5 µs and half the time",
         true}};
    column columns[13];
    const int count = s->has_gpu ? 6 : 5;
    memcpy(columns, before, (size_t)count * sizeof *columns);
    memcpy(columns + count, after, sizeof after);
    table_columns(p, columns, s->has_cost ? count + 7 : count);
}

static const char *bound_name(prof_bound bound)
{
    static const char *const names[] = {"–", "memory", "compute", "latency"};
    return names[bound];
}

static void row(page *p, const prof_report_window *w, const prof_report_stage *stage,
                const scales *s)
{
    table_row_begin(p);
    table_stage(p, stage->name, colour_of(w, stage->name));
    table_number(p, (scale){1.0, "", stage->calls_per_step == floor(stage->calls_per_step) ? 0 : 1},
                 stage->calls_per_step);
    table_share(p, stage->share);
    table_number(p, s->call, stage->call);
    const prof_spread *spread = s->has_gpu ? &stage->gpu : &stage->host;
    page_element(p, "td", "text", "%s to %s", number_scaled(s->call, spread->low).text,
                 number_scaled(s->call, spread->high).text);
    if (s->has_gpu)
        table_number(p, s->gpu, stage->gpu.count > 0 ? stage->gpu.total : NAN);
    if (s->has_cost) {
        table_number(p, s->bytes, stage->bytes);
        table_number(p, s->flops, stage->flops);
        table_number(p, s->bandwidth, stage->bandwidth);
        table_number(p, s->flop_rate, stage->flop_rate);
        table_number(p, s->intensity, stage->intensity);
        table_share(p, stage->fraction);
        table_text(p, bound_name(stage->bound));
    }
    table_row_end(p);
}

/* What every stage reads and writes, on demand. */
static void buffers(page *p, const prof_report_window *w)
{
    static const column headings[] = {{"Stage", NULL, NULL, true},
                                      {"Reads", "in one call", NULL, true},
                                      {"Writes", "in one call", NULL, true}};
    page_markup(p, "<details><summary>What each stage reads and writes</summary>\n");
    table_begin(p, "buffers", false, "Buffers of each stage, with the bytes of one call");
    table_columns(p, headings, 3);
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *stage = &w->stages[k];
        table_row_begin(p);
        table_stage(p, stage->name, colour_of(w, stage->name));
        for (int writes = 0; writes < 2; writes++) {
            const char *comma = "";
            page_markup(p, "<td class=\"text prose\">");
            for (int b = 0; b < stage->buffer_count; b++)
                if (stage->buffers[b].writes == (writes == 1)) {
                    page_print(p, "%s%s %s", comma, stage->buffers[b].name,
                               number_bytes(stage->buffers[b].bytes).text);
                    comma = ", ";
                }
            page_markup(p, "</td>");
        }
        table_row_end(p);
    }
    table_end(p);
    page_markup(p, "</details>\n");
}

void section_stages(page *p, const prof_report *report, const prof_report_window *w)
{
    if (w->stage_count == 0) {
        page_element(p, "p", NULL, "No stage ran in this window.");
        return;
    }
    const scales s = scales_of(report, w);
    table_begin(p, "stages", true, "Stages of a step, the largest share first");
    heading(p, &s);
    bool has_buffers = false, exceeds = false;
    for (int k = 0; k < w->stage_count; k++) {
        row(p, w, &w->stages[k], &s);
        has_buffers = has_buffers || w->stages[k].buffer_count > 0;
        exceeds = exceeds || w->stages[k].fraction > 1.0;
    }
    table_end(p);
    if (!s.has_cost)
        page_element(p, "p", "note",
                     "The profile does not say what the stages must do, so there are no bytes, "
                     "operations and rates.");
    if (exceeds)
        page_element(p, "p", "note",
                     "More than 100 %% of a ceiling: caches served what the formulas count as "
                     "moved to or from memory.");
    if (has_buffers)
        buffers(p, w);
}
