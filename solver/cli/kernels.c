/* `cubeswe info --kernels`: the static cost of the stages, and what the compiler made of the
 * kernels. */
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "model/components.h"
#include "occupancy.h"
#include "stages/kernel_resources.h"

static const char no_cuda[] =
    "this build has no compiled CUDA kernels: their registers, shared memory, stack and occupancy "
    "are not known";

/* What is told: costs at one size, and those of a step of each pipeline. */
typedef struct kernel_report {
    int n, order;
    swe_precision precision;
    swe_costs costs;
    swe_step_cost steps[SWE_PIPELINES];
} kernel_report;

static const char *format_of(const kernel_report *report)
{
    return report->precision == SWE_PRECISION_SINGLE ? "fp32" : "fp64";
}

static kernel_report report_of(int n, int order, swe_precision precision)
{
    kernel_report report = {.n = n, .order = order, .precision = precision};
    swe_costs_count(n, order, SWE_PIPELINE_STAGED, precision, &report.costs);
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
        report.steps[pipeline] = swe_step_cost_of(&report.costs, (swe_pipeline)pipeline);
    return report;
}

/* The next compiled form of a kernel for the report, from `*index` on; NULL if there is none. */
static const swe_kernel_resources *next_compiled(const kernel_report *report,
                                                 const swe_kernel *kernel, int *index)
{
    const swe_kernel_resources *r;
    while ((r = swe_kernel_resources_at((*index)++)) != NULL)
        if (strcmp(r->kernel, kernel->name) == 0 && r->precision == report->precision &&
            (r->order == report->order || r->order == 0))
            return r;
    return NULL;
}

/* Percent of the warps that a multiprocessor can hold; -1 if the architecture is not known. */
static double occupancy_of(const swe_kernel *kernel, const swe_kernel_resources *r)
{
    return prof_occupancy(r->architecture / 10, r->architecture % 10,
                          (prof_launch){kernel->block_threads, r->registers, r->shared});
}

static json_t *operations_json(swe_operations operations)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "additions", operations.additions, "multiplications",
                     operations.multiplications, "divisions", operations.divisions, "square_roots",
                     operations.roots);
}

static json_t *buffers_json(const swe_cost *cost)
{
    json_t *all = json_array();
    for (int k = 0; k < cost->access_count; k++)
        json_array_append_new(all, json_pack("{s:s, s:f, s:s}", "name", cost->accesses[k].buffer,
                                             "bytes", cost->accesses[k].bytes, "access",
                                             cost->accesses[k].writes ? "write" : "read"));
    return all;
}

static json_t *totals_json(double flops, double read, double written)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "flops", flops, "read_bytes", read, "written_bytes",
                     written, "flops_per_byte", flops / (read + written));
}

/* A cost, to which the names of what has it are added. */
static json_t *cost_json(const swe_cost *cost)
{
    json_t *all = totals_json(swe_cost_flops(cost->formula), swe_cost_bytes(cost, false),
                              swe_cost_bytes(cost, true));
    json_object_set_new(all, "operations", operations_json(cost->formula));
    json_object_set_new(all, "repeated_operations", operations_json(cost->repeated));
    json_object_set_new(all, "buffers", buffers_json(cost));
    return all;
}

static json_t *compiled_json(const kernel_report *report, const swe_kernel *kernel)
{
    json_t *all = json_array();
    int index = 0;
    for (const swe_kernel_resources *r; (r = next_compiled(report, kernel, &index)) != NULL;) {
        const double occupancy = occupancy_of(kernel, r);
        json_array_append_new(
            all, json_pack("{s:o, s:i, s:i, s:i, s:i, s:i, s:o}", "architecture",
                           json_sprintf("sm_%d", r->architecture), "registers", r->registers,
                           "shared_bytes", r->shared, "stack_bytes", r->stack, "spill_store_bytes",
                           r->spill_stores, "spill_load_bytes", r->spill_loads, "occupancy_percent",
                           occupancy >= 0.0 ? json_real(occupancy) : json_null()));
    }
    return all;
}

static json_t *stages_json(const kernel_report *report)
{
    json_t *all = json_array();
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++) {
        json_t *row = json_pack("{s:s, s:s, s:{s:i, s:i}}", "stage", swe_stage_name(stage),
                                "computes", swe_stage_meaning(stage), "calls_per_step", "fused",
                                swe_component_calls(stage, SWE_PIPELINE_FUSED), "staged",
                                swe_component_calls(stage, SWE_PIPELINE_STAGED));
        json_object_update_new(row, cost_json(&report->costs.stages[stage]));
        json_array_append_new(all, row);
    }
    return all;
}

static json_t *kernels_json(const kernel_report *report)
{
    json_t *all = json_array();
    for (int k = 0; k < SWE_KERNEL_COUNT; k++) {
        const swe_kernel *kernel = &swe_kernels[k];
        json_t *row = json_pack("{s:s, s:s, s:i, s:o}", "kernel", kernel->name, "stage",
                                swe_stage_name(kernel->stage), "block_threads",
                                kernel->block_threads, "compiled", compiled_json(report, kernel));
        json_object_update_new(row, cost_json(&report->costs.kernels[k]));
        json_array_append_new(all, row);
    }
    return all;
}

static json_t *steps_json(const kernel_report *report)
{
    json_t *all = json_object();
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
        const swe_step_cost *step = &report->steps[pipeline];
        json_object_set_new(all, swe_pipeline_name((swe_pipeline)pipeline),
                            totals_json(step->flops, step->read, step->written));
    }
    return all;
}

static swe_status print_json(swe_context *ctx, const kernel_report *report)
{
    json_t *all =
        json_pack("{s:s, s:s, s:i, s:i, s:s, s:o, s:o, s:o, s:s}", "version", swe_version, "build",
                  swe_build, "n", report->n, "order", report->order, "precision", format_of(report),
                  "step", steps_json(report), "stages", stages_json(report), "kernels",
                  kernels_json(report), "note", swe_kernel_resources_at(0) == NULL ? no_cuda : "");
    char *text = all != NULL ? json_dumps(all, JSON_INDENT(1)) : NULL;
    json_decref(all);
    if (text == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the costs of the kernels");
    puts(text);
    free(text);
    return SWE_OK;
}

static void print_row(double read, double written, double flops)
{
    printf(" | %9.3f | %11.3f | %9.3f | %6.3f |", 1e-6 * read, 1e-6 * written, 1e-6 * flops,
           flops / (read + written));
}

static void print_cost(const swe_cost *cost)
{
    print_row(swe_cost_bytes(cost, false), swe_cost_bytes(cost, true),
              swe_cost_flops(cost->formula));
}

static void print_step(const swe_step_cost *step, const char *name, bool fused)
{
    char calls[16];
    snprintf(calls, sizeof calls, "%d", step->calls);
    printf("| %-13s | %19s | %6s", name, fused ? calls : "", fused ? "" : calls);
    print_row(step->read, step->written, step->flops);
    puts(" all of them, as often as they are called");
}

static void print_stages(const kernel_report *report)
{
    puts("| stage         | calls a step: fused | staged |  read, MB | written, MB |     MFLOP | "
         "FLOP/B | computes\n"
         "|---------------|--------------------:|-------:|----------:|------------:|----------:|"
         "-------:|---------");
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++) {
        printf("| %-13s | %19d | %6d", swe_stage_name(stage),
               swe_component_calls(stage, SWE_PIPELINE_FUSED),
               swe_component_calls(stage, SWE_PIPELINE_STAGED));
        print_cost(&report->costs.stages[stage]);
        printf(" %s\n", swe_stage_meaning(stage));
    }
    print_step(&report->steps[SWE_PIPELINE_FUSED], "a fused step", true);
    print_step(&report->steps[SWE_PIPELINE_STAGED], "a staged step", false);
    putchar('\n');
}

static void print_kernels(const kernel_report *report)
{
    puts("| kernel            | stage         | block |  read, MB | written, MB |     MFLOP | "
         "FLOP/B |\n"
         "|-------------------|---------------|------:|----------:|------------:|----------:|------"
         "-:|");
    for (int k = 0; k < SWE_KERNEL_COUNT; k++) {
        printf("| %-17s | %-13s | %5d", swe_kernels[k].name, swe_stage_name(swe_kernels[k].stage),
               swe_kernels[k].block_threads);
        print_cost(&report->costs.kernels[k]);
        putchar('\n');
    }
    putchar('\n');
}

static void print_compiled_kernel(const kernel_report *report, const swe_kernel *kernel)
{
    int index = 0;
    for (const swe_kernel_resources *r; (r = next_compiled(report, kernel, &index)) != NULL;) {
        char occupancy[16] = "unknown";
        if (occupancy_of(kernel, r) >= 0.0)
            snprintf(occupancy, sizeof occupancy, "%.1f %%", occupancy_of(kernel, r));
        printf("| %-17s | sm_%-9d | %9d | %9d | %8d | %10d | %9s |\n", kernel->name,
               r->architecture, r->registers, r->shared, r->stack, r->spill_stores + r->spill_loads,
               occupancy);
    }
}

static void print_compiled(const kernel_report *report)
{
    if (swe_kernel_resources_at(0) == NULL) {
        puts(no_cuda);
        return;
    }
    puts("| kernel            | architecture | registers | shared, B | stack, B | spilled, B | "
         "occupancy |\n"
         "|-------------------|--------------|----------:|----------:|---------:|-----------:|-----"
         "-----:|");
    for (int k = 0; k < SWE_KERNEL_COUNT; k++)
        print_compiled_kernel(report, &swe_kernels[k]);
}

swe_status cli_kernels_print(swe_context *ctx, int n, int order, swe_precision precision,
                             bool as_json)
{
    const kernel_report report = report_of(n, order, precision);
    if (as_json)
        return print_json(ctx, &report);
    printf("What a call does at the least, from the formulas: n = %d, order %d, %s precision, each "
           "value once.\n\n",
           n, order, swe_precision_name(precision));
    print_stages(&report);
    print_kernels(&report);
    print_compiled(&report);
    return SWE_OK;
}
