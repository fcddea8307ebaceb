/* Comparison of two profiled runs: times of regions of both runs and of one alone, differing
 * properties, a regression gate, and output as text and JSON. */
#ifndef PROFILING_COMPARE_COMPARE_H
#define PROFILING_COMPARE_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "compare/run_times.h"

/* Upper bound of the probability that any region of two equal runs is reported as different. */
#define PROF_COMPARISON_TAIL 0.01

typedef struct prof_comparison_row {
    const prof_timed_region *a, *b;
    prof_difference difference;
} prof_comparison_row;

/* A region that only one run contains. */
typedef struct prof_comparison_lone {
    const prof_timed_region *region;
    bool in_b;      /* else in A */
    double us;      /* median of a call; total of a phase */
    double step_us; /* of all its calls in a step; NaN: a phase, or no step was timed there */
} prof_comparison_lone;

/* A property that differs; "" if a run does not contain it. */
typedef struct prof_comparison_change {
    const char *name, *a, *b;
    bool is_task; /* the runs did different work */
} prof_comparison_change;

/* Whether B keeps within a limit. The step and every stage of at least PROF_GATE_SHARE of it must
 * be known to: a stage below that share can fail the gate and leave it open no more. Where the GPU
 * was timed, times of the host, which only launches, do not leave it open either. */
#define PROF_GATE_SHARE 0.05

typedef enum prof_gate_verdict {
    PROF_GATE_OFF, /* no limit was set */
    PROF_GATE_PASSED,
    PROF_GATE_SLOWER,
    PROF_GATE_INCONCLUSIVE /* no significant slow-down, but an interval reaches above the limit */
} prof_gate_verdict;

typedef struct prof_gate {
    prof_gate_verdict verdict;
    double limit;      /* allowed change, a fraction */
    int row;           /* that decides: the slowest, or the one whose interval reaches upper_bound;
                          -1: none */
    double detectable; /* the least change that the gate would report in every row that must be
                          known; NaN: none is known in one of them */
} prof_gate;

typedef struct prof_comparison {
    const prof_run_times *a, *b;
    prof_comparison_row *rows; /* the most important first */
    int row_count;
    prof_comparison_lone *lone; /* of A, then of B; the larger share of a step first */
    int lone_count;
    prof_timed_region one_rank; /* the step of a run of one rank, beside "ranks: step" */
    prof_comparison_change *changes;
    int change_count;
    bool between_windows; /* whether all intervals are from the spread between windows */
    double tail;          /* of every single interval: PROF_COMPARISON_TAIL over their number */
    prof_gate gate;
} prof_comparison;

/* Compare; NULL if there is no memory. To be destroyed before the runs are. */
prof_comparison *prof_compare(const prof_run_times *a, const prof_run_times *b);
void prof_comparison_destroy(prof_comparison **comparison);

/* Set the gate: B may be slower than A by `limit`, a fraction. */
void prof_comparison_set_limit(prof_comparison *comparison, double limit);

/* Name of a region: "gradient", "gradient (GPU)"; a verdict in words. */
enum { PROF_LABEL_SIZE = 80 };
void prof_comparison_label(const prof_timed_region *region, char label[PROF_LABEL_SIZE]);
const char *prof_verdict_text(prof_verdict verdict);
const char *prof_gate_name(prof_gate_verdict verdict); /* NULL: off */
/* One sentence: the decision of the gate and its reason; "" if the gate is off. */
enum { PROF_GATE_SIZE = 320 };
void prof_gate_text(const prof_comparison *comparison, char text[PROF_GATE_SIZE]);
/* Remarks on the validity of the intervals; "" ends the list. */
enum { PROF_NOTES = 8, PROF_NOTE_SIZE = 400 };
void prof_comparison_notes(const prof_comparison *comparison,
                           char notes[PROF_NOTES][PROF_NOTE_SIZE]);

/* Write it as text of at most 100 columns. */
void prof_comparison_write_text(const prof_comparison *comparison, FILE *file);
/* As JSON (comparison.schema.json), which page/page.h draws; NULL if there is no memory. */
json_t *prof_comparison_json(const prof_comparison *comparison);

#endif
