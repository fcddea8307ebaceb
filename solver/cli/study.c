#include "cli/study.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "config/config.h"
#include "cli/folders.h"
#include "cli/machine.h"
#include "cli/results.h"
#include "cli/stop.h"
#include "base/text.h"
#include "page/page.h"

/* ---- facts ----------------------------------------------------------------------------------- */

/* Set the facts: case, configuration, program, backend and device; for timings also the machine and
 * the requested number of threads. */
static swe_status set_facts(swe_context *ctx, cli_study *study)
{
    const int threads = study->options.threads;
    char device[256], *text = NULL;
    int index = 0;
    SWE_TRY(swe_backend_find(ctx, study->options.backend, &study->backend, &index));
    study->backend->describe(index, device, sizeof device);
    SWE_TRY(swe_config_text(ctx, study->config, &text));
    /* the program before the configuration: another one has other keys */
    json_t *facts = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "case", study->config->case_name,
                              "version", swe_version, "build", swe_build, "configuration", text,
                              "backend", study->backend->name, "device", device);
    free(text);
    if (study->kind->is_timed) {
        swe_json_set(&facts, "machine", cli_json_machine());
        swe_json_set(&facts, "requested_threads",
                     threads > 0 ? json_integer(threads) : json_null());
    }
    if (study->threads > 0)
        swe_json_set(&facts, "threads", json_integer(study->threads));
    study->facts = facts;
    return facts != NULL
               ? SWE_OK
               : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s.json", study->kind->stem);
}

const char *cli_study_fact(const cli_study *study, const char *name)
{
    return json_string_value(json_object_get(study->facts, name));
}

/* Refuse a record for a fact: its recorded value and its value in this call. */
static swe_status refuse_fact(swe_context *ctx, const cli_study *study, const char *fact,
                              const char *recorded, const char *now)
{
    return swe_fail(ctx, SWE_CANNOT_CREATE,
                    "%.300s: holds rows of another study: %.100s is %.200s there and %.200s here "
                    "(--overwrite replaces them)",
                    study->directory, fact, recorded, now);
}

static bool is_row_key(const void *study, const char *key)
{
    const char *const *keys = ((const cli_study *)study)->kind->row_keys;
    for (const char *const *k = keys; k != NULL && *k != NULL; k++)
        if (strcmp(*k, key) == 0)
            return true;
    return false;
}

/* The name of the key in a line of a configuration; "none" behind the last key. */
static void copy_key(const char *line, char out[80])
{
    line += strspn(line, " -");
    const int length = *line != '#' ? (int)strcspn(line, ":\n") : 0;
    snprintf(out, 80, "%.*s", length > 0 ? length : 4, length > 0 ? line : "none");
}

/* Compare the names of the keys: the same program writes the same keys in the same order. */
static swe_status compare_keys(swe_context *ctx, const cli_study *study, const char *recorded,
                               const char *now)
{
    char there[80] = "", here[80] = "";
    while (strcmp(here, "none") != 0) {
        copy_key(recorded, there);
        copy_key(now, here);
        if (strcmp(there, here) != 0)
            return refuse_fact(ctx, study, "the next key", there, here);
        recorded += strcspn(recorded, "\n") + (strchr(recorded, '\n') != NULL);
        now += strcspn(now, "\n") + (strchr(now, '\n') != NULL);
    }
    return SWE_OK;
}

static swe_status compare_configurations(swe_context *ctx, const cli_study *study,
                                         const char *recorded, const char *now)
{
    swe_config *there = NULL;
    swe_difference d;
    swe_context why = {""};
    SWE_TRY(compare_keys(ctx, study, recorded, now));
    swe_status status = swe_config_load_of_run(&why, "it", recorded, &there);
    if (status != SWE_OK)
        return swe_fail(ctx, status == SWE_CONFIG ? SWE_CANNOT_CREATE : status,
                        "%.300s: its configuration cannot be read: %.400s (--overwrite replaces "
                        "the rows)",
                        study->directory, why.message);
    if (swe_config_find_difference(there, study->config, is_row_key, study, &d))
        status = refuse_fact(ctx, study, d.path, d.there, d.here);
    swe_config_destroy(&there);
    return status;
}

/* A fact as JSON, cut off at `size` - 1 bytes. */
static void print_fact(const json_t *value, char *out, size_t size)
{
    char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    snprintf(out, size, "%s", text != NULL ? text : "missing");
    free(text);
}

static swe_status compare_fact(swe_context *ctx, const cli_study *study, const char *name,
                               json_t *recorded, json_t *now)
{
    char old[256], new[256];
    if (strcmp(name, "configuration") == 0 && json_is_string(recorded))
        return compare_configurations(ctx, study, json_string_value(recorded),
                                      json_string_value(now));
    if (json_equal(recorded, now))
        return SWE_OK;
    print_fact(recorded, old, sizeof old);
    print_fact(now, new, sizeof new);
    return refuse_fact(ctx, study, name, old, new);
}

/* Compare members of the record with `facts`; recursive, as the machine is an object. */
static swe_status compare_facts(swe_context *ctx, const cli_study *study, json_t *record,
                                json_t *facts)
{
    const char *name = NULL;
    json_t *now = NULL;
    json_object_foreach(facts, name, now)
    {
        json_t *recorded = json_object_get(record, name);
        if (json_is_object(now) && json_is_object(recorded))
            SWE_TRY(compare_facts(ctx, study, recorded, now));
        else
            SWE_TRY(compare_fact(ctx, study, name, recorded, now));
    }
    return SWE_OK;
}

/* ---- the record ------------------------------------------------------------------------------ */

static void release_record(cli_study *study)
{
    reader_close(&study->reader);
    pool_destroy(&study->reader.pool);
    study->record.value = NULL;
}

swe_status cli_study_read(swe_context *ctx, cli_study *study)
{
    const reader *r = &study->reader;
    if (r->status == SWE_LOADED && !r->pool->failed)
        return SWE_OK;
    return cli_load_fails(ctx, r->status != SWE_LOADED ? r->status : SWE_LOAD_NO_MEMORY,
                          &study->log);
}

static swe_status read_record(swe_context *ctx, cli_study *study, const char *path)
{
    static const field finished = {"finished", FIELD_FLAG, offsetof(cli_study, is_finished)};
    study->log = (swe_log){.count = 0};
    study->reader = (reader){.log = &study->log, .pool = pool_create()};
    if (study->reader.pool == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s.json", study->kind->stem);
    if (!reader_open(&study->reader, pool_text(study->reader.pool, "%s", path), &study->record))
        return cli_study_read(ctx, study);
    SWE_TRY(compare_facts(ctx, study, study->record.value, study->facts));
    read_fields(&study->reader, &study->record, &finished, 1, study);
    return cli_study_read(ctx, study);
}

/* Profiles below the results of a record belong to the call that wrote it, and may be replaced. */
static swe_status check_profiles(swe_context *ctx, const cli_study *study)
{
    const bool are_own = study->record.value != NULL && study->config->profile.dir[0] == '\0';
    if (study->kept.profiles == NULL)
        return SWE_OK;
    return cli_profile_folder_check(ctx, study->kept.profiles, study->config,
                                    study->options.overwrite || are_own);
}

/* Find the record; changes nothing. Without a record the folder must be free, or `overwrite` given.
 */
static swe_status find_record(swe_context *ctx, cli_study *study)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s.json", study->directory, study->kind->stem);
    release_record(study);
    study->is_finished = false;
    study->done = 0;
    if (study->lock.file == 0)
        cli_kept_recover(&study->kept);
    if (!study->options.overwrite && access(path, F_OK) == 0)
        return read_record(ctx, study, path);
    SWE_TRY(check_profiles(ctx, study));
    return cli_result_folder_check(ctx, study->directory, study->config, study->options.overwrite);
}

swe_status cli_study_refuse_rows(swe_context *ctx, const cli_study *study, int count)
{
    return swe_fail(
        ctx, SWE_CANNOT_CREATE,
        "%.500s: holds results already, %d row%s of them not requested (--overwrite replaces them)",
        study->directory, count, count == 1 ? "" : "s");
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Prepare the locked folder for new rows. */
static swe_status prepare_folder(swe_context *ctx, cli_study *study)
{
    if (study->record.value != NULL) {
        SWE_TRY(swe_folder_lock_new_run(ctx, study->lock.run));
        cli_result_folder_remove_unfinished(study->directory);
        if (study->kept.profiles != NULL)
            SWE_TRY(cli_profile_folder_remove(ctx, study->kept.profiles, study->config));
        return swe_folder_lock_sign(ctx, &study->lock);
    }
    SWE_TRY(swe_folder_lock_sign(ctx, &study->lock));
    return cli_kept_move_all(ctx, &study->kept);
}

/* Print how many rows the record has; nothing without a record or with --quiet. */
static void print_done(const cli_study *study)
{
    if (study->options.quiet || study->record.value == NULL)
        return;
    if (study->is_finished || study->done == study->requested)
        printf("%s: all rows are done already (--overwrite starts anew)\n",
               SWE_SHOWN(study->directory));
    else
        printf("%s: %d of %d rows are done already, continuing\n", SWE_SHOWN(study->directory),
               study->done, study->requested);
    fflush(stdout);
}

swe_status cli_study_open(swe_context *ctx, cli_study *study)
{
    SWE_TRY(cli_folder_lock(ctx, study->directory, &study->lock));
    if (study->kept.profiles != NULL)
        SWE_TRY(cli_profile_folder_lock(ctx, study->kept.profiles, study->config,
                                        &study->profiles_lock));
    SWE_TRY(find_record(ctx, study)); /* another command may have ended in the meantime */
    SWE_TRY(check_profiles(ctx, study));
    study->has_begun = true;
    SWE_TRY(prepare_folder(ctx, study));
    SWE_TRY(cli_result_folder_try(ctx, study->directory));
    SWE_TRY(study->kind->read(ctx, study));
    print_done(study);
    study->is_finished = false;
    return SWE_OK;
}

swe_status cli_study_close(swe_context *ctx, swe_status status, cli_study *study)
{
    status = cli_check_results(ctx, status);
    cli_kept_restore(&study->kept);
    release_record(study);
    json_decref(study->facts);
    study->facts = NULL;
    swe_folder_lock_release(&study->profiles_lock, study->has_begun);
    swe_folder_lock_release(&study->lock, study->has_begun);
    return status;
}

/* ---- documents ------------------------------------------------------------------------------- */

typedef enum document { CSV, MARKDOWN, PLOT, PAGE, DOCUMENTS } document;

/* Print a document beside the JSON, which is `record`. False: out of memory. */
static bool print_document(FILE *file, const cli_study *study, const json_t *record, document what)
{
    const cli_study_kind *kind = study->kind;
    cli_plot plot = kind->plot;
    char title[300];
    switch (what) {
    case CSV:
        cli_rows_csv(file, kind->rows(study));
        return true;
    case MARKDOWN:
        kind->markdown(file, study);
        return true;
    case PLOT:
        snprintf(title, sizeof title, plot.title, cli_study_fact(study, "case"),
                 cli_study_fact(study, "backend"));
        plot.title = title;
        plot.rows = kind->rows(study);
        plot.study = study;
        cli_plot_write(&plot, file);
        return true;
    default:
        return prof_page_print(record, file);
    }
}

/* Write the documents beside the JSON. */
static swe_status write_documents(swe_context *ctx, const cli_study *study, const json_t *record)
{
    static const char *const endings[DOCUMENTS] = {"csv", "md", "svg", "html"};
    for (int k = 0; k < DOCUMENTS; k++) {
        char name[64];
        swe_output_file out;
        swe_status status = SWE_OK;
        if (k != MARKDOWN && study->kind->plot.series == NULL)
            continue;
        snprintf(name, sizeof name, "%s.%s", study->kind->stem, endings[k]);
        SWE_TRY(cli_result_open(ctx, study->directory, name, &out));
        if (!print_document(out.stream, study, record, (document)k))
            status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", name);
        SWE_TRY(swe_durable_end_if(ctx, status, &out));
    }
    return SWE_OK;
}

swe_status cli_study_write(swe_context *ctx, cli_study *study)
{
    char name[64], run[SWE_RUN_ID];
    const bool has_rows = study->kind->rows(study).count > 0;
    json_t *record = study->kind->json(study);
    swe_status status = SWE_OK;
    snprintf(name, sizeof name, "%s.json", study->kind->stem);
    if (record == NULL || json_object_update(record, study->facts) != 0)
        status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", name);
    if (status == SWE_OK && has_rows)
        status = write_documents(ctx, study, record);
    if (status == SWE_OK)
        status = cli_json_write(ctx, study->directory, name, json_incref(record));
    json_decref(record);
    SWE_TRY(status);
    if (!study->kept.is_replacing)
        return SWE_OK;
    SWE_TRY(swe_folder_lock_new_run(ctx, run));
    return cli_kept_discard(ctx, &study->kept, run);
}

/* ---- the command ----------------------------------------------------------------------------- */

const char *cli_study_signal(void)
{
    cli_stop only_signals = {.walltime = 0.0};
    return cli_stop_reason(&only_signals, 0.0);
}

swe_status cli_study_init(swe_context *ctx, cli_study *study, const cli_study_kind *kind,
                          const cli_options *options, const swe_config *config)
{
    study->kind = kind;
    study->options = *options;
    study->config = config;
    SWE_TRY(cli_backend_decide(ctx, &study->options, &study->backend));
    if (config->profile.mode != PROF_OFF && !kind->has_profiles)
        fprintf(stderr,
                "cubeswe: warning: profile.mode applies to run and profile: %s records nothing\n",
                options->command_line[0]);
    snprintf(study->standard, sizeof study->standard, "output/%s_%s", config->case_name,
             kind->stem);
    study->directory = options->output != NULL ? options->output : study->standard;
    study->kept =
        (cli_kept_results){.results = study->directory, .config = config, .lock = &study->lock};
    return SWE_OK;
}

swe_status cli_study_run(swe_context *ctx, cli_study *study)
{
    swe_status status = SWE_OK;
    SWE_TRY(set_facts(ctx, study));
    SWE_TRY(find_record(ctx, study));
    SWE_TRY(study->kind->read(ctx, study));
    if (study->is_finished) {
        print_done(study);
    } else if ((status = study->kind->compute(ctx, study)) == SWE_OK) {
        study->is_finished = true;
        status = cli_study_write(ctx, study);
    }
    if (status != SWE_OK && status != SWE_STOPPED)
        return status;
    if (!study->options.quiet && study->kind->rows(study).count > 0) {
        study->kind->print(stdout, study);
        printf("results in %s\n", SWE_SHOWN(study->directory));
    }
    if (status == SWE_STOPPED)
        return swe_fail(ctx, SWE_STOPPED,
                        "%s: stopped with %d of %d rows done; the same command continues in %.600s",
                        cli_study_signal(), study->done, study->requested, study->directory);
    return SWE_OK;
}
