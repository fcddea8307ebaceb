/* Kernels of the GPU. */
#include <math.h>

#include "report/html/colour.h"
#include "report/html/sections.h"
#include "report/html/table.h"

static void sizes_cell(page *p, const int64_t sizes[3])
{
    page_element(p, "td", NULL, "%lld×%lld×%lld", (long long)sizes[0], (long long)sizes[1],
                 (long long)sizes[2]);
}

static void kernel_row(page *p, const prof_report_window *w, const prof_report_kernel *k,
                       scale total, scale call)
{
    table_row_begin(p);
    page_markup(p, "<th scope=\"row\" class=\"text\"><i class=\"swatch %s\"></i><code title=\"",
                colour_class(colour_of(w, k->stage)));
    page_text(p, k->name);
    page_markup(p, "\">");
    page_text(p, k->name);
    page_markup(p, "</code></th>");
    table_text(p, k->stage[0] != '\0' ? k->stage : "–");
    table_count(p, k->time.count);
    table_share(p, k->share);
    table_number(p, total, k->time.total);
    table_number(p, call, k->time.median);
    sizes_cell(p, k->grid);
    sizes_cell(p, k->block);
    table_count(p, k->registers);
    table_count(p, k->static_shared + k->dynamic_shared);
    table_count(p, k->local);
    table_share(p, k->occupancy / 100.0);
    table_row_end(p);
}

void section_kernels(page *p, const prof_report *report, const prof_report_window *w)
{
    if (w->kernel_count == 0) {
        page_element(p, "p", NULL,
                     report->device.is_gpu
                         ? "The profile holds no kernel: CUPTI delivered none in this window."
                         : "There are no kernels: no GPU computed in this run.");
        return;
    }
    double most = 0.0, longest = 0.0;
    for (int k = 0; k < w->kernel_count; k++) {
        most = fmax(most, w->kernels[k].time.total);
        longest = fmax(longest, w->kernels[k].time.median);
    }
    const scale total = scale_time(most), call = scale_time(longest);
    const column columns[] = {{"Kernel", NULL, NULL, true},
                              {"Stage", NULL, NULL, true},
                              {"Runs", NULL, "launches in the window", false},
                              {"Share", "of kernels", NULL, false},
                              {"Total", total.unit, NULL, false},
                              {"Median", call.unit, NULL, false},
                              {"Grid", "blocks", NULL, false},
                              {"Block", "threads", NULL, false},
                              {"Regs", NULL, "registers of a thread", false},
                              {"Shared", "B", "of a block, static and dynamic", false},
                              {"Local", "B", "of a thread: spills and stack", false},
                              {"Occupancy", "theoretical", NULL, false}};
    table_begin(p, "kernels", true, "Kernels by stage and launch, the largest total first");
    table_columns(p, columns, 12);
    for (int k = 0; k < w->kernel_count; k++)
        kernel_row(p, w, &w->kernels[k], total, call);
    table_end(p);
}
