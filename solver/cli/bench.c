#include "cli/bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/tuning.h"
#include "cli/stop.h"
#include "run/components.h"
#include "base/text.h"

/* The variants of this build. */
static const cli_bench_variant variants[] = {
#define VARIANT(pipeline_number, pipeline, precision_number, precision)                            \
    {                                                                                              \
        pipeline_number, precision_number,                                                         \
        {                                                                                          \
            "scheme.pipeline=" pipeline, "scheme.precision=" precision, NULL                       \
        }                                                                                          \
    }
    VARIANT(SWE_PIPELINE_FUSED, "fused", SWE_PRECISION_DOUBLE, "double"),
    VARIANT(SWE_PIPELINE_FUSED, "fused", SWE_PRECISION_SINGLE, "single"),
    VARIANT(SWE_PIPELINE_STAGED, "staged", SWE_PRECISION_DOUBLE, "double"),
    VARIANT(SWE_PIPELINE_STAGED, "staged", SWE_PRECISION_SINGLE, "single")};
#undef VARIANT
enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Keys of the configuration in which rows may differ. */
static const char *const row_keys[] = {"grid.n", "grid.order", "scheme.pipeline",
                                       "scheme.precision", NULL};

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether one of two values is requested; without a choice it is the case's. */
static bool is_chosen(const bool chosen[2], int word, int of_the_case)
{
    return chosen[0] || chosen[1] ? chosen[word] : word == of_the_case;
}

/* The next requested variant from `first` on; VARIANTS: none. */
static int next_variant(const cli_bench_job *j, int first)
{
    int variant = first;
    while (variant < VARIANTS &&
           !(is_chosen(j->base.options.pipeline, variants[variant].pipeline, j->pipeline) &&
             is_chosen(j->base.options.precision, variants[variant].precision, j->precision)))
        variant++;
    return variant;
}

static swe_status add_row(swe_context *ctx, cli_bench_job *j, const cli_bench_variant *variant,
                          int order, int n)
{
    cli_bench_row *row = &j->bench.rows[j->bench.count];
    swe_config *config = NULL;
    SWE_TRY(cli_bench_load(ctx, &j->base.options, variant, order, n, &config));
    *row = (cli_bench_row){.variant = variant, .order = config->grid.order, .n = n};
    row->bytes = (int64_t)swe_config_model_bytes(config);
    const swe_physics physics = swe_config_physics(config);
    row->dt = swe_config_schedule(config, NULL);
    row->courant = swe_physics_courant(&physics, swe_config_spacing(config), row->dt);
    const swe_step_plan plan = swe_step_plan_of(&physics, &config->fields, variant->pipeline);
    swe_config_destroy(&config);
    row->seconds = calloc((size_t)j->bench.repeats, sizeof *row->seconds);
    row->starting = calloc((size_t)j->bench.repeats, sizeof *row->starting);
    j->bench.count++; /* its arrays are freed at the end of the call */
    if (row->seconds == NULL || row->starting == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    swe_costs costs;
    swe_costs_count(&(swe_cost_case){.n = n,
                                     .order = (int)row->order,
                                     .flow = plan.flow,
                                     .pipeline = variant->pipeline,
                                     .precision = variant->precision,
                                     .inner_first = j->base.backend->inner_first,
                                     .leaps = plan.leaps,
                                     .advected = plan.advected},
                    &costs);
    const swe_step_cost step = swe_step_cost_of(&costs, &plan);
    row->step_bytes = step.read + step.written;
    row->step_flops = step.flops;
    return SWE_OK;
}

/* Add all rows. Every configuration is checked before the first measurement. */
static swe_status plan(swe_context *ctx, cli_bench_job *j)
{
    j->bench.sizes = j->base.options.n;
    if (j->bench.sizes.count == 0)
        SWE_TRY(cli_bench_read_sizes(ctx, &j->base, &j->bench));
    if (j->bench.sizes.count == 0) /* the last order is the slowest */
        SWE_TRY(cli_bench_sizes(ctx, &j->base.options, &variants[next_variant(j, 0)],
                                j->order.value[j->order.count - 1], &j->bench.sizes,
                                j->bench.stopped, sizeof j->bench.stopped));
    const size_t most = (size_t)VARIANTS * (size_t)j->order.count * (size_t)j->bench.sizes.count;
    j->bench.rows = calloc(most + 1, sizeof *j->bench.rows);
    j->sampled.rows = calloc(most + 1, sizeof *j->sampled.rows);
    if (j->bench.rows == NULL || j->sampled.rows == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    for (int variant = next_variant(j, 0); variant < VARIANTS;
         variant = next_variant(j, variant + 1))
        for (int o = 0; o < j->order.count; o++)
            for (int k = 0; k < j->bench.sizes.count; k++)
                SWE_TRY(add_row(ctx, j, &variants[variant], j->order.value[o],
                                j->bench.sizes.value[k]));
    return SWE_OK;
}

/* Read the existing samples; the first time plan the rows. */
static swe_status read_rows(swe_context *ctx, void *study)
{
    cli_bench_job *j = study;
    if (j->bench.rows == NULL)
        SWE_TRY(plan(ctx, j));
    j->base.requested = j->bench.count;
    SWE_TRY(cli_bench_read(ctx, &j->base, &j->bench));
    cli_bench_set_sampled(j);
    return SWE_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Set the printable command line with its CUBESWE_TUNING, and the time of day. */
static void describe_call(cli_bench_study *bench, char *const *command_line)
{
    char tuning[256];
    swe_tuning_text(tuning, sizeof tuning);
    size_t length = (size_t)snprintf(bench->command, sizeof bench->command, "%s%s%scubeswe",
                                     tuning[0] != '\0' ? "CUBESWE_TUNING=" : "", tuning,
                                     tuning[0] != '\0' ? " " : "");
    for (int k = 0; command_line[k] != NULL && length < sizeof bench->command; k++)
        length += (size_t)snprintf(bench->command + length, sizeof bench->command - length, " %s",
                                   command_line[k]);
    swe_to_printable(bench->command);
    for (char *c = bench->command; *c != '\0'; c++)
        if (*c == '`') /* a backtick would end the code span of the page */
            *c = '?';
    cli_bench_utc(bench->started);
}

static const cli_study_kind kind = {
    .stem = "bench",
    .row_keys = row_keys,
    .is_timed = true,
    .plot = {.title = "Steps of %s on %s",
             .y_label = "1e9 DoF/s (dashed: at the copy bandwidth)",
             .x = offsetof(cli_bench_row, n),
             .y = offsetof(cli_bench_row, rates.gdof),
             .series = cli_bench_series_of},
    .read = read_rows,
    .compute = cli_bench_measure,
    .rows = cli_bench_rows,
    .json = cli_bench_json,
    .markdown = cli_bench_markdown,
    .print = cli_bench_print,
};

static swe_status bench(swe_context *ctx, const cli_options *options, const swe_config *config)
{
    cli_bench_job *j = calloc(1, sizeof *j); /* too large for the stack */
    if (j == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the bench");
    describe_call(&j->bench, options->command_line);
    j->bench.repeats = options->repeats;
    j->order = options->order.count > 0 ? options->order : (cli_list){{0}, 1};
    j->pipeline = (swe_pipeline)config->scheme.pipeline;
    j->precision = (swe_precision)config->scheme.precision;
    swe_status status = cli_study_init(ctx, &j->base, &kind, options, config);
    if (status == SWE_OK)
        status = cli_study_run(ctx, &j->base);
    status = cli_study_close(ctx, status, &j->base);
    for (int k = 0; k < j->bench.count; k++) {
        free(j->bench.rows[k].seconds);
        free(j->bench.rows[k].starting);
    }
    free(j->bench.rows);
    free(j->sampled.rows);
    free(j);
    return status;
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    swe_config *config = NULL;
    SWE_TRY(cli_check_ascends(ctx, "--n", &options->n));
    SWE_TRY(cli_check_ascends(ctx, "--order", &options->order));
    cli_stop_install();
    SWE_TRY(cli_bench_load(ctx, options, NULL, 0, options->n.count > 0 ? options->n.value[0] : 0,
                           &config));
    const swe_status status = bench(ctx, options, config);
    swe_config_destroy(&config);
    return status;
}

const cli_command cli_bench = {
    .name = "bench",
    .operands = "[CASE.yaml]",
    .summary = "time steps at many sizes and compare with the peak rates of the device",
    .text =
        "Time the steps of a case (default: the pulse of the default keys) at several sizes. "
        "Compare with the peak rates of the device, measured in the same run. Write bench.json, "
        ".csv, .md, .svg and .html.\n\nSamples of all sizes alternate. " CLI_STUDY_CONTINUES(
            "sample"),
    .most_operands = 1,
    .accepts_case_name = true,
    .run = run,
    .options =
        {{.name = "n",
          .text = "cells along a panel side, ascending (default: doubles from 24 until memory or "
                  "one minute per size is reached)"},
         {.name = "pipeline"},
         {.name = "precision"},
         {.name = "order"},
         {.name = "repeats"},
         CLI_CASE_OPTIONS,
         {.name = "output", .text = "folder of the results (default: output/<case>_bench)"},
         {.name = "overwrite"},
         {.name = "quiet", .text = "print no table"}},
};
