#include "cli/study.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "config/config.h"
#include "cli/folders.h"
#include "cli/kept_results.h"
#include "cli/machine.h"
#include "cli/results.h"
#include "cli/stop.h"
#include "base/text.h"

/* ---- facts ----------------------------------------------------------------------------------- */

static json_t *facts_json(const cli_study *study, const char *text, const char *backend,
                          const char *device, bool is_timed)
{
    const int threads = study->options->threads;
    /* the program before the configuration: another one has other keys */
    json_t *facts = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "case", study->config->case_name,
                              "version", swe_version, "build", swe_build, "configuration", text,
                              "backend", backend, "device", device);
    if (facts == NULL || !is_timed)
        return facts;
    if (json_object_set_new(facts, "machine", cli_json_machine()) == 0 &&
        json_object_set_new(facts, "requested_threads",
                            threads > 0 ? json_integer(threads) : json_null()) == 0)
        return facts;
    json_decref(facts);
    return NULL;
}

swe_status cli_study_facts(swe_context *ctx, cli_study *study, bool is_timed)
{
    char device[256], *text = NULL;
    const swe_backend *backend = NULL;
    int index = 0;
    SWE_TRY(swe_backend_find(ctx, study->options->backend, &backend, &index));
    backend->describe(index, device, sizeof device);
    SWE_TRY(swe_config_text(ctx, study->config, &text));
    study->facts = facts_json(study, text, backend->name, device, is_timed);
    free(text);
    return study->facts != NULL ? SWE_OK
                                : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", study->name);
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
    for (const char *const *k = ((const cli_study *)study)->row_keys; k != NULL && *k != NULL; k++)
        if (strcmp(*k, key) == 0)
            return true;
    return false;
}

static swe_status compare_configurations(swe_context *ctx, const cli_study *study,
                                         const char *recorded, const char *now)
{
    swe_config *there = NULL, *here = NULL;
    swe_difference d;
    swe_context why = {""};
    swe_status status = swe_config_load_of_run(&why, "configuration", recorded, &there);
    if (status == SWE_CONFIG) /* a later program wrote it */
        status = refuse_fact(ctx, study, "the configuration", why.message, "without it");
    if (status == SWE_OK)
        status = swe_config_load_of_run(ctx, "configuration", now, &here);
    if (status == SWE_OK && swe_config_find_difference(there, here, is_row_key, study, &d))
        status = refuse_fact(ctx, study, d.path, d.there, d.here);
    swe_config_destroy(&there);
    swe_config_destroy(&here);
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
    study->log = (swe_log){.count = 0};
    study->reader = (reader){.log = &study->log, .pool = pool_create()};
    if (study->reader.pool == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", study->name);
    if (!reader_open(&study->reader, pool_text(study->reader.pool, "%s", path), &study->record))
        return cli_study_read(ctx, study);
    return compare_facts(ctx, study, study->record.value, study->facts);
}

/* Profiles below the results of a record belong to the call that wrote it, and may be replaced. */
static swe_status check_profiles(swe_context *ctx, const cli_study *study)
{
    const bool are_own = study->record.value != NULL && study->config->profile.dir[0] == '\0';
    if (study->profiles == NULL)
        return SWE_OK;
    return cli_profile_folder_check(ctx, study->profiles, study->config,
                                    study->options->overwrite || are_own);
}

/* The folders whose results this study replaces. */
static cli_kept_results kept_results_of(cli_study *study)
{
    return (cli_kept_results){.results = study->directory,
                              .profiles = study->profiles,
                              .config = study->config,
                              .lock = &study->lock};
}

swe_status cli_study_find(swe_context *ctx, cli_study *study)
{
    char path[4200];
    const cli_kept_results kept = kept_results_of(study);
    snprintf(path, sizeof path, "%s/%s", study->directory, study->name);
    release_record(study);
    if (study->lock.file == 0)
        cli_kept_recover(&kept);
    if (!study->options->overwrite && access(path, F_OK) == 0)
        return read_record(ctx, study, path);
    SWE_TRY(check_profiles(ctx, study));
    return cli_result_folder_check(ctx, study->directory, study->config, study->options->overwrite);
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
    const cli_kept_results kept = kept_results_of(study);
    if (study->record.value != NULL) {
        SWE_TRY(swe_folder_lock_new_run(ctx, study->lock.run));
        cli_result_folder_remove_unfinished(study->directory);
        if (study->profiles != NULL)
            SWE_TRY(cli_profile_folder_remove(ctx, study->profiles, study->config));
        return swe_folder_lock_sign(ctx, &study->lock);
    }
    study->is_replacing = true;
    SWE_TRY(swe_folder_lock_sign(ctx, &study->lock));
    return cli_kept_move_all(ctx, &kept);
}

swe_status cli_study_open(swe_context *ctx, cli_study *study)
{
    SWE_TRY(cli_folder_lock(ctx, study->directory, &study->lock));
    if (study->profiles != NULL)
        SWE_TRY(
            cli_profile_folder_lock(ctx, study->profiles, study->config, &study->profiles_lock));
    SWE_TRY(cli_study_find(ctx, study)); /* another command may have ended in the meantime */
    SWE_TRY(check_profiles(ctx, study));
    study->has_begun = true;
    SWE_TRY(prepare_folder(ctx, study));
    return cli_result_folder_try(ctx, study->directory);
}

swe_status cli_study_begun(swe_context *ctx, cli_study *study)
{
    char run[SWE_RUN_ID];
    const cli_kept_results kept = kept_results_of(study);
    if (!study->is_replacing)
        return SWE_OK;
    SWE_TRY(swe_folder_lock_new_run(ctx, run));
    SWE_TRY(cli_kept_discard(ctx, &kept, run));
    study->is_replacing = false;
    return SWE_OK;
}

swe_status cli_study_close(swe_context *ctx, swe_status status, cli_study *study)
{
    const cli_kept_results kept = kept_results_of(study);
    status = cli_check_results(ctx, status);
    if (study->is_replacing)
        cli_kept_restore(&kept);
    release_record(study);
    json_decref(study->facts);
    study->facts = NULL;
    swe_folder_lock_release(&study->profiles_lock, study->has_begun);
    swe_folder_lock_release(&study->lock, study->has_begun);
    return status;
}

/* ---- end of a command ------------------------------------------------------------------------ */

void cli_study_print_done(const cli_study *study, int done, int rows)
{
    if (study->options->quiet || study->record.value == NULL)
        return;
    if (done == rows)
        printf("%s: all rows are done already (--overwrite starts anew)\n",
               SWE_SHOWN(study->directory));
    else
        printf("%s: %d of %d rows are done already, continuing\n", SWE_SHOWN(study->directory),
               done, rows);
    fflush(stdout);
}

const char *cli_study_signal(void)
{
    cli_stop only_signals = {.walltime = 0.0};
    return cli_stop_reason(&only_signals, 0.0);
}

swe_status cli_study_stop(swe_context *ctx, const cli_study *study, int done, int rows)
{
    return swe_fail(ctx, SWE_STOPPED,
                    "%s: stopped with %d of %d rows done; the same command continues in %.600s",
                    cli_study_signal(), done, rows, study->directory);
}
