/* The tables of a window, and the fields of their rows. */
#include "outputs/tables/tables.h"

#include <stdarg.h>
#include <string.h>

#include "outputs/output.h"

#define TIMES          "Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
#define SUMMARY(count) "Time (%),Total Time (ns)," count "," TIMES

typedef struct table {
    const char *name, *heading;
    table_rows *rows;
} table;

/* Every window has every table; an empty table is its heading. Names and headings are those of nsys
 * stats, and of XProf for kernel_stats. */
static const table tables[] = {
    {"cuda_gpu_kern_sum.csv", SUMMARY("Instances") "Name", table_kernels},
    {"cuda_api_sum.csv", SUMMARY("Num Calls") "Name", table_calls},
    {"cuda_gpu_mem_time_sum.csv", SUMMARY("Count") "Operation", table_copy_times},
    {"cuda_gpu_mem_size_sum.csv",
     "Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation",
     table_copy_sizes},
    {"nvtx_sum.csv", SUMMARY("Instances") "Style,Range", table_regions},
    {"nvtx_gpu_proj_sum.csv",
     "Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns),"
     "Proj Med (ns),Proj Min (ns),Proj Max (ns),Proj StdDev (ns),Total GPU Ops,Avg GPU Ops,"
     "Avg Range Lvl,Avg Num Child",
     table_projections},
    {"cuda_gpu_trace.csv",
     "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
     "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name",
     table_gpu_trace},
    {"kernel_stats.csv",
     "rank,kernel_name,registers_per_thread,shmem_bytes,block_dim,grid_dim,occupancy_pct,op_name,"
     "occurrences,total_duration_us,avg_duration_us,min_duration_us,max_duration_us",
     table_kernel_stats},
    {"cpu_thread_sum.csv",
     "Stage,Thread,Share of Stage (%),Total Time (ns),Instances," TIMES
     "Imbalance,Task Clock (ns),Context Switches,Instructions,Cycles,Cache Misses,"
     "Instructions per Cycle",
     table_threads},
};

static void begin_field(csv *out)
{
    if (out->within_row)
        putc(',', out->file);
    out->within_row = true;
}

void csv_text(csv *out, const char *text)
{
    begin_field(out);
    if (text == NULL)
        return;
    /* a spreadsheet evaluates a text with such a first character as a formula */
    const char *mark = text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL ? "'" : "";
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fprintf(out->file, "%s%s", mark, text);
        return;
    }
    fprintf(out->file, "\"%s", mark);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', out->file);
        putc(*text, out->file);
    }
    putc('"', out->file);
}

void csv_format(csv *out, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    csv_text(out, text);
}

void csv_integer(csv *out, int64_t value)
{
    begin_field(out);
    fprintf(out->file, "%lld", (long long)value);
}

void csv_real(csv *out, double value, int decimals)
{
    begin_field(out);
    fprintf(out->file, "%.*f", decimals, value);
}

void csv_empty(csv *out, int fields)
{
    for (int k = 0; k < fields; k++)
        begin_field(out);
}

void csv_end_row(csv *out)
{
    putc('\n', out->file);
    out->within_row = false;
}

void csv_times(csv *out, const prof_group *group)
{
    csv_real(out, group->mean, 1);
    csv_real(out, group->median, 1);
    csv_integer(out, group->min);
    csv_integer(out, group->max);
    csv_real(out, group->deviation, 1);
}

void csv_summary(csv *out, const prof_group *group, int64_t all)
{
    csv_real(out, all > 0 ? 100.0 * (double)group->total / (double)all : 0.0, 1);
    csv_integer(out, group->total);
    csv_integer(out, group->count);
    csv_times(out, group);
}

static bool write_table(const prof_trace *trace, const table *table, const char *directory,
                        prof_log *log)
{
    FILE *file = prof_file_open(directory, table->name, log);
    if (file == NULL)
        return false;
    fprintf(file, "%s\n", table->heading);
    const bool complete = table->rows(trace, &(csv){.file = file});
    if (!complete)
        prof_warn(log, "%s/%s: out of memory for its rows", directory, table->name);
    return prof_file_close(file, directory, table->name, log) && complete;
}

bool prof_write_tables(const prof_trace *trace, const char *directory, prof_log *log)
{
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (!write_table(trace, &tables[k], directory, log))
            return false;
    return true;
}
