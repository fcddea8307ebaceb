/* Rules of the diagnosis for a GPU: launches, idle gaps, copies, kernels. */
#include <math.h>
#include <string.h>

#include "report/diagnosis.h"

static int64_t volume(const int64_t size[3])
{
    return size[0] * size[1] * size[2];
}

/* Share of the window outside of the phase that steps are in: output, diagnostics. */
static double share_outside_steps(const prof_report_window *w)
{
    for (int k = 0; k < w->region_count; k++)
        if (strcmp(w->regions[k].kind, "phase") == 0 && strcmp(w->regions[k].name, "steps") == 0)
            return fmax(1.0 - w->regions[k].host.total / w->duration, 0.0);
    return 0.0;
}

/* Whether ranks exchange messages, which start and end between kernels. */
static bool has_messages(const prof_report_window *w)
{
    return w->ranks.count > 0;
}

/* Whether MPI carries them through the host. Waits for messages of NCCL are not recorded. */
static bool has_mpi_messages(const prof_report_window *w)
{
    return has_messages(w) && isfinite(w->ranks.exposed_share);
}

bool find_host_bound(diagnosis *c)
{
    const prof_report_window *w = c->window;
    double count = 0.0;
    const double time = measure_calls(c, "runtime", "Launch", &count) / w->duration;
    const double outside = share_outside_steps(w);
    if (!w->has_gpu || !(w->gpu.idle_share - outside > limit_idle) ||
        !(time > limit_launch_share * (1.0 - outside)))
        return false;
    return found(
        c, pattern_host_bound, severity_of(w->gpu.idle_share, limit_idle_bad),
        "The host launches kernels more slowly than the GPU executes them, so the GPU runs out of "
        "work.",
        strcmp(w->tracing.launch, "graph") == 0
            ? "Fuse stages, use longer graphs (knob graph_steps), or use a larger grid.n. "
              "Reserve a CPU core for the launching thread."
        : has_mpi_messages(w)
            ? "The host waits for messages within a step, so steps start kernel by kernel. Let "
              "NCCL carry them (parallel.transport: nccl): steps then run as graphs. Use fewer "
              "ranks or a larger grid.n. Reserve a CPU core for the launching thread of each rank."
        : has_messages(w)
            ? "A window of several ranks starts kernel by kernel. Outside of it steps run as "
              "graphs, unless the knob graph_steps is 0 or few steps are started at once: compare "
              "both times (tracing in summary.json)."
            : "No graph launched steps of this window: profile.launch is eager, the knob "
              "graph_steps is 0, or too few steps are started at once (output.every, "
              "diagnostics.every).",
        "The GPU was idle for %.0f %% of the window, while the host spent %.0f %% of it in "
        "%.0f launches (%.1f us each); kernels started %.1f us after the launch call returned.",
        100.0 * w->gpu.idle_share, 100.0 * time, count, 1e-3 * time * w->duration / count,
        w->gpu.queue.count > 0 ? 1e-3 * w->gpu.queue.median : 0.0);
}

bool find_idle_gaps(diagnosis *c)
{
    const prof_report_window *w = c->window;
    double waits = 0.0;
    const double idle = w->gpu.idle_share, outside = share_outside_steps(w);
    if (!w->has_gpu || w->gpu.ops == 0 || !(idle > limit_idle) ||
        finding_exists(w, pattern_host_bound))
        return false;
    measure_calls(c, "synchronize", "", &waits);
    const bool host_worked = outside > 0.5 * idle;
    const bool host_waited = waits >= (double)w->steps && w->steps > 0;
    const bool by_messages = host_waited && has_mpi_messages(w);
    return found(
        c, pattern_idle_gaps, severity_of(idle, limit_idle_bad),
        host_worked   ? "The GPU is idle while the host writes output or diagnostics."
        : by_messages ? "The host waits in every step for the GPU and for messages of other ranks, "
                        "and the GPU is idle until the next launch."
        : host_waited ? "The host synchronizes with the GPU in every step, and the GPU is idle "
                        "until the next launch."
                      : "The host launches the next kernel late: it does other work between "
                        "launches, or another process uses its core.",
        host_worked   ? "Write less often (output.every, diagnostics.every)."
        : by_messages ? "Use fewer ranks or a larger grid.n, or let NCCL carry the messages "
                        "(parallel.transport: nccl)."
        : host_waited ? "Read results from the GPU only where they are needed, so that launches "
                        "stay asynchronous."
                      : "Use the timeline to find the host activity in the gaps. Reserve a CPU "
                        "core for the launching thread.",
        "The GPU was idle for %.0f %% of the window (%.3f ms of %.3f ms); %.0f %% of the "
        "window was outside of steps, and the host synchronized with the GPU %.0f times.",
        100.0 * idle, 1e-6 * idle * w->duration, 1e-6 * w->duration, 100.0 * outside, waits);
}

bool find_copies(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const transfers moved = measure_transfers(c);
    const double share = moved.time / w->duration, rate = 1e9 * moved.bytes / moved.time;
    if (!(share > limit_copies))
        return false;
    return found(
        c, pattern_copies, severity_of(share, limit_copies_bad),
        rate < limit_pageable
            ? "Data are transferred within the window, at the rate of pageable host memory."
            : "Data are transferred between host and device within the window.",
        has_mpi_messages(w)
            ? "Let NCCL carry the messages of the ranks (parallel.transport: nccl): those of "
              "MPI pass through host memory. Write fields and diagnostics less often "
              "(output.every, diagnostics.every)."
            : "Keep data on the device; write fields and diagnostics less often (output.every, "
              "diagnostics.every) or fewer of them (output.fields).",
        "%.0f copies between host and device used %.0f %% of the window: %.1f MB in %.3f "
        "ms, %.1f GB/s.",
        moved.count, 100.0 * share, 1e-6 * moved.bytes, 1e-6 * moved.time, 1e-9 * rate);
}

bool find_small_kernels(diagnosis *c)
{
    const prof_report_window *w = c->window;
    double launches = 0.0, small = 0.0, time = 0.0, small_time = 0.0;
    for (int k = 0; k < w->kernel_count; k++) {
        const prof_spread *t = &w->kernels[k].time;
        launches += (double)t->count;
        time += t->total;
        if (t->mean < limit_kernel_small) {
            small += (double)t->count;
            small_time += t->total;
        }
    }
    if (!(small > limit_small_launches * launches) || !(small_time > limit_small_time * time))
        return false;
    return found(
        c, pattern_small_kernels, PROF_GRADE_WARNING,
        "The launch latency of such a short kernel is comparable with its execution time.",
        "Fuse stages, or use a larger grid.n. For a grid of this size a CPU may be as fast.",
        "%.0f of %.0f launches are of kernels shorter than %.0f us on average (%.1f us); "
        "they use %.0f %% of the kernel time; %.0f kernels a step.",
        small, launches, 1e-3 * limit_kernel_small, 1e-3 * small_time / small,
        100.0 * small_time / time, measure_kernels_per_step(c));
}

bool find_few_blocks(diagnosis *c)
{
    const prof_report_window *w = c->window;
    const int64_t processors = c->report->device.multiprocessors;
    const prof_report_kernel *most = NULL;
    double share = 0.0;
    for (int k = 0; k < w->kernel_count; k++) {
        const prof_report_kernel *kernel = &w->kernels[k];
        if (volume(kernel->grid) >= processors)
            continue;
        share += kernel->share;
        most = most == NULL ? kernel : most;
    }
    if (most == NULL || !(share > limit_few_blocks_share) ||
        finding_exists(w, pattern_small_kernels))
        return false;
    return found(c, pattern_few_blocks, PROF_GRADE_WARNING,
                 "The grid does not provide a block for every multiprocessor.",
                 "Use a larger grid.n, or run several cases on the GPU concurrently.",
                 "Kernels with %.0f %% of the kernel time have fewer blocks than the GPU has "
                 "multiprocessors (%lld): the longest, in stage %s, has %lld.",
                 100.0 * share, (long long)processors, most->stage, (long long)volume(most->grid));
}

/* Kernels of a kind together: their share of the time, and the largest of them. */
typedef struct kernels {
    const prof_report_kernel *most;
    double share;
} kernels;

static void add_kernel(kernels *sum, const prof_report_kernel *kernel)
{
    sum->most = sum->most == NULL ? kernel : sum->most;
    sum->share += kernel->share;
}

bool find_low_occupancy(diagnosis *c)
{
    const prof_report_window *w = c->window;
    kernels low = {NULL, 0.0};
    for (int k = 0; k < w->kernel_count; k++)
        if (w->kernels[k].occupancy < limit_occupancy)
            add_kernel(&low, &w->kernels[k]);
    if (low.most == NULL || !(low.share > limit_occupancy_share))
        return false;
    const prof_report_kernel *most = low.most;
    const long long shared = most->static_shared + most->dynamic_shared;
    return found(
        c, pattern_low_occupancy,
        most->occupancy < limit_occupancy_bad ? PROF_GRADE_BAD : PROF_GRADE_WARNING,
        "Registers or shared memory limit the resident blocks of a multiprocessor, so latencies "
        "are not hidden.",
        "Use fewer registers (__launch_bounds__, less unrolling), less shared memory or another "
        "block size. More instruction-level parallelism per thread compensates for low occupancy.",
        "Kernels with %.0f %% of the kernel time have a theoretical occupancy below %.0f "
        "%%; the longest, in stage %s, has %.0f %%: %lld registers a thread, %lld "
        "threads and %lld bytes of shared memory a block.",
        100.0 * low.share, limit_occupancy, most->stage, most->occupancy,
        (long long)most->registers, (long long)volume(most->block), shared);
}

bool find_spills(diagnosis *c)
{
    const prof_report_window *w = c->window;
    kernels spilling = {NULL, 0.0};
    for (int k = 0; k < w->kernel_count; k++)
        if (w->kernels[k].local > 0)
            add_kernel(&spilling, &w->kernels[k]);
    if (spilling.most == NULL || !(spilling.share > limit_spill_share))
        return false;
    return found(
        c, pattern_spills, severity_of(spilling.share, limit_spill_share_bad),
        "Values that do not fit into registers, and arrays indexed at run time, are stored in "
        "local memory, which is device memory.",
        "Reduce live values (less unrolling, recomputation), raise the register limit, or use "
        "constant indices. tools/kernel-resources lists all kernels.",
        "Kernels with %.0f %% of the kernel time use local memory; the longest, in stage "
        "%s, uses %lld bytes a thread with %lld registers.",
        100.0 * spilling.share, spilling.most->stage, (long long)spilling.most->local,
        (long long)spilling.most->registers);
}
