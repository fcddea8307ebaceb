/* The planes of the GPUs: one line per stream. */
#include <stdlib.h>
#include <strings.h>

#include "outputs/items.h"
#include "outputs/xplane/internal.h"
#include "window/analysis.h"

/* Kinds of work in the name of a stream's line. Copies are in the order of `copies`; the last is
 * for copies with an unknown end. */
enum { WORK_COMPUTE, WORK_COPY, WORK_OTHER_COPY = 5, WORK_FILL, WORK_COUNT };
static const char *const works[WORK_COUNT] = {"Compute",   "MemcpyH2H", "MemcpyH2D", "MemcpyD2H",
                                              "MemcpyD2D", "Memcpy",    "Memset"};
/* XProf recognises copies by these names. */
static const char *const copies[] = {"MemcpyHToH", "MemcpyHToD", "MemcpyDToH", "MemcpyDToD"};
static const char *const memories[] = {"unknown", "pageable", "pinned",
                                       "device",  "array",    "managed"};

/* Side of a copy's end: 0 host, 1 device, -1 unknown. */
static int end_of(prof_memory_kind kind)
{
    switch (kind) {
    case PROF_MEMORY_PAGEABLE:
    case PROF_MEMORY_PINNED:
        return 0;
    case PROF_MEMORY_DEVICE:
    case PROF_MEMORY_ARRAY:
        return 1;
    default:
        return -1;
    }
}

/* Index into `copies`; -1 if an end is unknown. */
static int direction_of(const prof_op *op)
{
    const int from = end_of(op->from), to = end_of(op->to);
    return from < 0 || to < 0 ? -1 : 2 * from + to;
}

static int work_of(const prof_op *op)
{
    if (op->kind == PROF_OP_KERNEL)
        return WORK_COMPUTE;
    if (op->kind == PROF_OP_FILL)
        return WORK_FILL;
    const int direction = direction_of(op);
    return direction < 0 ? WORK_OTHER_COPY : WORK_COPY + direction;
}

static void stat_kernel(xplane_stats *stats, const prof_op *op)
{
    char text[256];
    int at = snprintf(text, sizeof text,
                      "regs:%d static_shared:%d dynamic_shared:%d grid:%d,%d,%d block:%d,%d,%d",
                      op->registers, op->static_shared, op->dynamic_shared, op->grid[0],
                      op->grid[1], op->grid[2], op->block[0], op->block[1], op->block[2]);
    if (op->occupancy >= 0.0)
        snprintf(text + at, sizeof text - (size_t)at, " occ_pct:%g", op->occupancy);
    xplane_stat_text(stats, "kernel_details", text);
    if (op->local > 0)
        xplane_stat_integer(stats, "local_bytes_per_thread", op->local);
    if (op->graph != 0) {
        xplane_stat_natural(stats, "cuda_graph_id", op->graph);
        xplane_stat_natural(stats, "cuda_graph_node_id", op->graph_node);
    }
}

static void stat_transfer(xplane_stats *stats, const prof_op *op)
{
    char text[128];
    const unsigned long long bytes = op->bytes;
    if (op->kind == PROF_OP_FILL) {
        snprintf(text, sizeof text, "kind:%s size:%llu dest:%d async:%d", memories[op->to], bytes,
                 op->device, op->asynchronous);
        xplane_stat_text(stats, "Memset_details", text);
        return;
    }
    snprintf(text, sizeof text, "kind_src:%s kind_dst:%s size:%llu dest:%d async:%d",
             memories[op->from], memories[op->to], bytes, op->device, op->asynchronous);
    xplane_stat_text(stats, "memcpy_details", text);
}

/* ---- operations of a step ---- */

typedef struct step_time {
    int64_t start, end;
} step_time;

typedef struct step_launches {
    const prof_trace *trace;
    prof_launches launches;
    step_time *steps; /* [step_count] by start */
    int64_t step_count;
    const xplane_program *program;
    int64_t *kernel_time; /* by stage: of its kernels within steps [ns] */
    int64_t *passed_time; /* of those that are written */
} step_launches;

/* False: out of memory. Release it in both cases. */
static bool launches_collect(step_launches *all, const prof_trace *trace,
                             const xplane_program *program)
{
    *all = (step_launches){.trace = trace, .program = program};
    all->steps = malloc((size_t)(trace->span_count + 1) * sizeof *all->steps);
    for (int64_t k = 0; all->steps != NULL && k < trace->span_count; k++)
        if (trace->spans[k].kind == PROF_STEP || trace->spans[k].kind == PROF_LAUNCH)
            all->steps[all->step_count++] = (step_time){trace->spans[k].start, trace->spans[k].end};
    const size_t stages = (size_t)program->graph.stage_count + 1;
    all->kernel_time = calloc(stages, sizeof *all->kernel_time);
    all->passed_time = calloc(stages, sizeof *all->passed_time);
    return prof_launches_of(trace, &all->launches) && all->steps != NULL &&
           all->kernel_time != NULL && all->passed_time != NULL;
}

static void launches_release(step_launches *all)
{
    free(all->launches.call);
    free(all->steps);
    free(all->kernel_time);
    free(all->passed_time);
}

/* Whether a time (the key) is before, in or after a step. */
static int compare_step(const void *key, const void *entry)
{
    const int64_t time = *(const int64_t *)key;
    const step_time *step = entry;
    return time < step->start ? -1 : time >= step->end;
}

/* Whether an operation was launched in a step or, if its launch is unknown, started in one. */
static bool is_of_step(const step_launches *all, const prof_op *op)
{
    const prof_launch_call *launch = prof_launches_find(&all->launches, op->correlation);
    const int32_t called = launch != NULL ? all->trace->calls[launch->call].span : -1;
    const int32_t span = called >= 0 ? called : op->span;
    if (span >= 0)
        return prof_trace_step_of(all->trace, span) >= 0;
    return bsearch(&op->start, all->steps, (size_t)all->step_count, sizeof *all->steps,
                   compare_step) != NULL;
}

static void add_kernel_times(step_launches *all)
{
    for (int64_t k = 0; k < all->trace->op_count; k++) {
        const prof_op *op = &all->trace->ops[k];
        const xplane_kernel *kernel = xplane_program_find(all->program, op);
        if (kernel != NULL && is_of_step(all, op))
            all->kernel_time[kernel->stage] += op->end - op->start;
    }
}

/* The part of an amount between two times of a whole, such that all parts add up to the amount. */
static uint64_t part_of(double amount, int64_t from, int64_t to, int64_t whole)
{
    const double a = amount * (double)from / (double)whole, b = amount * (double)to / (double)whole;
    return (uint64_t)(b + 0.5) - (uint64_t)(a + 0.5);
}

/* For an operation of a step: the instruction of the program, and the part of the stage's work that
 * is this kernel's. Kernels share work by time. */
static void stat_program(xplane_stats *stats, const step_launches *all, const prof_op *op)
{
    const xplane_kernel *kernel = xplane_program_find(all->program, op);
    if (kernel == NULL || all->kernel_time[kernel->stage] == 0)
        return;
    const int32_t k = kernel->stage;
    const flow_stage *stage = &all->program->graph.stages[k];
    const double calls = (double)stage->calls;
    double bytes = stage->read + stage->written, flops = stage->cost->flops;
    prof_counted_work(all->trace, stage->name, &bytes, &flops);
    const int64_t from = all->passed_time[k], to = from + op->end - op->start;
    all->passed_time[k] = to;
    xplane_stat_text(stats, "hlo_op", kernel->instruction);
    xplane_stat_text(stats, "hlo_module", all->program->name);
    xplane_stat_natural(stats, "program_id", (uint64_t)all->program->id);
    xplane_stat_natural(stats, "flops", part_of(calls * flops, from, to, all->kernel_time[k]));
    xplane_stat_natural(stats, "bytes_accessed",
                        part_of(calls * bytes, from, to, all->kernel_time[k]));
}

static void add_op(const prof_trace *trace, const step_launches *launches, xplane_plane *plane,
                   const prof_op *op)
{
    xplane_stats stats = {.plane = plane};
    if (is_of_step(launches, op)) {
        xplane_stat_natural(&stats, "correlation_id", op->correlation);
        stat_program(&stats, launches, op);
    } else { /* under XProf's own name it would count as work of a step */
        xplane_stat_natural(&stats, "correlation", op->correlation);
        xplane_stat_integer(&stats, "_ct", XPLANE_TIE_TYPE);
        xplane_stat_natural(&stats, "_c", XPLANE_TIE_NUMBER);
    }
    xplane_stat_natural(&stats, "context_id", (uint64_t)op->context);
    if (op->stage != NULL) {
        char text[XPLANE_OP_NAME_SIZE];
        xplane_op_name(trace, op->span, op->stage, text);
        xplane_stat_text(&stats, "tf_op", text);
    }
    if (op->kind == PROF_OP_KERNEL)
        stat_kernel(&stats, op);
    else
        stat_transfer(&stats, op);
    const int64_t start = xplane_offset(plane, op->start), end = xplane_offset(plane, op->end);
    if (op->kind == PROF_OP_COPY && direction_of(op) >= 0)
        xplane_event(&stats, copies[direction_of(op)], op->name, start, end);
    else
        xplane_event(&stats, op->name, NULL, start, end);
}

/* The line of one stream, named as XLA does: "Stream #7(Compute,MemcpyD2H)". */
static void add_stream(const prof_trace *trace, const step_launches *launches, xplane_plane *plane,
                       const prof_item *items, int64_t count)
{
    const int32_t stream = prof_row_stream(items[0].row);
    bool has[WORK_COUNT] = {false};
    for (int64_t k = 0; k < count; k++)
        has[work_of(&trace->ops[items[k].index])] = true;
    char name[128];
    size_t at = (size_t)snprintf(name, sizeof name, "Stream #%d", stream);
    char separator = '(';
    for (int work = 0; work < WORK_COUNT; work++)
        if (has[work]) {
            at += (size_t)snprintf(name + at, sizeof name - at, "%c%s", separator, works[work]);
            separator = ',';
        }
    snprintf(name + at, sizeof name - at, ")");
    xplane_line_begin(plane, stream, name);
    for (int64_t k = 0; k < count; k++)
        add_op(trace, launches, plane, &trace->ops[items[k].index]);
    xplane_line_end(plane);
}

/* Stats of the plane; XProf derives the device's peaks from them. */
static void add_device(const prof_trace *trace, xplane_plane *plane)
{
    const prof_device_info *device = &trace->device;
    xplane_stats stats = {.plane = plane};
    /* XProf compares the vendor with its own spelling */
    const bool nvidia = strcasecmp(device->vendor, "nvidia") == 0;
    xplane_stat_text(&stats, "device_vendor", nvidia ? "Nvidia" : device->vendor);
    xplane_stat_text(&stats, "gpu_device_name", device->name);
    if (device->clock > 0.0)
        xplane_stat_integer(&stats, "clock_rate", (int64_t)(device->clock / 1000.0)); /* kHz */
    if (device->multiprocessors > 0)
        xplane_stat_integer(&stats, "core_count", device->multiprocessors);
    if (device->memory_bandwidth > 0.0)
        xplane_stat_natural(&stats, "memory_bandwidth", (uint64_t)device->memory_bandwidth);
    if (device->memory_size > 0.0)
        xplane_stat_natural(&stats, "memory_size", (uint64_t)device->memory_size);
    int major, minor;
    if (sscanf(device->compute_capability, "%d.%d", &major, &minor) == 2) {
        xplane_stat_integer(&stats, "compute_cap_major", major);
        xplane_stat_integer(&stats, "compute_cap_minor", minor);
    }
    if (device->peak_flops > 0.0)
        xplane_stat_real(&stats, "peak_teraflops_per_second", device->peak_flops / 1e12);
    xplane_plane_stats(&stats);
}

/* Append the planes of sorted operations. */
static bool write_planes(const prof_trace *trace, const step_launches *launches,
                         const prof_item *items, FILE *space)
{
    bool complete = true;
    for (int64_t k = 0; k < trace->op_count;) {
        const int32_t device = prof_row_device(items[k].row);
        char name[32];
        snprintf(name, sizeof name, "/device:GPU:%d", device);
        xplane_plane plane;
        xplane_begin(&plane, device, name, trace->start);
        if (device == trace->device.index)
            add_device(trace, &plane);
        while (k < trace->op_count && prof_row_device(items[k].row) == device) {
            const int64_t first = k++;
            while (k < trace->op_count && items[k].row == items[first].row)
                k++;
            add_stream(trace, launches, &plane, items + first, k - first);
        }
        complete = xplane_end(&plane, space) && complete;
    }
    return complete;
}

bool xplane_write_devices(const prof_trace *trace, const xplane_program *program, FILE *space)
{
    step_launches launches;
    const bool collected = launches_collect(&launches, trace, program);
    prof_item *items = prof_items_of_ops(trace);
    bool written = collected && items != NULL;
    if (written) {
        add_kernel_times(&launches);
        written = write_planes(trace, &launches, items, space);
    }
    free(items);
    launches_release(&launches);
    return written;
}
