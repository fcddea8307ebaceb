#include <math.h>

#include "base/version.h"
#include "cli/cli.h"
#include "cli/machine.h"
#include "cli/profile_parts.h"
#include "cli/profiler_options.h"
#include "cli/results.h"
#include "cli/stop.h"
#include "cli/study.h"
#include "run/components.h"
#include "base/text.h"

enum { REPEATS = 30 };
/* Strides of the window's length before it: one that is slow, and three to compare. The last ends
 * early where the GPU trace warms up. */
enum { WARM_UP_STRIDES = 4 };

/* One call of `cubeswe profile`. Rows without a name are not measured yet. */
typedef struct component_study {
    cli_study base;
    bool is_finished;
    const char *directory;
    const char *case_name;
    const char *backend, *device;
    int order, n, threads;
    int64_t window; /* steps of the window to record */
    swe_pipeline pipeline;
    swe_precision precision;
    swe_components components;
} component_study;

/* The pipeline whose step calls a component; NULL: none. */
static const char *pipeline_name(const swe_component *c)
{
    return c->calls_per_step > 0 ? swe_pipeline_name(c->pipeline) : NULL;
}

/* Speed-up of a step in a loop over a step with a wait; NAN: not reliable, or there is none. */
static double gain(const component_study *study, int loop)
{
    return swe_component_ratio(&study->components, SWE_COMPONENT_STEP, loop);
}

static json_t *row_json(const component_study *study, int row)
{
    const swe_component *c = &study->components.row[row];
    return json_pack("{s:s, s:s, s:s?, s:i, s:o, s:o, s:o, s:i, s:o, s:s?, s:o}", "name", c->name,
                     "computes", c->meaning, "pipeline", pipeline_name(c), "calls_per_step",
                     c->calls_per_step, "median_us", swe_json_real(1e6 * c->seconds.median),
                     "low_quartile_us", swe_json_real(1e6 * c->seconds.low), "high_quartile_us",
                     swe_json_real(1e6 * c->seconds.high), "samples", c->seconds.count,
                     "core_wait_share", swe_json_real(c->seconds.waited), "not_reliable_because",
                     swe_component_doubt(&study->components, row), "share",
                     swe_json_real(swe_component_share(&study->components, row)));
}

static swe_status write_json(swe_context *ctx, const component_study *study)
{
    const bool captured = study->components.captured;
    json_t *rows = json_array();
    for (int row = 0; row < SWE_COMPONENT_COUNT; row++)
        if (study->components.row[row].name != NULL)
            json_array_append_new(rows, row_json(study, row));
    json_t *all = json_pack("{s:b, s:i, s:i, s:s, s:s, s:i, s:o, s:i, s:o, s:o, s:o}", "finished",
                            study->is_finished, "order", study->order, "n", study->n, "pipeline",
                            swe_pipeline_name(study->pipeline), "precision",
                            swe_precision_name(study->precision), "loop_steps", SWE_LOOP_STEPS,
                            "loop_gain", swe_json_real(gain(study, SWE_COMPONENT_LOOP)),
                            "captured_steps", captured ? SWE_CAPTURED_STEPS : 0, "captured_gain",
                            swe_json_real(gain(study, SWE_COMPONENT_CAPTURED)), "components", rows,
                            "parts", cli_parts_json(&study->components));
    return cli_document_write(ctx, study->directory, "profile.json", NULL, study->base.facts, all);
}

static void print_row(FILE *file, const component_study *study, int row)
{
    const swe_component *c = &study->components.row[row];
    const char *pipeline = pipeline_name(c);
    const double share = swe_component_share(&study->components, row);
    char quartiles[48], calls[16] = "-", part[24] = "-";
    snprintf(quartiles, sizeof quartiles, "%.1f to %.1f", 1e6 * c->seconds.low,
             1e6 * c->seconds.high);
    if (pipeline != NULL)
        snprintf(calls, sizeof calls, "%d", c->calls_per_step);
    if (swe_component_doubt(&study->components, row) != NULL)
        snprintf(part, sizeof part, "not reliable");
    else if (isfinite(share))
        snprintf(part, sizeof part, "%.1f %%", 100.0 * share);
    fprintf(file, "| %-13s | %-8s | %12s | %17.1f | %-21s | %17s | %s\n", c->name,
            pipeline != NULL ? pipeline : "neither", calls, 1e6 * c->seconds.median, quartiles,
            part, c->meaning);
}

/* Print the reasons why rows are not reliable, each with its rows. */
static void print_doubts(FILE *file, const swe_components *components)
{
    const char *why[SWE_COMPONENT_COUNT];
    for (int row = 0; row < SWE_COMPONENT_COUNT; row++) {
        bool is_new = true;
        why[row] = swe_component_doubt(components, row);
        for (int before = 0; before < row; before++)
            is_new = is_new && why[before] != why[row];
        if (why[row] == NULL || !is_new)
            continue;
        fprintf(file, "\nNot reliable, because %s, and left out of ratios:", why[row]);
        for (int k = row; k < SWE_COMPONENT_COUNT; k++)
            if (swe_component_doubt(components, k) == why[row])
                fprintf(file, "%s %s", k > row ? "," : "", components->row[k].name);
        fputs(".\n", file);
    }
}

static void print_table(FILE *file, const component_study *study)
{
    fputs("| component     | step of  | calls a step | us a call, median | quartiles             | "
          "share of the step | computes\n"
          "|---------------|----------|-------------:|------------------:|-----------------------|"
          "------------------:|---------\n",
          file);
    for (int row = 0; row < SWE_COMPONENT_COUNT; row++)
        if (study->components.row[row].name != NULL)
            print_row(file, study, row);
    print_doubts(file, &study->components);
    if (study->components.row[SWE_COMPONENT_LOOP].name == NULL)
        return;
    fputc('\n', file);
    if (isfinite(gain(study, SWE_COMPONENT_LOOP)))
        fprintf(file,
                "A step in a loop of %d is %.2f times as fast as a step with a wait after it.\n",
                SWE_LOOP_STEPS, gain(study, SWE_COMPONENT_LOOP));
    if (study->components.row[SWE_COMPONENT_OTHER_STEP].name != NULL)
        fprintf(
            file,
            "Rows of the %s pipeline, which is not the case's, show their share of its own step.\n",
            swe_pipeline_name(study->components.row[SWE_COMPONENT_OTHER_STEP].pipeline));
    if (isfinite(gain(study, SWE_COMPONENT_CAPTURED)))
        fprintf(file, "Launched from a CUDA graph of %d steps it is %.2f times as fast.\n",
                SWE_CAPTURED_STEPS, gain(study, SWE_COMPONENT_CAPTURED));
    cli_parts_print(file, &study->components,
                    study->base.config->scheme.time == SWE_TIME_LEAPFROG4);
}

static void print_markdown(FILE *file, const void *what)
{
    const component_study *study = what;
    fprintf(
        file,
        "# Components of %s\n\ncubeswe %s (%s) on %s, %s, %d thread%s; n = %d, order %d, %s steps "
        "in %s precision; %d samples each, caches warm.\nA component timed alone finds its fields "
        "in other caches than within a step, so shares need not add up to 100 %%.\n\n",
        CLI_MARKDOWN(study->case_name), swe_version, swe_build, study->backend,
        CLI_MARKDOWN(study->device), study->threads, study->threads == 1 ? "" : "s", study->n,
        study->order, swe_pipeline_name(study->pipeline), swe_precision_name(study->precision),
        REPEATS);
    print_table(file, study);
}

/* Write the rows so far, the JSON last. */
static swe_status keep(swe_context *ctx, void *keeper)
{
    component_study *study = keeper;
    SWE_TRY(cli_text_write(ctx, study->directory, "profile.md", print_markdown, study));
    SWE_TRY(write_json(ctx, study));
    return cli_study_begun(ctx, &study->base);
}

static int rows_done(const component_study *study)
{
    int done = 0;
    for (int row = 0; row < SWE_COMPONENT_COUNT; row++)
        done += study->components.row[row].name != NULL;
    return done;
}

/* Read the rows of the record. */
static swe_status read_rows(swe_context *ctx, const swe_model *model, component_study *study)
{
    static const field fields[] = {
        {"median_us", FIELD_NUMBER, offsetof(swe_quartiles, median)},
        {"low_quartile_us", FIELD_NUMBER, offsetof(swe_quartiles, low)},
        {"high_quartile_us", FIELD_NUMBER, offsetof(swe_quartiles, high)}};
    const field name = {"name", FIELD_TEXT, 0}, samples = {"samples", FIELD_COUNT, 0};
    const field finished = {"finished", FIELD_FLAG, offsetof(component_study, is_finished)};
    reader *r = &study->base.reader;
    study->components = (swe_components){.captured = false};
    study->is_finished = false;
    if (study->base.record.value == NULL)
        return SWE_OK;
    read_fields(r, &study->base.record, &finished, 1, study);
    const node rows = read_array(r, &study->base.record, "components");
    for (size_t k = 0; k < read_size(&rows) && r->status == SWE_LOADED; k++) {
        const node row = read_item(&rows, k);
        const char *of = "";
        int64_t count = 0;
        swe_quartiles us = {0.0, 0.0, 0.0, 0, 0.0};
        read_fields(r, &row, &name, 1, &of);
        read_fields(r, &row, &samples, 1, &count);
        read_fields(r, &row, FIELDS(fields), &us);
        const swe_quartiles seconds = {
            1e-6 * us.low, 1e-6 * us.median, 1e-6 * us.high, (int)count,
            json_number_value(json_object_get(
                row.value, "core_wait_share"))}; /* none in files of earlier versions */
        if (!swe_components_add(model, of, seconds, &study->components))
            reader_refuse(r, &row, "is not a component of this model, or is a duplicate");
    }
    cli_parts_read(r, &study->base.record, &study->components);
    study->is_finished = study->is_finished && rows_done(study) == swe_components_count(model);
    return cli_study_read(ctx, &study->base);
}

/* Measure the missing rows, then record the window. */
static swe_status measure_missing(swe_context *ctx, const swe_config *config, swe_model *model,
                                  component_study *study)
{
    const swe_components_keeper keeper = {keep, cli_study_signal, study};
    const double dt = swe_config_schedule(config, NULL);
    SWE_TRY(cli_study_open(ctx, &study->base));
    SWE_TRY(read_rows(ctx, model, study));
    cli_study_print_done(&study->base, rows_done(study), swe_components_count(model));
    study->is_finished = false;
    SWE_TRY(swe_components_measure(ctx, model, dt, REPEATS, &keeper, &study->components));
    if (study->components.part_count == 0)
        SWE_TRY(cli_parts_sample(ctx, config, model, dt, &keeper, &study->components));
    SWE_TRY(keep(ctx, study));
    if (config->profile.mode != PROF_OFF)
        SWE_TRY(swe_components_trace(ctx, model, dt, study->window));
    study->is_finished = true;
    return keep(ctx, study);
}

static swe_status find_rows(swe_context *ctx, const swe_model *model, component_study *study)
{
    SWE_TRY(cli_study_facts(ctx, &study->base, true));
    json_object_set_new(study->base.facts, "threads", json_integer(study->threads));
    SWE_TRY(cli_study_find(ctx, &study->base));
    return read_rows(ctx, model, study);
}

static swe_status measure(swe_context *ctx, const swe_config *config, const cli_options *options,
                          swe_simulation *simulation, component_study *study)
{
    swe_model *model = swe_simulation_model(simulation);
    study->backend = model->backend->name;
    study->order = model->sbp->order;
    study->n = model->grid->layout.n;
    study->pipeline = model->pipeline;
    study->precision = model->precision;
    study->threads = model->execution.threads;
    study->device = swe_simulation_device(simulation);
    const int count = swe_components_count(model);
    swe_status status = find_rows(ctx, model, study);
    if (status == SWE_OK && study->is_finished)
        cli_study_print_done(&study->base, count, count);
    else if (status == SWE_OK)
        status = measure_missing(ctx, config, model, study);
    if (status != SWE_OK && status != SWE_STOPPED)
        return status;
    if (!options->quiet && rows_done(study) > 0) {
        print_table(stdout, study);
        printf("results in %s\n", SWE_SHOWN(study->directory));
    }
    if (status == SWE_STOPPED)
        return cli_study_stop(ctx, &study->base, rows_done(study), count);
    return SWE_OK;
}

static swe_status profile_case(swe_context *ctx, const swe_config *config,
                               const cli_options *options)
{
    char standard[4096];
    component_study study = {.case_name = config->case_name}; /* large: its log has 33 KB */
    snprintf(standard, sizeof standard, "output/%s_profile", config->case_name);
    study.directory = options->output != NULL ? options->output : standard;
    cli_options decided = *options;
    const swe_backend *backend = NULL;
    SWE_TRY(cli_backend_decide(ctx, &decided, &backend));
    cli_profile_folder profiles;
    prof_options profile = cli_profiler_options(config, backend, study.directory, NULL, &profiles);
    profile.start_step = WARM_UP_STRIDES * profile.duration;
    profile.interval = 0;
    profile.last_step = profile.start_step + profile.duration;
    study.window = profile.duration;
    prof_profiler *profiler = prof_create(&profile);
    const swe_simulation_options simulation_options = {.backend = decided.backend,
                                                       .threads = options->threads,
                                                       .profiler = profiler,
                                                       .all_arrays = true};
    study.base = (cli_study){.directory = study.directory,
                             .name = "profile.json",
                             .options = &decided,
                             .config = config,
                             .profiles = profiles.path};
    swe_simulation *simulation = NULL;
    swe_status status = swe_simulation_create(ctx, config, &simulation_options, &simulation);
    if (status == SWE_OK)
        status = measure(ctx, config, options, simulation, &study);
    prof_finish(profiler);
    swe_simulation_destroy(&simulation);
    cli_profiler_end(&profiler, &profiles, study.directory, options->quiet);
    return cli_study_close(ctx, status, &study.base);
}

/* Load the case with n = 384, unless --set grid.n is given. */
static swe_status load(swe_context *ctx, const cli_options *options, swe_config **out)
{
    const char *set[CLI_MOST_SET + 1] = {
        "grid.n=384"}; /* first: a later setting of the same key replaces it */
    for (int k = 0; k < options->set_count; k++)
        set[k + 1] = options->set[k];
    SWE_TRY(swe_config_load(ctx, options->case_file, options->set, options->set_count, out));
    swe_config_destroy(out);
    const swe_status status =
        swe_config_load(ctx, options->case_file, set, options->set_count + 1, out);
    if (status == SWE_OK)
        return SWE_OK;
    const swe_context reason = *ctx;
    return swe_fail(ctx, status, "%.900s (profile uses n = 384 unless --set grid.n changes it)",
                    reason.message);
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    cli_stop_install();
    swe_config *config = NULL;
    SWE_TRY(load(ctx, options, &config));
    swe_status status = swe_config_pin_bottom(ctx, config);
    if (status == SWE_OK)
        status = profile_case(ctx, config, options);
    swe_config_destroy(&config);
    return status;
}

const cli_command cli_profile = {
    .name = "profile",
    .operands = "CASE.yaml",
    .summary = "time each stage, the right-hand side and the step",
    .text =
        "Time each stage, the right-hand side, one step and a loop of steps (on CUDA also a loop "
        "launched from a captured graph); write profile.json and profile.md. The grid has n = "
        "384 unless --set=grid.n=N changes it. Both pipelines are timed; each row names the "
        "pipeline whose step calls it. On a CPU two seconds of steps are sampled: the parts of a "
        "fused "
        "sweep stand beside the stages that compute the same.\n"
        "\n" CLI_STUDY_CONTINUES("row"),
    .least_operands = 1,
    .most_operands = 1,
    .needs = "a case file",
    .accepts_case_name = true,
    .run = run,
    .options = {CLI_CASE_OPTIONS,
                {.name = "output",
                 .text = "folder of the results (default: output/<case>_profile)"},
                {.name = "profile",
                 .text =
                     "then record one window of profile.duration steps, after four times as many "
                     "(start_step and interval do not apply), and describe it in report.html: "
                     "trace (default), summary, full, nsys or counters"},
                {.name = "overwrite"},
                {.name = "quiet", .text = "print no table"}},
};
