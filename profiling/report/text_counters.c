/* What the GPU counted, beside the formulas. */
#include <math.h>

#include "report/counted.h"
#include "report/text.h"

static void put_kernels(const text_page *page, const prof_report_counted *s)
{
    for (int k = 0; k < s->kernel_count; k++) {
        fprintf(page->out, "  %4lld x ", (long long)s->kernels[k].launches);
        text_wrapped(page, s->kernels[k].kernel, 9);
    }
}

static void put_pair(const text_page *page, const prof_report_pair *pair)
{
    text_number(page, 1e-6 * pair->counted, 3, 9);
    text_number(page, 1e-6 * pair->formula, 3, 9);
    text_number(page, pair->ratio, 2, 7);
    fputc(counted_differs(pair) ? '!' : ' ', page->out);
}

void text_counters(const text_page *page, const prof_report *report, const prof_report_window *w)
{
    const prof_report_counters *c = &w->counters;
    char verdict[COUNTED_VERDICT_SIZE];
    text_heading(page, "Counters");
    if (c->stage_count == 0) {
        text_wrapped(page, counted_absent(report, w), 0);
        return;
    }
    fprintf(page->out,
            "a call of each stage as %s counted it and by its formulas; its kernels, launched in a "
            "step\n",
            c->chip);
    fputs("stage          calls  us/call  DRAM MB  formula  ratio     L2 MB    L1 MB    MFLOP  "
          "formula  ratio\n",
          page->out);
    for (int k = 0; k < c->stage_count; k++) {
        const prof_report_counted *s = &c->stages[k];
        text_cell(page, s->stage, 14);
        fprintf(page->out, "%6lld", (long long)s->calls);
        text_number(page, 1e-3 * s->time, 1, 9);
        put_pair(page, &s->bytes);
        text_number(page, 1e-6 * s->l2_bytes, 3, 9);
        text_number(page, 1e-6 * s->l1_bytes, 3, 9);
        put_pair(page, &s->flops);
        fputc('\n', page->out);
        put_kernels(page, s);
    }
    counted_verdict(w, verdict);
    text_wrapped(page, verdict, 0);
}
