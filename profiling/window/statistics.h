/* STATISTICS of a trace: values (times [ns] or sizes [B]) grouped by the items that they belong to.
 *
 * Grouping n values costs O(n log n). Totals are exact; quartiles are interpolated linearly; the
 * deviation is the sample standard deviation (n - 1), as in nsys, and 0 for one value. */
#ifndef PROFILING_WINDOW_STATISTICS_H
#define PROFILING_WINDOW_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* A value and its item: an operation, a call or a span. */
typedef struct prof_value {
    const void *item;
    int64_t value;
} prof_value;

/* Order of items, as strcmp; items of one group compare equal. */
typedef int prof_order(const void *a, const void *b);

typedef struct prof_group {
    const void *item;         /* representative of the group */
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

/* Groups with capacity for `most` values. Without an order (NULL) all values form one group. NULL
 * without memory. */
prof_groups *prof_groups_create(int64_t most, prof_order *order);
/* Add a value of an item. The groups keep the pointer `item`. */
void prof_groups_add(prof_groups *groups, const void *item, int64_t value);
/* Form the groups after all values were added. Without memory they are destroyed: NULL. */
prof_groups *prof_groups_finish(prof_groups *groups);
void prof_groups_destroy(prof_groups **groups);

/* The median of values of `count` quantities, which it sorts. NAN: one of them is, or there is
 * none.
 */
double prof_median(double *values, int64_t count);

/* The group of an item; NULL: none. */
const prof_group *prof_groups_find(const prof_groups *groups, const void *item);

#endif
