/* Tables of the GPU: kernels, copies, operations. */
#include <stdlib.h>

#include "outputs/tables/tables.h"
#include "trace/groupings.h"

static const double bytes_per_megabyte = 1e6, ns_per_us = 1e3;

/* Times of operations, grouped by name; destroys the groups. */
static bool write_times(prof_groups *groups, csv *out)
{
    if (groups == NULL)
        return false;
    for (int64_t k = 0; k < groups->count; k++) {
        const prof_op *op = groups->group[k].item;
        csv_summary(out, &groups->group[k], groups->total);
        csv_text(out, op->name);
        csv_end_row(out);
    }
    prof_groups_destroy(&groups);
    return true;
}

bool table_kernels(const prof_trace *trace, csv *out)
{
    return write_times(prof_group_kernels(trace), out);
}

bool table_copy_times(const prof_trace *trace, csv *out)
{
    return write_times(prof_group_copy_times(trace), out);
}

static void write_megabytes(csv *out, double bytes)
{
    csv_real(out, bytes / bytes_per_megabyte, 3);
}

bool table_copy_sizes(const prof_trace *trace, csv *out)
{
    prof_groups *groups = prof_group_copy_sizes(trace);
    if (groups == NULL)
        return false;
    for (int64_t k = 0; k < groups->count; k++) {
        const prof_group *g = &groups->group[k];
        write_megabytes(out, (double)g->total);
        csv_integer(out, g->count);
        write_megabytes(out, g->mean);
        write_megabytes(out, g->median);
        write_megabytes(out, (double)g->min);
        write_megabytes(out, (double)g->max);
        write_megabytes(out, g->deviation);
        csv_text(out, ((const prof_op *)g->item)->name);
        csv_end_row(out);
    }
    prof_groups_destroy(&groups);
    return true;
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
    if (ns > 0)
        write_megabytes(out, 1e9 * (double)op->bytes / (double)ns);
    else
        csv_empty(out, 1);
    csv_text(out, kinds[op->kind == PROF_OP_FILL ? op->to : op->from]);
    csv_text(out, op->kind == PROF_OP_FILL ? NULL : kinds[op->to]);
}

/* Starts count from the start of the window. */
bool table_gpu_trace(const prof_trace *trace, csv *out)
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

bool table_kernel_stats(const prof_trace *trace, csv *out)
{
    prof_groups *groups = prof_group_launches(trace);
    if (groups == NULL)
        return false;
    for (int64_t k = 0; k < groups->count; k++) {
        const prof_group *g = &groups->group[k];
        const prof_op *op = g->item;
        csv_integer(out, k + 1);
        csv_text(out, op->name);
        csv_integer(out, op->registers);
        csv_integer(out, (int64_t)op->static_shared + op->dynamic_shared);
        csv_format(out, "%d,%d,%d", op->block[0], op->block[1], op->block[2]);
        csv_format(out, "%d,%d,%d", op->grid[0], op->grid[1], op->grid[2]);
        if (op->occupancy >= 0.0)
            csv_real(out, op->occupancy, 2);
        else
            csv_empty(out, 1);
        csv_text(out, op->stage);
        csv_integer(out, g->count);
        csv_real(out, (double)g->total / ns_per_us, 3);
        csv_real(out, g->mean / ns_per_us, 3);
        csv_real(out, (double)g->min / ns_per_us, 3);
        csv_real(out, (double)g->max / ns_per_us, 3);
        csv_end_row(out);
    }
    prof_groups_destroy(&groups);
    return true;
}
