/* Ranges of a pass: the calls of stages within a step, in order, and their kernel launches. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_RANGES_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "window/trace.h"

enum { PROF_COUNTERS_NAME = 12 };

typedef struct prof_counters_range {
    const char *stage;
    char name[PROF_COUNTERS_NAME]; /* its number, because CUPTI identifies ranges by name */
} prof_counters_range;

typedef struct prof_counters_launch {
    const char *stage;
    char *kernel; /* mangled */
    int64_t count;
} prof_counters_launch;

typedef struct prof_counters_ranges {
    prof_counters_range *range;
    int most, count;              /* capacity; ranges of the first pass */
    int pass, next;               /* current pass, from 0; index of its next range */
    bool differs;                 /* a pass had other ranges than the first one */
    int64_t dropped;              /* ranges of the first pass beyond the capacity */
    prof_counters_launch *launch; /* of the first pass */
    int launch_count;
    int64_t launch_room;
    bool no_memory; /* some launches were lost */
} prof_counters_ranges;

/* Allocate `most` ranges; false without memory. */
bool prof_counters_ranges_create(prof_counters_ranges *ranges, int most);
void prof_counters_ranges_destroy(prof_counters_ranges *ranges);

/* End the pass; the next one may begin. */
void prof_counters_ranges_end_pass(prof_counters_ranges *ranges);

/* Name of the range of the next call of a stage; NULL: the call is not counted. */
const char *prof_counters_ranges_next(prof_counters_ranges *ranges, const char *stage);

/* Record a kernel launch of a stage. */
void prof_counters_ranges_launch(prof_counters_ranges *ranges, const char *stage,
                                 const char *kernel);

/* Stage of a range by its name; NULL: unknown. */
const char *prof_counters_ranges_stage(const prof_counters_ranges *ranges, const char *name);

#endif
