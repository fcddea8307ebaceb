/* STATISTICS of what a trace holds: values (times [ns] or sizes [B]) grouped by what they are of.
 *
 * n values take n log n. Totals are exact; quartiles lie between neighbours linearly; the deviation
 * is that of a sample, with n - 1, as nsys has it (0 for one value). */
#ifndef PROFILING_TRACE_STATISTICS_H
#define PROFILING_TRACE_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* A value, and what it is of: an operation, a call, a span. */
typedef struct prof_value {
    const void *item;
    int64_t value;
} prof_value;

/* Items are of one group where their order is 0; less and more as of strcmp. */
typedef int prof_order(const void *a, const void *b);

typedef struct prof_group {
    const void *item;         /* one that stands for all */
    const prof_value *values; /* `count`, ascending */
    int64_t count, total, min, max;
    double mean, median, low, high; /* low and high: quartiles */
    double deviation;
} prof_group;

typedef struct prof_groups {
    prof_group *group; /* largest total first, equal ones in their order */
    int64_t count;
    int64_t total; /* of all groups */
    /* private */
    prof_value *values;
    int64_t value_count;
    prof_order *order;
} prof_groups;

/* Groups with room for `most` values, in the order `order`; NULL makes one group of them all. NULL
 * if there is no memory. */
prof_groups *prof_groups_create(int64_t most, prof_order *order);
void prof_groups_add(prof_groups *groups, const void *item, int64_t value);
/* All values are there: make the groups. Without memory the groups are destroyed and NULL. */
prof_groups *prof_groups_finish(prof_groups *groups);
void prof_groups_destroy(prof_groups **groups);

/* The group that an item belongs to; NULL if there is none. */
const prof_group *prof_groups_find(const prof_groups *groups, const void *item);

#endif
