#define _GNU_SOURCE /* qsort_r */
#include "window/statistics.h"

#include <math.h>
#include <stdlib.h>

prof_groups *prof_groups_create(int64_t most, prof_order *order)
{
    prof_groups *groups = calloc(1, sizeof *groups);
    if (groups == NULL)
        return NULL;
    groups->order = order;
    groups->values = malloc((size_t)(most + 1) * sizeof *groups->values);
    if (groups->values == NULL)
        prof_groups_destroy(&groups);
    return groups;
}

void prof_groups_add(prof_groups *groups, const void *item, int64_t value)
{
    groups->values[groups->value_count++] = (prof_value){item, value};
}

void prof_groups_destroy(prof_groups **pointer)
{
    prof_groups *groups = *pointer;
    if (groups == NULL)
        return;
    free(groups->values);
    free(groups->group);
    free(groups);
    *pointer = NULL;
}

/* Ascending order. */
static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double prof_median(double *values, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (isnan(values[k]))
            return NAN;
    qsort(values, (size_t)count, sizeof *values, by_size);
    return count > 0 ? 0.5 * (values[(count - 1) / 2] + values[count / 2]) : NAN;
}

static int compare_items(const prof_groups *groups, const void *a, const void *b)
{
    return groups->order != NULL && a != b ? groups->order(a, b) : 0;
}

/* Order by item, then by value, then by address of the item. */
static int compare_values(const void *a, const void *b, void *groups)
{
    const prof_value *x = a, *y = b;
    const int items = compare_items(groups, x->item, y->item);
    if (items != 0)
        return items;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->item > y->item) - (x->item < y->item);
}

/* Quantile of the sorted values, interpolated linearly. */
static double at_fraction(const prof_group *group, double fraction)
{
    const double place = fraction * (double)(group->count - 1);
    const int64_t below = (int64_t)place;
    const int64_t above = below + 1 < group->count ? below + 1 : below;
    const double low = (double)group->values[below].value;
    return low + (place - (double)below) * ((double)group->values[above].value - low);
}

static prof_group group_of(const prof_value *values, int64_t count)
{
    prof_group group = {.item = values[0].item,
                        .values = values,
                        .count = count,
                        .min = values[0].value,
                        .max = values[count - 1].value};
    for (int64_t k = 0; k < count; k++)
        group.total += values[k].value;
    group.mean = (double)group.total / (double)count;
    group.low = at_fraction(&group, 0.25);
    group.median = at_fraction(&group, 0.5);
    group.high = at_fraction(&group, 0.75);
    double squares = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const double off = (double)values[k].value - group.mean;
        squares += off * off;
    }
    group.deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0.0;
    return group;
}

/* Number of consecutive values from `start` on that belong to its group. */
static int64_t length_from(const prof_groups *groups, int64_t start)
{
    int64_t end = start + 1;
    while (end < groups->value_count &&
           compare_items(groups, groups->values[start].item, groups->values[end].item) == 0)
        end++;
    return end - start;
}

/* Order by descending total. Groups of equal total keep the order of their items. */
static int larger_total(const void *a, const void *b)
{
    const prof_group *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->values < y->values ? -1 : 1;
}

prof_groups *prof_groups_finish(prof_groups *groups)
{
    int64_t count = 0;
    qsort_r(groups->values, (size_t)groups->value_count, sizeof *groups->values, compare_values,
            groups);
    for (int64_t k = 0; k < groups->value_count; k += length_from(groups, k))
        count++;
    groups->group = malloc((size_t)(count + 1) * sizeof *groups->group);
    if (groups->group == NULL) {
        prof_groups_destroy(&groups);
        return NULL;
    }
    int64_t start = 0;
    for (; groups->count < count; groups->count++) {
        const int64_t length = length_from(groups, start);
        groups->group[groups->count] = group_of(&groups->values[start], length);
        groups->total += groups->group[groups->count].total;
        start += length;
    }
    qsort(groups->group, (size_t)count, sizeof *groups->group, larger_total);
    return groups;
}

const prof_group *prof_groups_find(const prof_groups *groups, const void *item)
{
    for (int64_t k = 0; k < groups->count; k++)
        if (compare_items(groups, groups->group[k].item, item) == 0)
            return &groups->group[k];
    return NULL;
}
