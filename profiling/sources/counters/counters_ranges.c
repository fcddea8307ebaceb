#include "sources/counters/counters_ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool prof_counters_ranges_create(prof_counters_ranges *ranges, int most)
{
    *ranges =
        (prof_counters_ranges){.range = calloc((size_t)most, sizeof *ranges->range), .most = most};
    return ranges->range != NULL;
}

void prof_counters_ranges_destroy(prof_counters_ranges *ranges)
{
    for (int k = 0; k < ranges->launch_count; k++)
        free(ranges->launch[k].kernel);
    free(ranges->launch);
    free(ranges->range);
    *ranges = (prof_counters_ranges){.range = NULL};
}

void prof_counters_ranges_end_pass(prof_counters_ranges *ranges)
{
    if (ranges->next != ranges->count)
        ranges->differs = true;
    ranges->pass++;
    ranges->next = 0;
}

/* The first pass determines the ranges. */
static const char *add(prof_counters_ranges *ranges, const char *stage)
{
    if (ranges->count == ranges->most) {
        ranges->dropped++;
        return NULL;
    }
    prof_counters_range *range = &ranges->range[ranges->count];
    range->stage = stage;
    snprintf(range->name, sizeof range->name, "%d", ranges->count);
    ranges->next = ++ranges->count;
    return range->name;
}

const char *prof_counters_ranges_next(prof_counters_ranges *ranges, const char *stage)
{
    if (ranges->pass == 0)
        return add(ranges, stage);
    if (ranges->next == ranges->count) { /* ranges that the first pass dropped are dropped again */
        ranges->differs = ranges->differs || ranges->dropped == 0;
        return NULL;
    }
    const prof_counters_range *range = &ranges->range[ranges->next++];
    if (strcmp(range->stage, stage) == 0)
        return range->name;
    ranges->differs = true;
    return NULL;
}

void prof_counters_ranges_launch(prof_counters_ranges *ranges, const char *stage,
                                 const char *kernel)
{
    for (int k = 0; k < ranges->launch_count; k++) {
        prof_counters_launch *launch = &ranges->launch[k];
        if (strcmp(launch->stage, stage) != 0 || strcmp(launch->kernel, kernel) != 0)
            continue;
        launch->count++;
        return;
    }
    prof_counters_launch *grown =
        prof_grow(ranges->launch, ranges->launch_count, &ranges->launch_room, sizeof *grown);
    ranges->launch = grown != NULL ? grown : ranges->launch;
    char *copy = grown != NULL ? strdup(kernel) : NULL;
    if (copy != NULL)
        grown[ranges->launch_count++] = (prof_counters_launch){stage, copy, 1};
    else
        ranges->no_memory = true;
}

const char *prof_counters_ranges_stage(const prof_counters_ranges *ranges, const char *name)
{
    char *end = NULL;
    const long number = strtol(name, &end, 10);
    const bool known = end != name && *end == '\0' && number >= 0 && number < ranges->count;
    return known ? ranges->range[number].stage : NULL;
}
