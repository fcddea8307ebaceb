/* Tables of a window: rows of comma-separated values. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/output.h"
#include "window/analysis.h"

/* ---- fields ---- */

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

/* ---- tables of the GPU ---- */

static const double bytes_per_megabyte = 1e6, ns_per_us = 1e3;

/* Write the fields of row `k`; `total` is the total of all groups. */
typedef void group_row(csv *out, const prof_group *group, int64_t k, int64_t total);

/* One row for each group; destroys the groups. False without groups: out of memory. */
static bool write_groups(prof_groups *groups, csv *out, group_row *row)
{
    if (groups == NULL)
        return false;
    for (int64_t k = 0; k < groups->count; k++) {
        row(out, &groups->group[k], k, groups->total);
        csv_end_row(out);
    }
    prof_groups_destroy(&groups);
    return true;
}

static void write_optional(csv *out, bool is_known, double value, int decimals)
{
    if (is_known)
        csv_real(out, value, decimals);
    else
        csv_empty(out, 1);
}

/* Times of operations of one name. */
static void write_times(csv *out, const prof_group *group, int64_t k, int64_t total)
{
    (void)k;
    csv_summary(out, group, total);
    csv_text(out, ((const prof_op *)group->item)->name);
}

static void write_megabytes(csv *out, double bytes)
{
    csv_real(out, bytes / bytes_per_megabyte, 3);
}

static void write_sizes(csv *out, const prof_group *g, int64_t k, int64_t total)
{
    const double sizes[] = {g->mean, g->median, (double)g->min, (double)g->max, g->deviation};
    (void)k, (void)total;
    write_megabytes(out, (double)g->total);
    csv_integer(out, g->count);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        write_megabytes(out, sizes[s]);
    csv_text(out, ((const prof_op *)g->item)->name);
}

static void write_launch(csv *out, const prof_op *op)
{
    for (int k = 0; k < 3; k++)
        csv_integer(out, op->grid[k]);
    for (int k = 0; k < 3; k++)
        csv_integer(out, op->block[k]);
    csv_integer(out, op->registers);
    write_megabytes(out, op->static_shared);
    write_megabytes(out, op->dynamic_shared);
    csv_empty(out, 4);
}

/* nsys prints the memory of a fill in the column of a copy's source. */
static void write_transfer(csv *out, const prof_op *op)
{
    static const char *const kinds[] = {"Unknown", "Pageable", "Pinned",
                                        "Device",  "Array",    "Managed"};
    const int64_t ns = op->end - op->start;
    csv_empty(out, 9);
    write_megabytes(out, (double)op->bytes);
    write_optional(out, ns > 0, 1e9 * (double)op->bytes / (double)ns / bytes_per_megabyte, 3);
    csv_text(out, kinds[op->kind == PROF_OP_FILL ? op->to : op->from]);
    csv_text(out, op->kind == PROF_OP_FILL ? NULL : kinds[op->to]);
}

/* Starts count from the start of the window. */
static bool table_gpu_trace(const prof_trace *trace, csv *out)
{
    const char *device = trace->device.name;
    for (int64_t k = 0; k < trace->op_count; k++) {
        const prof_op *op = &trace->ops[k];
        csv_integer(out, op->start - trace->start);
        csv_integer(out, op->end - op->start);
        csv_integer(out, op->correlation);
        if (op->kind == PROF_OP_KERNEL)
            write_launch(out, op);
        else
            write_transfer(out, op);
        csv_format(out, "%s (%d)", device[0] != '\0' ? device : "GPU", op->device);
        csv_integer(out, op->context);
        csv_empty(out, 1);
        csv_integer(out, op->stream);
        csv_text(out, op->name);
        csv_end_row(out);
    }
    return true;
}

static void write_stats(csv *out, const prof_group *g, int64_t k, int64_t total)
{
    const prof_op *op = g->item;
    const double times[] = {(double)g->total, g->mean, (double)g->min, (double)g->max};
    (void)total;
    csv_integer(out, k + 1);
    csv_text(out, op->name);
    csv_integer(out, op->registers);
    csv_integer(out, (int64_t)op->static_shared + op->dynamic_shared);
    csv_format(out, "%d,%d,%d", op->block[0], op->block[1], op->block[2]);
    csv_format(out, "%d,%d,%d", op->grid[0], op->grid[1], op->grid[2]);
    write_optional(out, op->occupancy >= 0.0, op->occupancy, 2);
    csv_text(out, op->stage);
    csv_integer(out, g->count);
    for (size_t t = 0; t < sizeof times / sizeof *times; t++)
        csv_real(out, times[t] / ns_per_us, 3);
}

/* ---- tables of the host ---- */

static bool is_api(const prof_group *group)
{
    const prof_call *call = group->item;
    return call->kind == PROF_CALL_RUNTIME || call->kind == PROF_CALL_DRIVER;
}

static bool table_calls(const prof_trace *trace, csv *out)
{
    prof_groups *groups = prof_group_calls(trace);
    if (groups == NULL)
        return false;
    int64_t all = 0;
    for (int64_t k = 0; k < groups->count; k++)
        all += is_api(&groups->group[k]) ? groups->group[k].total : 0;
    for (int64_t k = 0; k < groups->count; k++) {
        const prof_call *call = groups->group[k].item;
        if (!is_api(&groups->group[k]))
            continue;
        csv_summary(out, &groups->group[k], all);
        csv_format(out, "%.*s", prof_call_name_length(call->name), call->name);
        csv_end_row(out);
    }
    prof_groups_destroy(&groups);
    return true;
}

/* The name of a range as nsys prints it: NVTX domain, then name. */
static void write_range(csv *out, const prof_span *span)
{
    csv_format(out, "cubeswe:%s", span->name);
}

static void write_region(csv *out, const prof_group *group, int64_t k, int64_t total)
{
    (void)k;
    csv_summary(out, group, total);
    csv_text(out, "PushPop");
    write_range(out, group->item);
}

/* Number of child regions with operations, for every span; free() it. NULL: out of memory. */
static int64_t *count_children(const prof_trace *trace, const prof_projection *projections)
{
    int64_t *children = calloc((size_t)trace->span_count + 1, sizeof *children);
    if (children == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *span = &trace->spans[k];
        if (span->kind != PROF_THREAD && span->parent >= 0 && projections[k].ops > 0)
            children[span->parent]++;
    }
    return children;
}

static void write_projection(csv *out, const prof_group *group, const prof_trace *trace,
                             const prof_projection *projections, const int64_t *children)
{
    int64_t host = 0, ops = 0, levels = 0, below = 0;
    for (int64_t k = 0; k < group->count; k++) {
        const prof_span *span = group->values[k].item;
        const ptrdiff_t index = span - trace->spans;
        host += span->end - span->start;
        ops += projections[index].ops;
        levels += span->depth;
        below += children[index];
    }
    write_range(out, group->item);
    csv_text(out, "PushPop");
    csv_integer(out, group->total);
    csv_integer(out, host);
    csv_integer(out, group->count);
    csv_times(out, group);
    csv_integer(out, ops);
    csv_real(out, (double)ops / (double)group->count, 1);
    csv_real(out, (double)levels / (double)group->count, 1);
    csv_real(out, (double)below / (double)group->count, 1);
    csv_end_row(out);
}

static bool table_projections(const prof_trace *trace, csv *out)
{
    prof_projection *projections = prof_project(trace);
    if (projections == NULL)
        return false;
    prof_groups *groups = prof_group_projected(trace, projections);
    int64_t *children = count_children(trace, projections);
    const bool ready = groups != NULL && children != NULL;
    for (int64_t k = 0; ready && k < groups->count; k++)
        write_projection(out, &groups->group[k], trace, projections, children);
    free(children);
    prof_groups_destroy(&groups);
    free(projections);
    return ready;
}

static bool table_threads(const prof_trace *trace, csv *out)
{
    prof_thread_works works;
    if (!prof_thread_works_of(trace, &works))
        return false;
    for (int64_t k = 0; k < works.count; k++) {
        const prof_thread_work *w = &works.work[k];
        csv_text(out, w->stage);
        csv_text(out, trace->threads[w->thread].name);
        csv_summary(out, &w->parts, w->stage_total);
        csv_real(out, w->imbalance, 3);
        for (int c = 0; c < PROF_COUNTER_COUNT; c++) /* as the heading names them */
            write_optional(out, w->counts[c] >= 0, (double)w->counts[c], 0);
        write_optional(out, w->instructions_per_cycle >= 0.0, w->instructions_per_cycle, 3);
        csv_end_row(out);
    }
    prof_thread_works_destroy(&works);
    return true;
}

/* ---- code ---- */

static bool table_code_lines(const prof_trace *trace, csv *out)
{
    for (int k = 0; k < trace->parts.line_count; k++) {
        const prof_part_line *line = &trace->parts.line[k];
        csv_text(out, line->stage);
        csv_text(out, line->part);
        csv_text(out, line->kernel);
        csv_text(out, line->file);
        csv_integer(out, line->line);
        csv_integer(out, line->samples);
        csv_end_row(out);
    }
    return true;
}

/* ---- all tables ---- */

#define TIMES          "Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),"
#define SUMMARY(count) "Time (%),Total Time (ns)," count "," TIMES

typedef struct table {
    const char *name, *heading;
    bool (*rows)(const prof_trace *trace, csv *out); /* false: out of memory */
    /* without `rows`: groups, NULL for out of memory, and the row of each */
    prof_groups *(*groups)(const prof_trace *trace);
    group_row *row;
} table;

/* Every window has every table; a table without rows has its heading only. File names and headings
 * are as in nsys stats; kernel_stats is as in XProf. */
static const table tables[] = {
    {"cuda_gpu_kern_sum.csv", SUMMARY("Instances") "Name", NULL, prof_group_kernels, write_times},
    {"cuda_api_sum.csv", SUMMARY("Num Calls") "Name", table_calls, NULL, NULL},
    {"cuda_gpu_mem_time_sum.csv", SUMMARY("Count") "Operation", NULL, prof_group_copy_times,
     write_times},
    {"cuda_gpu_mem_size_sum.csv",
     "Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation", NULL,
     prof_group_copy_sizes, write_sizes},
    {"nvtx_sum.csv", SUMMARY("Instances") "Style,Range", NULL, prof_group_regions, write_region},
    {"nvtx_gpu_proj_sum.csv",
     "Range,Style,Total Proj Time (ns),Total Range Time (ns),Range Instances,Proj Avg (ns),"
     "Proj Med (ns),Proj Min (ns),Proj Max (ns),Proj StdDev (ns),Total GPU Ops,Avg GPU Ops,"
     "Avg Range Lvl,Avg Num Child",
     table_projections, NULL, NULL},
    {"cuda_gpu_trace.csv",
     "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
     "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name",
     table_gpu_trace, NULL, NULL},
    {"kernel_stats.csv",
     "rank,kernel_name,registers_per_thread,shmem_bytes,block_dim,grid_dim,occupancy_pct,op_name,"
     "occurrences,total_duration_us,avg_duration_us,min_duration_us,max_duration_us",
     NULL, prof_group_launches, write_stats},
    {"cpu_thread_sum.csv",
     "Stage,Thread,Share of Stage (%),Total Time (ns),Instances," TIMES
     "Imbalance,Task Clock (ns),Context Switches,Instructions,Cycles,Cache Misses,"
     "Instructions per Cycle",
     table_threads, NULL, NULL},
    {"code_lines.csv", "Stage,Part,Kernel,File,Line,Samples", table_code_lines, NULL, NULL},
};

static bool write_table(const prof_trace *trace, const table *table, const char *directory,
                        swe_log *log)
{
    FILE *file = prof_file_open(directory, table->name, log);
    if (file == NULL)
        return false;
    fprintf(file, "%s\n", table->heading);
    csv out = {.file = file};
    const bool complete = table->rows != NULL
                              ? table->rows(trace, &out)
                              : write_groups(table->groups(trace), &out, table->row);
    if (!complete)
        swe_warn(log, "%s/%s: out of memory for its rows", directory, table->name);
    return prof_file_close(file, directory, table->name, log) && complete;
}

bool prof_write_tables(const prof_trace *trace, const char *directory, swe_log *log)
{
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        if (!write_table(trace, &tables[k], directory, log))
            return false;
    return true;
}
