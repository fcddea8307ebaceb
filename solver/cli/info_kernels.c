/* `cubeswe info --kernels`: static costs of the stages, and the compiler's report of the kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "cli/info.h"
#include "cli/results.h"
#include "run/components.h"
#include "stages/cost.h"
#include "window/device_model.h"
#include "stages/kernel_resources.h"

static const char no_cuda[] =
    "this build has no compiled CUDA kernels: their registers, shared memory, stack and occupancy "
    "are not known";

/* Size and scheme of the costs. */
typedef struct kernels_size {
    int n, order;
    swe_precision precision;
    bool damps[SWE_FLOWS], dissipates[SWE_FLOWS]; /* whether a step of each flow ends with them */
    int advected;                                 /* number of advected fields */
    bool on_cpu; /* costs of the stages on a CPU; the kernels are always a GPU's */
} kernels_size;

/* Plans and costs of one flow. */
typedef struct flow_report {
    swe_step_plan plans[SWE_PIPELINES];
    swe_costs costs, of_kernels;
    swe_step_cost steps[SWE_PIPELINES];
} flow_report;

/* The report: one size, all flows. */
typedef struct kernel_report {
    kernels_size size;
    flow_report flows[SWE_FLOWS];
} kernel_report;

static void report_flow(const kernels_size *size, swe_flow flow, flow_report *out)
{
    swe_cost_case what = {.n = size->n,
                          .order = size->order,
                          .flow = flow,
                          .pipeline = SWE_PIPELINE_STAGED,
                          .precision = size->precision,
                          .advected = size->advected};
    swe_costs_count(&what, &out->of_kernels);
    what.inner_first = size->on_cpu && swe_backend_cpu.inner_first;
    swe_costs_count(&what, &out->costs);
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
        out->plans[pipeline] = (swe_step_plan){.flow = flow,
                                               .pipeline = (swe_pipeline)pipeline,
                                               .damps = size->damps[flow],
                                               .dissipates = size->dissipates[flow],
                                               .advected = size->advected};
        out->steps[pipeline] = swe_step_cost_of(&out->costs, &out->plans[pipeline]);
    }
}

/* The next compiled form of a kernel from `*index` on, at the order and precision of the report;
 * NULL: none. */
static const swe_kernel_resources *next_compiled(const kernel_report *report,
                                                 const swe_kernel *kernel, int *index)
{
    const swe_kernel_resources *r;
    while ((r = swe_kernel_resources_at((*index)++)) != NULL)
        if (strcmp(r->kernel, kernel->name) == 0 && r->precision == report->size.precision &&
            (r->order == report->size.order || r->order == 0))
            return r;
    return NULL;
}

/* The equations of a compiled form. */
static const char *equations_of(const swe_kernel_resources *r)
{
    return r->equations == SWE_LINEAR      ? "linear"
           : r->equations == SWE_NONLINEAR ? "nonlinear"
                                           : "both";
}

/* Share of the warps that a multiprocessor can hold [%]; -1: unknown architecture. */
static double occupancy_of(const swe_kernel *kernel, const swe_kernel_resources *r)
{
    return prof_occupancy(r->architecture / 10, r->architecture % 10,
                          (prof_launch){kernel->block_threads, r->registers, r->shared});
}

static json_t *operations_json(swe_operations operations)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "additions", swe_json_real(operations.additions),
                     "multiplications", swe_json_real(operations.multiplications), "divisions",
                     swe_json_real(operations.divisions), "square_roots",
                     swe_json_real(operations.roots));
}

static json_t *buffers_json(const swe_cost *cost)
{
    json_t *all = json_array();
    for (int k = 0; k < cost->access_count; k++)
        json_array_append_new(all,
                              json_pack("{s:s, s:o, s:s}", "name", cost->accesses[k].buffer,
                                        "bytes", swe_json_real(cost->accesses[k].bytes), "access",
                                        cost->accesses[k].writes ? "write" : "read"));
    return all;
}

static json_t *totals_json(double flops, double read, double written)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "flops", swe_json_real(flops), "read_bytes",
                     swe_json_real(read), "written_bytes", swe_json_real(written), "flops_per_byte",
                     swe_json_real(flops / (read + written)));
}

/* A cost; the caller adds its name. */
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
            all, json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:i, s:o}", "architecture",
                           json_sprintf("sm_%d", r->architecture), "equations", equations_of(r),
                           "registers", r->registers, "shared_bytes", r->shared, "stack_bytes",
                           r->stack, "spill_store_bytes", r->spill_stores, "spill_load_bytes",
                           r->spill_loads, "occupancy_percent", swe_json_nonnegative(occupancy)));
    }
    return all;
}

/* The stages that are active in a flow. */
static json_t *stages_json(const flow_report *flow)
{
    json_t *all = json_array();
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++) {
        if (!swe_stage_is_active(stage, flow->plans[0].flow, flow->plans[0].advected))
            continue;
        json_t *row =
            json_pack("{s:s, s:s, s:{s:i, s:i}}", "stage", swe_stage_name(stage), "computes",
                      swe_stage_meaning(stage), "calls_per_step", "fused",
                      swe_component_calls(stage, &flow->plans[SWE_PIPELINE_FUSED]), "staged",
                      swe_component_calls(stage, &flow->plans[SWE_PIPELINE_STAGED]));
        json_object_update_new(row, cost_json(&flow->costs.stages[stage]));
        json_array_append_new(all, row);
    }
    return all;
}

/* The kernels that a flow launches. */
static json_t *costs_of_kernels_json(const flow_report *flow)
{
    json_t *all = json_array();
    for (int k = 0; k < SWE_KERNEL_COUNT; k++) {
        if (flow->of_kernels.kernels[k].access_count == 0)
            continue;
        json_t *row = json_pack("{s:s, s:s}", "kernel", swe_kernels[k].name, "stage",
                                swe_stage_name(swe_kernels[k].stage));
        json_object_update_new(row, cost_json(&flow->of_kernels.kernels[k]));
        json_array_append_new(all, row);
    }
    return all;
}

static json_t *steps_json(const flow_report *flow)
{
    json_t *all = json_object();
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
        const swe_step_cost *step = &flow->steps[pipeline];
        json_object_set_new(all, swe_pipeline_name((swe_pipeline)pipeline),
                            totals_json(step->flops, step->read, step->written));
    }
    return all;
}

static json_t *flows_json(const kernel_report *report)
{
    json_t *all = json_object();
    for (int k = 0; k < SWE_FLOWS; k++) {
        const flow_report *flow = &report->flows[k];
        json_object_set_new(all, swe_flow_name((swe_flow)k),
                            json_pack("{s:o, s:o, s:o}", "step", steps_json(flow), "stages",
                                      stages_json(flow), "kernels", costs_of_kernels_json(flow)));
    }
    return all;
}

static json_t *kernels_json(const kernel_report *report)
{
    json_t *all = json_array();
    for (int k = 0; k < SWE_KERNEL_COUNT; k++) {
        const swe_kernel *kernel = &swe_kernels[k];
        json_array_append_new(all, json_pack("{s:s, s:s, s:i, s:o}", "kernel", kernel->name,
                                             "stage", swe_stage_name(kernel->stage),
                                             "block_threads", kernel->block_threads, "compiled",
                                             compiled_json(report, kernel)));
    }
    return all;
}

/* ---- tables: one column per flow, empty where a stage is not active -------------------------- */

static void print_number(bool is_there, double value)
{
    if (is_there)
        printf(" | %13.3f", 1e-6 * value);
    else
        printf(" | %13s", "");
}

/* Bytes, then operations, of a stage, or of a kernel if that is not negative. */
static void print_costs(const kernel_report *report, int stage, int kernel)
{
    for (int what = 0; what < 2; what++)
        for (int k = 0; k < SWE_FLOWS; k++) {
            const flow_report *flow = &report->flows[k];
            const swe_cost *cost =
                kernel < 0 ? &flow->costs.stages[stage] : &flow->of_kernels.kernels[kernel];
            print_number(cost->access_count > 0,
                         what == 0 ? swe_cost_bytes(cost, false) + swe_cost_bytes(cost, true)
                                   : swe_cost_flops(cost->formula));
        }
}

static void print_stage(const kernel_report *report, int stage)
{
    printf("| %-13s", swe_stage_name(stage));
    for (int k = 0; k < SWE_FLOWS; k++) {
        const swe_step_plan *plans = report->flows[k].plans;
        char calls[32] = "";
        if (swe_stage_is_active(stage, (swe_flow)k, plans[0].advected))
            snprintf(calls, sizeof calls, "%d, %d",
                     swe_component_calls(stage, &plans[SWE_PIPELINE_FUSED]),
                     swe_component_calls(stage, &plans[SWE_PIPELINE_STAGED]));
        printf(" | %13s", calls);
    }
    print_costs(report, stage, -1);
    printf(" | %s\n", swe_stage_meaning(stage));
}

static void print_step(const kernel_report *report, int pipeline)
{
    printf("| a %s step%s", swe_pipeline_name((swe_pipeline)pipeline),
           pipeline == SWE_PIPELINE_FUSED ? " " : "");
    for (int k = 0; k < SWE_FLOWS; k++)
        printf(" | %13d", report->flows[k].steps[pipeline].calls);
    for (int k = 0; k < SWE_FLOWS; k++)
        print_number(true, report->flows[k].steps[pipeline].read +
                               report->flows[k].steps[pipeline].written);
    for (int k = 0; k < SWE_FLOWS; k++)
        print_number(true, report->flows[k].steps[pipeline].flops);
    puts(" | all calls of a step");
}

/* Print the heads of the columns of some quantities, one for each flow, and the rule below them;
 * each between the given texts. */
static void print_heads(int count, const char *const quantities[], const char *before,
                        const char *after, const char *rule_before, const char *rule_after)
{
    static const char *const flows[SWE_FLOWS] = {"linear", "rotating", "nonlinear"};
    char head[32];
    fputs(before, stdout);
    for (int q = 0; q < count; q++)
        for (int k = 0; k < SWE_FLOWS; k++) {
            snprintf(head, sizeof head, "%s%s", k == 0 ? quantities[q] : "", flows[k]);
            printf(" | %13s", head);
        }
    puts(after);
    fputs(rule_before, stdout);
    for (int k = 0; k < count * SWE_FLOWS; k++)
        fputs("|--------------:", stdout);
    puts(rule_after);
}

static void print_stages(const kernel_report *report)
{
    print_heads(3, (const char *const[]){"calls: ", "MB: ", "MFLOP: "}, "| stage        ",
                " | computes", "|---------------", "|---------");
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++)
        print_stage(report, stage);
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
        print_step(report, pipeline);
    putchar('\n');
}

static void print_kernels(const kernel_report *report)
{
    print_heads(2, (const char *const[]){"MB: ", "MFLOP: "},
                "| kernel            | stage         | block", " |",
                "|-------------------|---------------|------:", "|");
    for (int k = 0; k < SWE_KERNEL_COUNT; k++) {
        printf("| %-17s | %-13s | %5d", swe_kernels[k].name, swe_stage_name(swe_kernels[k].stage),
               swe_kernels[k].block_threads);
        print_costs(report, -1, k);
        puts(" |");
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
        printf("| %-17s | %-9s | sm_%-9d | %9d | %9d | %8d | %10d | %9s |\n", kernel->name,
               equations_of(r), r->architecture, r->registers, r->shared, r->stack,
               r->spill_stores + r->spill_loads, occupancy);
    }
}

static void print_compiled(const kernel_report *report)
{
    if (swe_kernel_resources_at(0) == NULL) {
        puts(no_cuda);
        return;
    }
    puts("| kernel            | equations | architecture | registers | shared, B | stack, B | "
         "spilled, B | occupancy |\n"
         "|-------------------|-----------|--------------|----------:|----------:|---------:|------"
         "--"
         "---:|----------:|");
    for (int k = 0; k < SWE_KERNEL_COUNT; k++)
        print_compiled_kernel(report, &swe_kernels[k]);
}

static swe_status print_report(swe_context *ctx, const kernels_size *size, bool as_json)
{
    kernel_report *report = calloc(
        1, sizeof *report); /* not on the stack: costs point into the report, which must not move */
    if (report == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the costs of the kernels");
    report->size = *size;
    for (int flow = 0; flow < SWE_FLOWS; flow++)
        report_flow(size, (swe_flow)flow, &report->flows[flow]);
    swe_status status = SWE_OK;
    if (as_json) {
        json_t *all = json_pack(
            "{s:s, s:s, s:i, s:i, s:s, s:s, s:o, s:o, s:s}", "version", swe_version, "build",
            swe_build, "n", report->size.n, "order", report->size.order, "precision",
            report->size.precision == SWE_PRECISION_SINGLE ? "fp32" : "fp64", "stages_of",
            report->size.on_cpu ? "cpu" : "cuda", "flows", flows_json(report), "kernels",
            kernels_json(report), "note", swe_kernel_resources_at(0) == NULL ? no_cuda : "");
        status = cli_json_print(ctx, all, JSON_INDENT(1), "the costs of the kernels");
    } else {
        printf("Least work of a call, from the formulas, each value counted once: n = %d, order "
               "%d, %s precision, on a %s.\nFlows: linear (on a non-rotating sphere), linear "
               "on a rotating one, nonlinear.\nCalls per step of the fused pipeline, of the staged "
               "one; MB read and written.\n\n",
               size->n, size->order, swe_precision_name(size->precision),
               size->on_cpu ? "CPU" : "GPU");
        print_stages(report);
        print_kernels(report);
        print_compiled(report);
    }
    free(report);
    return status;
}

/* ---- options --------------------------------------------------------------------------------- */

/* Default size of the static costs, with the default damping and dissipation of every flow. */
static const kernels_size main_job = {
    .n = 384,
    .order = 4,
    .damps = {[SWE_FLOW_NONLINEAR] = true},
    .dissipates = {[SWE_FLOW_NONLINEAR] = true},
};

/* Size of the static costs of a case. The case is varied over all flows, so `config` changes. */
static kernels_size size_of_case(swe_config *config)
{
    kernels_size size = {.n = (int)config->grid.n,
                         .order = (int)config->grid.order,
                         .precision = (swe_precision)config->scheme.precision,
                         .advected = config->fields.count - SWE_FLOW_FIELDS};
    for (int flow = 0; flow < SWE_FLOWS; flow++) {
        config->physics.model = flow == SWE_FLOW_NONLINEAR ? SWE_NONLINEAR : SWE_LINEAR;
        const swe_physics physics = swe_config_physics(config);
        size.damps[flow] = physics.edge_damping > 0.0;
        size.dissipates[flow] = physics.dissipation > 0.0;
    }
    return size;
}

/* Set the requested precision, if there is one. */
static swe_status choose_precision(swe_context *ctx, const bool chosen[SWE_PRECISIONS],
                                   swe_precision *precision)
{
    if (chosen[SWE_PRECISION_DOUBLE] && chosen[SWE_PRECISION_SINGLE])
        return swe_fail(ctx, SWE_USAGE, "--kernels: one --precision at a time");
    for (int k = 0; k < SWE_PRECISIONS; k++)
        if (chosen[k])
            *precision = (swe_precision)k;
    return SWE_OK;
}

/* Costs are computed, not measured: no GPU is required. */
static swe_status choose_backend(swe_context *ctx, const char *name, bool *on_cpu)
{
    const swe_backend *backend = NULL;
    int device = 0;
    if (strcmp(name, "auto") == 0 || strcmp(name, "cuda") == 0)
        return SWE_OK;
    SWE_TRY(swe_backend_find(ctx, name, &backend, &device));
    *on_cpu = backend == &swe_backend_cpu;
    return SWE_OK;
}

swe_status cli_info_kernels(swe_context *ctx, const cli_options *options)
{
    kernels_size size = main_job;
    if (options->case_file == NULL && options->set_count > 0)
        return swe_fail(ctx, SWE_USAGE, "--set changes a case: give --kernels its file");
    if (options->case_file != NULL) {
        swe_config *config = NULL;
        SWE_TRY(
            swe_config_plan(ctx, options->case_file, options->set, options->set_count, &config));
        size = size_of_case(config);
        swe_config_destroy(&config);
    }
    SWE_TRY(choose_precision(ctx, options->precision, &size.precision));
    SWE_TRY(choose_backend(ctx, options->backend, &size.on_cpu));
    return print_report(ctx, &size, options->json);
}
