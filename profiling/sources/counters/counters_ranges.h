/* The ranges of a pass: the calls of stages within a step in their order, and what these launch. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_RANGES_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_RANGES_H

#include <stdbool.h>
#include <stdint.h>

enum { PROF_COUNTERS_NAME = 12 };

typedef struct prof_counters_range {
    const char *stage;
    char name[PROF_COUNTERS_NAME]; /* its number: CUPTI tells ranges apart by their names */
} prof_counters_range;

typedef struct prof_counters_launch {
    const char *stage;
    char *kernel; /* mangled */
    int64_t count;
} prof_counters_launch;

typedef struct prof_counters_ranges {
    prof_counters_range *range;
    int most, count;              /* room; ranges of the first pass */
    int pass, next;               /* the pass, the first being 0; the range that comes next in it */
    bool differs;                 /* a pass has other ranges than the first one */
    int64_t dropped;              /* of the first pass, for which there was no room */
    prof_counters_launch *launch; /* of the first pass */
    int launch_count, launch_room;
    bool no_memory; /* for all launches */
} prof_counters_ranges;

/* Room for `most` ranges; false if there is no memory. */
bool prof_counters_ranges_create(prof_counters_ranges *ranges, int most);
void prof_counters_ranges_destroy(prof_counters_ranges *ranges);

/* A pass ends, and the next one may begin. */
void prof_counters_ranges_end_pass(prof_counters_ranges *ranges);

/* A stage is called: the name of its range, NULL if it is not to be counted. */
const char *prof_counters_ranges_next(prof_counters_ranges *ranges, const char *stage);

/* The stage launches a kernel. */
void prof_counters_ranges_launch(prof_counters_ranges *ranges, const char *stage,
                                 const char *kernel);

/* The stage of the range of that name; NULL if there is none. */
const char *prof_counters_ranges_stage(const prof_counters_ranges *ranges, const char *name);

#endif
