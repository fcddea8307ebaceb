#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>

/* Phases of the whole run mean the same only if the runs were looked at after as many steps. */
static bool can_be_compared(const prof_comparison *c, const prof_quantity *quantity)
{
    return quantity->kind != PROF_PHASE || c->a->last_step == c->b->last_step;
}

static double share_of(const prof_comparison_row *row)
{
    return row->a->share > row->b->share ? row->a->share : row->b->share;
}

/* The time of phases that come once. */
static double once(const prof_comparison_row *row)
{
    return row->a->kind == PROF_PHASE ? row->a->sampled.median[0] : 0.0;
}

/* Phases last; times on the GPU before those of the host, which then only launches; what takes
 * more of a step first. */
static int by_importance(const void *left, const void *right)
{
    const prof_comparison_row *x = left, *y = right;
    const int phase = (x->a->kind == PROF_PHASE) - (y->a->kind == PROF_PHASE);
    const int place = y->a->on_gpu - x->a->on_gpu;
    const double share = share_of(y) - share_of(x), time = once(y) - once(x);
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

static void judge(prof_comparison *c)
{
    int judged = 0;
    c->between_windows = true;
    for (int k = 0; k < c->row_count; k++)
        judged += c->rows[k].a->kind != PROF_PHASE;
    c->tail = PROF_COMPARISON_TAIL / (judged > 0 ? judged : 1);
    for (int k = 0; k < c->row_count; k++) {
        prof_comparison_row *row = &c->rows[k];
        row->difference = prof_difference_of(&row->a->sampled, &row->b->sampled, c->tail);
        if (row->a->kind != PROF_PHASE)
            c->between_windows &= row->difference.between_windows;
    }
}

static void match_quantities(prof_comparison *c)
{
    for (int k = 0; k < c->a->quantity_count; k++) {
        const prof_quantity *a = &c->a->quantities[k];
        const prof_quantity *b = prof_measured_find(c->b, a->name, a->kind, a->on_gpu);
        if (b != NULL && can_be_compared(c, a))
            c->rows[c->row_count++] = (prof_comparison_row){.a = a, .b = b};
    }
}

static const prof_circumstance *find_circumstance(const prof_measured *run, const char *name)
{
    for (int k = 0; k < run->circumstance_count; k++)
        if (strcmp(run->circumstances[k].name, name) == 0)
            return &run->circumstances[k];
    return NULL;
}

static void match_circumstances(prof_comparison *c)
{
    for (int k = 0; k < c->a->circumstance_count; k++) {
        const prof_circumstance *a = &c->a->circumstances[k];
        const prof_circumstance *b = find_circumstance(c->b, a->name);
        const char *text = b != NULL ? b->text : "";
        if (strcmp(a->text, text) != 0)
            c->changes[c->change_count++] =
                (prof_comparison_change){a->name, a->text, text, a->is_task};
    }
    for (int k = 0; k < c->b->circumstance_count; k++) {
        const prof_circumstance *b = &c->b->circumstances[k];
        if (find_circumstance(c->a, b->name) == NULL && b->text[0] != '\0')
            c->changes[c->change_count++] =
                (prof_comparison_change){b->name, "", b->text, b->is_task};
    }
}

prof_comparison *prof_compare(const prof_measured *a, const prof_measured *b)
{
    prof_comparison *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    const size_t circumstances = (size_t)a->circumstance_count + (size_t)b->circumstance_count;
    c->a = a;
    c->b = b;
    c->rows = calloc((size_t)a->quantity_count + 1, sizeof *c->rows);
    c->changes = calloc(circumstances + 1, sizeof *c->changes);
    if (c->rows == NULL || c->changes == NULL) {
        prof_comparison_destroy(&c);
        return NULL;
    }
    match_circumstances(c);
    match_quantities(c);
    judge(c);
    qsort(c->rows, (size_t)c->row_count, sizeof *c->rows, by_importance);
    return c;
}

void prof_comparison_destroy(prof_comparison **comparison)
{
    prof_comparison *c = *comparison;
    *comparison = NULL;
    if (c == NULL)
        return;
    free(c->rows);
    free(c->changes);
    free(c);
}
