/* The gate of a comparison: whether B keeps within a limit, or whether the spread hides it. */
#include <math.h>
#include <stdio.h>

#include "compare/compare.h"

static bool has_gpu_times(const prof_comparison *c)
{
    for (int k = 0; k < c->row_count; k++)
        if (c->rows[k].a->on_gpu)
            return true;
    return false;
}

/* Whether the gate needs to know this row. */
static bool must_be_known(const prof_comparison_row *row, bool on_gpu)
{
    const double share = fmax(row->a->share, row->b->share);
    return row->a->kind != PROF_PHASE && row->a->on_gpu == on_gpu &&
           (row->a->kind == PROF_STEP || share >= PROF_GATE_SHARE);
}

/* Upper end of a row's interval; infinite where none is known. */
static double highest(const prof_comparison_row *row)
{
    return row->difference.verdict == PROF_NOT_JUDGED ? INFINITY : row->difference.high;
}

/* The row of the largest significant slow-down beyond the limit; -1 if there is none. */
static int find_slowest(const prof_comparison *c, double limit)
{
    int slowest = -1;
    for (int k = 0; k < c->row_count; k++) {
        const prof_difference *d = &c->rows[k].difference;
        const double most = slowest >= 0 ? c->rows[slowest].difference.change : limit;
        if (d->verdict == PROF_SLOWER && d->change > most)
            slowest = k;
    }
    return slowest;
}

void prof_comparison_set_limit(prof_comparison *c, double limit)
{
    const bool on_gpu = has_gpu_times(c);
    int widest = -1;
    prof_gate gate = {PROF_GATE_INCONCLUSIVE, limit, -1, limit};
    for (int k = 0; k < c->row_count; k++) {
        const prof_comparison_row *row = &c->rows[k];
        if (!must_be_known(row, on_gpu))
            continue;
        if (widest < 0 || highest(row) > highest(&c->rows[widest]))
            widest = k;
        if (row->difference.verdict == PROF_NOT_JUDGED || isnan(gate.detectable))
            gate.detectable = NAN;
        else
            gate.detectable = fmax(gate.detectable, row->difference.detectable);
    }
    if (widest < 0)
        gate.detectable = NAN;
    gate.row = find_slowest(c, limit);
    if (gate.row >= 0) {
        gate.verdict = PROF_GATE_SLOWER;
    } else if (widest >= 0 && highest(&c->rows[widest]) <= limit) {
        gate.verdict = PROF_GATE_PASSED;
        gate.row = widest;
    } else {
        gate.row = widest;
    }
    c->gate = gate;
}

const char *prof_gate_name(prof_gate_verdict verdict)
{
    static const char *const names[] = {NULL, "passed", "slower", "inconclusive"};
    return names[verdict];
}

/* Rounded up, so that the figure is not less than the change that is needed. */
static double upwards(double percent)
{
    const double unit = percent < 10.0 ? 0.1 : 1.0;
    return unit * ceil(percent / unit - 1e-9);
}

static void describe_uncertain(const prof_gate *gate, const char *label,
                               const prof_comparison_row *row, char *text, size_t size)
{
    if (row->difference.verdict == PROF_NOT_JUDGED)
        snprintf(text, size, "inconclusive: too few samples to judge %s", label);
    else
        snprintf(text, size,
                 "inconclusive: %s may be up to %.1f %% slower in B than in A, more than %g %%; "
                 "would notice >= %g %%",
                 label, 100.0 * row->difference.high, 100.0 * gate->limit,
                 upwards(100.0 * gate->detectable));
}

void prof_gate_text(const prof_comparison *c, char text[PROF_GATE_SIZE])
{
    const prof_gate *gate = &c->gate;
    const prof_comparison_row *row = gate->row >= 0 ? &c->rows[gate->row] : NULL;
    char label[PROF_LABEL_SIZE] = "";
    text[0] = '\0';
    if (row == NULL) {
        if (gate->verdict == PROF_GATE_INCONCLUSIVE)
            snprintf(text, PROF_GATE_SIZE, "inconclusive: no time of a step is in both runs");
        return;
    }
    prof_comparison_label(row, label);
    if (gate->verdict == PROF_GATE_SLOWER)
        snprintf(text, PROF_GATE_SIZE, "%s is %.1f %% slower in B than in A, more than %g %%",
                 label, 100.0 * row->difference.change, 100.0 * gate->limit);
    else if (gate->verdict == PROF_GATE_PASSED)
        snprintf(text, PROF_GATE_SIZE,
                 "passed: the step and its larger stages are at most %.1f %% slower in B than in A "
                 "(limit %g %%); would notice >= %g %%",
                 fmax(0.0, 100.0 * row->difference.high), 100.0 * gate->limit,
                 upwards(100.0 * gate->detectable));
    else if (gate->verdict == PROF_GATE_INCONCLUSIVE)
        describe_uncertain(gate, label, row, text, PROF_GATE_SIZE);
}
