/* The tables of a window: file, heading, and what writes the rows. */
#ifndef PROFILING_OUTPUTS_TABLES_TABLES_H
#define PROFILING_OUTPUTS_TABLES_TABLES_H

#include "outputs/tables/csv.h"
#include "trace/trace.h"

/* Write the rows; false if there is no memory. */
typedef bool table_rows(const prof_trace *trace, csv *out);

table_rows table_kernels, table_copy_times, table_copy_sizes, table_gpu_trace, table_kernel_stats;
table_rows table_calls, table_regions, table_projections, table_threads;

#endif
