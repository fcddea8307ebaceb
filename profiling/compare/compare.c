#include "compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Phases of two runs are comparable only after the same number of steps. */
static bool is_comparable(const prof_comparison *c, const prof_timed_region *quantity)
{
    return quantity->kind != PROF_PHASE || c->a->last_step == c->b->last_step;
}

static double share_of(const prof_comparison_row *row)
{
    return row->a->share > row->b->share ? row->a->share : row->b->share;
}

/* Total time of a phase. */
static double phase_time(const prof_comparison_row *row)
{
    return row->a->kind == PROF_PHASE ? row->a->medians.median[0] : 0.0;
}

/* Order of rows: phases last; GPU times before host times, because with a GPU the host only
 * launches; then the larger share of a step first. */
static int compare_importance(const void *left, const void *right)
{
    const prof_comparison_row *x = left, *y = right;
    const int phase = (x->a->kind == PROF_PHASE) - (y->a->kind == PROF_PHASE);
    const int place = y->a->on_gpu - x->a->on_gpu;
    const double share = share_of(y) - share_of(x), time = phase_time(y) - phase_time(x);
    if (phase != 0)
        return phase;
    if (place != 0)
        return place;
    if (share != 0.0)
        return share > 0.0 ? 1 : -1;
    if (time != 0.0)
        return time > 0.0 ? 1 : -1;
    return strcmp(x->a->name, y->a->name);
}

static void test_rows(prof_comparison *c)
{
    int judged = 0;
    c->between_windows = true;
    for (int k = 0; k < c->row_count; k++)
        judged += c->rows[k].a->kind != PROF_PHASE;
    c->tail = PROF_COMPARISON_TAIL / (judged > 0 ? judged : 1);
    for (int k = 0; k < c->row_count; k++) {
        prof_comparison_row *row = &c->rows[k];
        row->difference = prof_difference_of(&row->a->medians, &row->b->medians, c->tail);
        if (row->a->kind != PROF_PHASE)
            c->between_windows &= row->difference.between_windows;
    }
}

static void match_regions(prof_comparison *c)
{
    for (int k = 0; k < c->a->region_count; k++) {
        const prof_timed_region *a = &c->a->regions[k];
        const prof_timed_region *b = prof_run_times_find(c->b, a->name, a->kind, a->on_gpu);
        if (b != NULL && is_comparable(c, a))
            c->rows[c->row_count++] = (prof_comparison_row){.a = a, .b = b};
    }
}

/* Match the step of several ranks with the step of a run of one rank. */
static void match_ranks(prof_comparison *c, bool on_gpu)
{
    static const char name[] = "ranks: step";
    const prof_timed_region *a = prof_run_times_find(c->a, name, PROF_STEP, on_gpu);
    const prof_timed_region *b = prof_run_times_find(c->b, name, PROF_STEP, on_gpu);
    const prof_run_times *one = a == NULL ? c->a : c->b;
    const prof_timed_region *step = prof_run_times_find(one, "step", PROF_STEP, on_gpu);
    if ((a == NULL) == (b == NULL) || one->ranks > 1 || step == NULL)
        return;
    c->one_rank = *step;
    snprintf(c->one_rank.name, sizeof c->one_rank.name, "%s", name);
    c->rows[c->row_count++] =
        (prof_comparison_row){.a = a != NULL ? a : &c->one_rank, .b = b != NULL ? b : &c->one_rank};
}

static bool is_in_row(const prof_comparison *c, const prof_timed_region *region)
{
    for (int k = 0; k < c->row_count; k++)
        if (c->rows[k].a == region || c->rows[k].b == region)
            return true;
    return false;
}

static int compare_share(const void *left, const void *right)
{
    const prof_comparison_lone *x = left, *y = right;
    const double share = y->region->share - x->region->share;
    return share != 0.0 ? (share > 0.0) - (share < 0.0) : strcmp(x->region->name, y->region->name);
}

/* Add the regions of a run that the other one does not contain. */
static void add_lone(prof_comparison *c, const prof_run_times *from, const prof_run_times *other)
{
    const int first = c->lone_count;
    for (int k = 0; k < from->region_count; k++) {
        const prof_timed_region *q = &from->regions[k];
        if (is_in_row(c, q) || !is_comparable(c, q) ||
            prof_run_times_find(other, q->name, q->kind, q->on_gpu) != NULL)
            continue;
        const prof_timed_region *step = prof_run_times_find(from, "step", PROF_STEP, q->on_gpu);
        const bool is_part = q->kind != PROF_PHASE && step != NULL;
        c->lone[c->lone_count++] =
            (prof_comparison_lone){q, from == c->b, prof_middle_of(&q->medians),
                                   is_part ? q->share * prof_middle_of(&step->medians) : NAN};
    }
    qsort(c->lone + first, (size_t)(c->lone_count - first), sizeof *c->lone, compare_share);
}

static const prof_run_property *find_property(const prof_run_times *run, const char *name)
{
    for (int k = 0; k < run->property_count; k++)
        if (strcmp(run->properties[k].name, name) == 0)
            return &run->properties[k];
    return NULL;
}

static void match_properties(prof_comparison *c)
{
    for (int k = 0; k < c->a->property_count; k++) {
        const prof_run_property *a = &c->a->properties[k];
        const prof_run_property *b = find_property(c->b, a->name);
        const char *text = b != NULL ? b->text : "";
        if (strcmp(a->text, text) != 0)
            c->changes[c->change_count++] =
                (prof_comparison_change){a->name, a->text, text, a->is_task};
    }
    for (int k = 0; k < c->b->property_count; k++) {
        const prof_run_property *b = &c->b->properties[k];
        if (find_property(c->a, b->name) == NULL && b->text[0] != '\0')
            c->changes[c->change_count++] =
                (prof_comparison_change){b->name, "", b->text, b->is_task};
    }
}

prof_comparison *prof_compare(const prof_run_times *a, const prof_run_times *b)
{
    prof_comparison *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    const size_t properties = (size_t)a->property_count + (size_t)b->property_count;
    c->a = a;
    c->b = b;
    c->rows = calloc((size_t)a->region_count + 2, sizeof *c->rows);
    c->lone = calloc((size_t)a->region_count + (size_t)b->region_count + 1, sizeof *c->lone);
    c->changes = calloc(properties + 1, sizeof *c->changes);
    if (c->rows == NULL || c->lone == NULL || c->changes == NULL) {
        prof_comparison_destroy(&c);
        return NULL;
    }
    match_properties(c);
    match_regions(c);
    match_ranks(c, false);
    match_ranks(c, true);
    add_lone(c, a, b);
    add_lone(c, b, a);
    test_rows(c);
    qsort(c->rows, (size_t)c->row_count, sizeof *c->rows, compare_importance);
    return c;
}

void prof_comparison_destroy(prof_comparison **comparison)
{
    prof_comparison *c = *comparison;
    *comparison = NULL;
    if (c == NULL)
        return;
    free(c->rows);
    free(c->lone);
    free(c->changes);
    free(c);
}

/* ---- the gate: whether B keeps within a limit ---- */

/* Whether the gate requires a known interval of this row. Waits for messages are in their stages.
 */
static bool decides_gate(const prof_comparison_row *row, bool on_gpu)
{
    const double share = fmax(row->a->share, row->b->share);
    return row->a->kind != PROF_PHASE && row->a->kind != PROF_WAIT && row->a->on_gpu == on_gpu &&
           (row->a->kind == PROF_STEP || share >= PROF_GATE_SHARE);
}

/* Upper end of a row's interval; infinite where none is known. */
static double upper_bound(const prof_comparison_row *row)
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
        if (c->rows[k].a->kind != PROF_WAIT && d->verdict == PROF_SLOWER && d->change > most)
            slowest = k;
    }
    return slowest;
}

void prof_comparison_set_limit(prof_comparison *c, double limit)
{
    bool on_gpu = false;
    int widest = -1;
    prof_gate gate = {PROF_GATE_INCONCLUSIVE, limit, -1, limit};
    for (int k = 0; k < c->row_count; k++)
        on_gpu |= c->rows[k].a->on_gpu;
    for (int k = 0; k < c->row_count; k++) {
        const prof_comparison_row *row = &c->rows[k];
        if (!decides_gate(row, on_gpu))
            continue;
        if (widest < 0 || upper_bound(row) > upper_bound(&c->rows[widest]))
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
    } else if (widest >= 0 && upper_bound(&c->rows[widest]) <= limit) {
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
static double round_up(double percent)
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
                 round_up(100.0 * gate->detectable));
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
    prof_comparison_label(row->a, label);
    if (gate->verdict == PROF_GATE_SLOWER)
        snprintf(text, PROF_GATE_SIZE, "%s is %.1f %% slower in B than in A, more than %g %%",
                 label, 100.0 * row->difference.change, 100.0 * gate->limit);
    else if (gate->verdict == PROF_GATE_PASSED)
        snprintf(text, PROF_GATE_SIZE,
                 "passed: the step and its larger stages are at most %.1f %% slower in B than in A "
                 "(limit %g %%); would notice >= %g %%",
                 fmax(0.0, 100.0 * row->difference.high), 100.0 * gate->limit,
                 round_up(100.0 * gate->detectable));
    else if (gate->verdict == PROF_GATE_INCONCLUSIVE)
        describe_uncertain(gate, label, row, text, PROF_GATE_SIZE);
}
