#include <math.h>

#include "base/version.h"
#include "cli/profile_parts.h"
#include "cli/profiler_options.h"
#include "cli/results.h"
#include "cli/stop.h"
#include "cli/study.h"
#include "run/components.h"

enum { REPEATS = 30 };
/* Strides of the window's length before it: one that is slow, and three to compare. The last ends
 * early where the GPU trace warms up. */
enum { WARM_UP_STRIDES = 4 };

/* A component in profile.json and in the table. */
typedef struct component_row {
    const char *name, *computes;
    const char *pipeline;     /* whose step calls it; NULL: none */
    int64_t calls;            /* in a step of that pipeline */
    double median, low, high; /* of a call [us] */
    int64_t samples;
    double waited;     /* share of the time that threads waited for cores */
    const char *doubt; /* why the time is not reliable; NULL: it is */
    double share;      /* of the step; NaN: not reliable, or no step calls it */
    /* cells of the table; the first three are in `text` */
    const char *calls_cell, *quartiles_cell, *share_cell, *pipeline_cell;
    char text[3][48];
} component_row;

/* One call of `cubeswe profile`. */
typedef struct component_study {
    cli_study base;
    swe_model *model;
    int64_t window;                          /* steps of the window to record */
    swe_components components;               /* rows without a name are not measured yet */
    component_row rows[SWE_COMPONENT_COUNT]; /* the measured ones */
    int count;
} component_study;

#define ROW(member) offsetof(component_row, member)

static const cli_column columns[] = {
    {"name", FIELD_TEXT, ROW(name), ROW_READ, NULL, CELL("component    ", NULL)},
    {"computes", FIELD_TEXT, ROW(computes), ROW_JSON, NULL, NO_CELL},
    {"pipeline", FIELD_TEXT, ROW(pipeline), ROW_JSON, NULL, NO_CELL},
    {"step of", FIELD_TEXT, ROW(pipeline_cell), ROW_SHOWN, NULL, CELL("step of ", NULL)},
    {"calls_per_step", FIELD_COUNT, ROW(calls), ROW_JSON, NULL, NO_CELL},
    {"calls", FIELD_TEXT, ROW(calls_cell), ROW_SHOWN, NULL, CELL("calls a step", "%s")},
    {"median_us", FIELD_NUMBER, ROW(median), ROW_READ, NULL, CELL("us a call, median", "%.1f")},
    {"low_quartile_us", FIELD_NUMBER, ROW(low), ROW_READ, NULL, NO_CELL},
    {"high_quartile_us", FIELD_NUMBER, ROW(high), ROW_READ, NULL, NO_CELL},
    {"quartiles", FIELD_TEXT, ROW(quartiles_cell), ROW_SHOWN, NULL,
     CELL("quartiles            ", NULL)},
    {"samples", FIELD_COUNT, ROW(samples), ROW_READ, NULL, NO_CELL},
    {"core_wait_share", FIELD_KNOWN, ROW(waited), ROW_JSON, NULL, NO_CELL},
    {"not_reliable_because", FIELD_TEXT, ROW(doubt), ROW_JSON, NULL, NO_CELL},
    {"share", FIELD_KNOWN, ROW(share), ROW_JSON, NULL, NO_CELL},
    {"share", FIELD_TEXT, ROW(share_cell), ROW_SHOWN, NULL, CELL("share of the step", "%s")},
    {"computes", FIELD_TEXT, ROW(computes), ROW_SHOWN, NULL, CELL("computes", NULL)},
    COLUMNS_END};

static void set_row(const swe_components *components, int component, component_row *row)
{
    const swe_component *c = &components->row[component];
    const bool is_called = c->calls_per_step > 0;
    *row = (component_row){.name = c->name,
                           .computes = c->meaning,
                           .pipeline = is_called ? swe_pipeline_name(c->pipeline) : NULL,
                           .calls = c->calls_per_step,
                           .median = 1e6 * c->seconds.median,
                           .low = 1e6 * c->seconds.low,
                           .high = 1e6 * c->seconds.high,
                           .samples = c->seconds.count,
                           .waited = c->seconds.waited,
                           .doubt = swe_component_doubt(components, component),
                           .share = swe_component_share(components, component)};
    snprintf(row->text[0], sizeof row->text[0], "%d", c->calls_per_step);
    snprintf(row->text[1], sizeof row->text[1], "%.1f to %.1f", row->low, row->high);
    snprintf(row->text[2], sizeof row->text[2], "%.1f %%", 100.0 * row->share);
    row->pipeline_cell = is_called ? row->pipeline : "neither";
    row->calls_cell = is_called ? row->text[0] : "-";
    row->quartiles_cell = row->text[1];
    row->share_cell = row->doubt != NULL     ? "not reliable"
                      : isfinite(row->share) ? row->text[2]
                                             : "-";
}

static void set_rows(component_study *study)
{
    study->count = 0;
    for (int k = 0; k < SWE_COMPONENT_COUNT; k++)
        if (study->components.row[k].name != NULL)
            set_row(&study->components, k, &study->rows[study->count++]);
    study->base.done = study->count;
}

static cli_rows rows_of(const void *what)
{
    const component_study *study = what;
    return (cli_rows){columns, study->rows, study->count, sizeof study->rows[0]};
}

/* Speed-up of a step in a loop over a step with a wait; NAN: not reliable, or there is none. */
static double gain(const component_study *study, int loop)
{
    return swe_component_ratio(&study->components, SWE_COMPONENT_STEP, loop);
}

static json_t *study_json(const void *what)
{
    const component_study *study = what;
    const swe_model *model = study->model;
    return json_pack(
        "{s:b, s:i, s:i, s:s, s:s, s:i, s:o, s:i, s:o, s:o, s:o}", "finished",
        study->base.is_finished, "order", model->sbp->order, "n", model->grid->layout.n, "pipeline",
        swe_pipeline_name(model->pipeline), "precision", swe_precision_name(model->precision),
        "loop_steps", SWE_LOOP_STEPS, "loop_gain", swe_json_real(gain(study, SWE_COMPONENT_LOOP)),
        "captured_steps", study->components.captured ? SWE_CAPTURED_STEPS : 0, "captured_gain",
        swe_json_real(gain(study, SWE_COMPONENT_CAPTURED)), "components",
        cli_rows_json(rows_of(study), NULL), "parts", cli_parts_json(&study->components));
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

static void print_table(FILE *file, const void *what)
{
    const component_study *study = what;
    cli_rows_table(file, rows_of(study), 1);
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
    const swe_model *model = study->model;
    const int threads = study->base.threads;
    fprintf(
        file,
        "# Components of %s\n\ncubeswe %s (%s) on %s, %s, %d thread%s; n = %d, order %d, %s steps "
        "in %s precision; %d samples each, caches warm.\nA component timed alone finds its fields "
        "in other caches than within a step, so shares need not add up to 100 %%.\n\n",
        CLI_MARKDOWN(cli_study_fact(&study->base, "case")), swe_version, swe_build,
        cli_study_fact(&study->base, "backend"),
        CLI_MARKDOWN(cli_study_fact(&study->base, "device")), threads, threads == 1 ? "" : "s",
        model->grid->layout.n, model->sbp->order, swe_pipeline_name(model->pipeline),
        swe_precision_name(model->precision), REPEATS);
    print_table(file, study);
}

/* Write the rows so far. */
static swe_status keep(swe_context *ctx, void *keeper)
{
    component_study *study = keeper;
    set_rows(study);
    return cli_study_write(ctx, &study->base);
}

/* Read the rows of the record. */
static swe_status read_rows(swe_context *ctx, void *what)
{
    component_study *study = what;
    reader *r = &study->base.reader;
    study->components = (swe_components){.captured = false};
    study->count = 0;
    study->base.requested = swe_components_count(study->model);
    if (study->base.record.value == NULL)
        return SWE_OK;
    const node rows = read_array(r, &study->base.record, "components");
    for (size_t k = 0; k < read_size(&rows) && r->status == SWE_LOADED; k++) {
        const node item = read_item(&rows, k);
        component_row row = {.name = ""};
        cli_row_read(r, &item, columns, &row);
        const swe_quartiles seconds = {
            1e-6 * row.low, 1e-6 * row.median, 1e-6 * row.high, (int)row.samples,
            json_number_value(json_object_get(
                item.value, "core_wait_share"))}; /* none in files of earlier versions */
        if (!swe_components_add(study->model, row.name, seconds, &study->components))
            reader_refuse(r, &item, "is not a component of this model, or is a duplicate");
    }
    cli_parts_read(r, &study->base.record, &study->components);
    set_rows(study);
    study->base.is_finished = study->base.is_finished && study->count == study->base.requested;
    return cli_study_read(ctx, &study->base);
}

/* Measure the missing rows, then record the window. */
static swe_status compute(swe_context *ctx, void *what)
{
    component_study *study = what;
    const swe_config *config = study->base.config;
    const swe_components_keeper keeper = {keep, cli_study_signal, study};
    const double dt = swe_config_schedule(config, NULL);
    SWE_TRY(cli_study_open(ctx, &study->base));
    SWE_TRY(swe_components_measure(ctx, study->model, dt, REPEATS, &keeper, &study->components));
    if (study->components.part_count == 0)
        SWE_TRY(cli_parts_sample(ctx, config, study->model, dt, &keeper, &study->components));
    if (config->profile.mode == PROF_OFF)
        return SWE_OK;
    SWE_TRY(keep(ctx, study));
    return swe_components_trace(ctx, study->model, dt, study->window);
}

static const cli_study_kind kind = {
    .stem = "profile",
    .is_timed = true,
    .has_profiles = true,
    .read = read_rows,
    .compute = compute,
    .rows = rows_of,
    .json = study_json,
    .markdown = print_markdown,
    .print = print_table,
};

static swe_status profile_case(swe_context *ctx, const swe_config *config,
                               const cli_options *options)
{
    component_study study = {.count = 0}; /* large: its log has 33 KB */
    cli_profile_folder profiles;
    SWE_TRY(cli_study_init(ctx, &study.base, &kind, options, config));
    prof_options profile =
        cli_profiler_options(config, study.base.backend, study.base.directory, NULL, &profiles);
    profile.start_step = WARM_UP_STRIDES * profile.duration;
    profile.interval = 0;
    profile.last_step = profile.start_step + profile.duration;
    study.window = profile.duration;
    study.base.kept.profiles = profiles.path;
    prof_profiler *profiler = prof_create(&profile);
    const swe_simulation_options simulation_options = {.backend = study.base.options.backend,
                                                       .threads = options->threads,
                                                       .profiler = profiler,
                                                       .all_arrays = true};
    swe_simulation *simulation = NULL;
    swe_status status = swe_simulation_create(ctx, config, &simulation_options, &simulation);
    if (status == SWE_OK) {
        study.model = swe_simulation_model(simulation);
        study.base.threads = study.model->execution.threads;
        status = cli_study_run(ctx, &study.base);
    }
    prof_finish(profiler);
    swe_simulation_destroy(&simulation);
    cli_profiler_end(&profiler, &profiles, study.base.directory, options->quiet);
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
    swe_status status = swe_config_pin_files(ctx, config);
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
