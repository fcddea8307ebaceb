/* Tables of a window: rows of comma-separated values (RFC 4180, lines end in LF). */
#ifndef PROFILING_OUTPUTS_TABLES_TABLES_H
#define PROFILING_OUTPUTS_TABLES_TABLES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/statistics.h"
#include "trace/trace.h"

typedef struct csv {
    FILE *file;
    bool within_row;
} csv;

/* Append a field. It is quoted where necessary, and preceded by an apostrophe if a spreadsheet
 * could evaluate it as a formula. NULL is an empty field. */
void csv_text(csv *out, const char *text);
void csv_format(csv *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void csv_integer(csv *out, int64_t value);
void csv_real(csv *out, double value, int decimals);
void csv_empty(csv *out, int fields);
void csv_end_row(csv *out);

/* Statistics of a group as nsys prints them: mean, median, least, most and standard deviation [ns],
 * five fields. csv_summary writes share (percent of `all`), total and count before them, eight. */
void csv_times(csv *out, const prof_group *group);
void csv_summary(csv *out, const prof_group *group, int64_t all);

/* Write the rows of a table. False: out of memory. */
typedef bool table_rows(const prof_trace *trace, csv *out);

table_rows table_kernels, table_copy_times, table_copy_sizes, table_gpu_trace, table_kernel_stats;
table_rows table_calls, table_regions, table_projections, table_threads;

#endif
