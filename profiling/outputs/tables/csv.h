/* Rows of comma-separated values (RFC 4180, lines end in LF). */
#ifndef PROFILING_OUTPUTS_TABLES_CSV_H
#define PROFILING_OUTPUTS_TABLES_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/statistics.h"

typedef struct csv {
    FILE *file;
    bool within_row;
} csv;

/* A field; quoted where it must be, behind an apostrophe if it could be a formula. NULL is an empty
 * one. */
void csv_text(csv *out, const char *text);
void csv_format(csv *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void csv_integer(csv *out, int64_t value);
void csv_real(csv *out, double value, int decimals);
void csv_empty(csv *out, int fields);
void csv_end_row(csv *out);

/* What nsys tells of a group: mean, median, least, most and standard deviation [ns], five fields;
 * and with `share` (percent of `all`), total and count before them, eight. */
void csv_times(csv *out, const prof_group *group);
void csv_summary(csv *out, const prof_group *group, int64_t all);

#endif
