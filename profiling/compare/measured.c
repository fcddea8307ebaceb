#include "compare/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/reading.h"

/* Room for one more item of a list, which grows at powers of two; NULL if there is no memory. */
static void *one_more(void *list, int count, size_t size)
{
    const bool is_full = (count & (count - 1)) == 0;
    return is_full ? realloc(list, size * (count == 0 ? 1 : 2 * (size_t)count)) : list;
}

void prof_measured_destroy(prof_measured **measured)
{
    prof_measured *m = *measured;
    *measured = NULL;
    if (m == NULL)
        return;
    for (int k = 0; k < m->quantity_count; k++)
        free(m->quantities[k].sampled.median);
    free(m->quantities);
    free(m->circumstances);
    free(m);
}

const prof_quantity *prof_measured_find(const prof_measured *measured, const char *name,
                                        prof_kind kind, bool on_gpu)
{
    for (int k = 0; k < measured->quantity_count; k++) {
        const prof_quantity *q = &measured->quantities[k];
        if (q->kind == kind && q->on_gpu == on_gpu && strcmp(q->name, name) == 0)
            return q;
    }
    return NULL;
}

bool measured_note(prof_measured *measured, const char *name, const char *text, bool is_task)
{
    prof_circumstance *list = one_more(measured->circumstances, measured->circumstance_count,
                                       sizeof *measured->circumstances);
    if (list == NULL)
        return false;
    measured->circumstances = list;
    prof_circumstance *c = &list[measured->circumstance_count++];
    *c = (prof_circumstance){.is_task = is_task};
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->text, sizeof c->text, "%s", text);
    return true;
}

/* The quantity that is named, made if it is not there; NULL if there is no memory. */
static prof_quantity *quantity_at(prof_measured *measured, const prof_quantity *named)
{
    const prof_quantity *found =
        prof_measured_find(measured, named->name, named->kind, named->on_gpu);
    if (found != NULL)
        return &measured->quantities[found - measured->quantities];
    prof_quantity *list =
        one_more(measured->quantities, measured->quantity_count, sizeof *measured->quantities);
    if (list == NULL)
        return NULL;
    measured->quantities = list;
    prof_quantity *q = &list[measured->quantity_count++];
    *q = *named;
    q->share = 0.0;
    q->sampled = (prof_medians){0};
    return q;
}

/* What is shorter than the clocks resolve was seen as 0. */
static double resolved(double us)
{
    return fmax(us, 1e-3);
}

/* Standard deviation of logarithms whose quartiles these are, were they normal. */
static double spread_of(measured_value value)
{
    return fmax(log(resolved(value.high_us) / resolved(value.low_us)) / 1.349, 0.0);
}

bool measured_add(prof_measured *measured, const prof_quantity *named, measured_value value)
{
    prof_quantity *q = quantity_at(measured, named);
    if (q == NULL)
        return false;
    prof_medians *s = &q->sampled;
    double *medians = one_more(s->median, s->count, sizeof *medians);
    if (medians == NULL)
        return false;
    s->median = medians;
    s->median[s->count] = resolved(value.median_us);
    s->spread += (spread_of(value) - s->spread) / (s->count + 1);
    s->samples = s->count == 0 || value.samples < s->samples ? value.samples : s->samples;
    q->share += (named->share - q->share) / ++s->count;
    return true;
}

bool measured_set(prof_measured *measured, const prof_quantity *named, measured_value value)
{
    const prof_quantity *earlier =
        prof_measured_find(measured, named->name, named->kind, named->on_gpu);
    if (earlier == NULL)
        return measured_add(measured, named, value);
    earlier->sampled.median[0] = resolved(value.median_us);
    return true;
}
