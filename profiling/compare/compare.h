/* Two runs side by side: every quantity that both measured, what else differs between them, and
 * the ways to show that. */
#ifndef PROFILING_COMPARE_COMPARE_H
#define PROFILING_COMPARE_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "compare/measured.h"

/* Probability that any of the quantities of two equal runs is told to differ, at most. */
#define PROF_COMPARISON_TAIL 0.01

typedef struct prof_comparison_row {
    const prof_quantity *a, *b;
    prof_difference difference;
} prof_comparison_row;

/* What is not the same in both; "" where one of them does not tell. */
typedef struct prof_comparison_change {
    const char *name, *a, *b;
    bool is_task; /* the runs did different work */
} prof_comparison_change;

typedef struct prof_comparison {
    const prof_measured *a, *b;
    prof_comparison_row *rows; /* the most important first */
    int row_count;
    prof_comparison_change *changes;
    int change_count;
    bool between_windows; /* whether all intervals are from the spread between windows */
    double tail;          /* of every single interval: PROF_COMPARISON_TAIL over their number */
} prof_comparison;

/* Compare; NULL if there is no memory. To be destroyed before the runs are. */
prof_comparison *prof_compare(const prof_measured *a, const prof_measured *b);
void prof_comparison_destroy(prof_comparison **comparison);

/* The quantity that B is slowest in, of those that are significantly slower by more than a
 * fraction; NULL if there is none. */
const prof_comparison_row *prof_comparison_worst(const prof_comparison *comparison, double allowed);

/* What the step and so on are called: "gradient", "gradient (GPU)". And a verdict in words. */
enum { PROF_LABEL_SIZE = 80 };
void prof_comparison_label(const prof_comparison_row *row, char label[PROF_LABEL_SIZE]);
const char *prof_verdict_text(prof_verdict verdict);
/* What a reader should know before trusting the intervals; lines, "" ends them. */
enum { PROF_NOTES = 8, PROF_NOTE_SIZE = 400 };
void prof_comparison_notes(const prof_comparison *comparison,
                           char notes[PROF_NOTES][PROF_NOTE_SIZE]);

/* Write it: at most 100 columns of text; one page of HTML that needs nothing else (false after one
 * warning). JSON: NULL if there is no memory. */
void prof_comparison_write_text(const prof_comparison *comparison, FILE *file);
bool prof_comparison_write_html(const prof_comparison *comparison, const char *path, prof_log *log);
json_t *prof_comparison_json(const prof_comparison *comparison);

#endif
