#include "cli/study.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "cli/folders.h"
#include "cli/machine.h"
#include "cli/result_json.h"
#include "cli/stop.h"
#include "base/text.h"

/* ---- facts ----------------------------------------------------------------------------------- */

static json_t *make_facts(const cli_study *study, const char *text, const char *backend,
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
    study->facts = make_facts(study, text, backend->name, device, is_timed);
    free(text);
    return study->facts != NULL ? SWE_OK
                                : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", study->name);
}

/* Refuse a record for a fact: `there` in the record, `here` in this call. */
static swe_status refuse_fact(swe_context *ctx, const cli_study *study, const char *fact,
                              const char *there, const char *here)
{
    return swe_fail(ctx, SWE_CANNOT_CREATE,
                    "%.300s: holds rows of another study: %.100s is %.200s there and %.200s here "
                    "(--overwrite replaces them)",
                    study->directory, fact, there, here);
}

static bool is_row_key(const cli_study *study, const char *key)
{
    for (const char *const *k = study->row_keys; k != NULL && *k != NULL; k++)
        if (strcmp(*k, key) == 0)
            return true;
    return false;
}

/* Set `key` to "section.key" of a line of a configuration, or to "section" if the line starts one,
 * which is then remembered in `section`. */
static void name_key(const char *line, char section[64], char key[160])
{
    const int length = (int)strcspn(line, ":\n"), indent = (int)strspn(line, " ");
    if (indent > 0) {
        snprintf(key, 160, "%.60s.%.*s", section, length - indent, line + indent);
        return;
    }
    snprintf(section, 64, "%.*s", length, line);
    snprintf(key, 160, "%s", length > 0 ? section : "none");
}

/* Copy the value of a line " key: value". */
static void copy_value(const char *line, char out[160])
{
    const char *value = line + strcspn(line, ":\n");
    value += strspn(value, ": ");
    snprintf(out, 160, "%.*s", (int)strcspn(value, "\n"), value);
}

/* Skip comments of a configuration, such as the resolved time step, which follows from the keys. */
static const char *skip_comments(const char *text)
{
    while (*text == '#') {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

/* Compare line by line: the same program writes the same keys in the same order. */
static swe_status compare_configurations(swe_context *ctx, const cli_study *study,
                                         const char *there, const char *here)
{
    char section[64] = "", key[160], new[160];
    char old_section[64] = "", old_key[160], old[160];
    for (;;) {
        there = skip_comments(there);
        here = skip_comments(here);
        if (*there == '\0' && *here == '\0')
            return SWE_OK;
        const size_t a = strcspn(there, "\n"), b = strcspn(here, "\n");
        name_key(there, old_section, old_key);
        name_key(here, section, key);
        if (strcmp(old_key, key) != 0) /* another program wrote it */
            return refuse_fact(ctx, study, "the next key", old_key, key);
        if ((a != b || strncmp(there, here, a) != 0) && !is_row_key(study, key)) {
            copy_value(there, old);
            copy_value(here, new);
            return refuse_fact(ctx, study, key, old, new);
        }
        there += a + (there[a] == '\n');
        here += b + (here[b] == '\n');
    }
}

/* A fact as JSON, cut off at `size` - 1 bytes. */
static void print_fact(const json_t *value, char *out, size_t size)
{
    char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    snprintf(out, size, "%s", text != NULL ? text : "missing");
    free(text);
}

static swe_status compare_fact(swe_context *ctx, const cli_study *study, const char *name,
                               json_t *there, json_t *here)
{
    char old[256], new[256];
    if (strcmp(name, "configuration") == 0 && json_is_string(there))
        return compare_configurations(ctx, study, json_string_value(there),
                                      json_string_value(here));
    if (json_equal(there, here))
        return SWE_OK;
    print_fact(there, old, sizeof old);
    print_fact(here, new, sizeof new);
    return refuse_fact(ctx, study, name, old, new);
}

/* Compare members of the record with `facts`; recursive, as the machine is an object. */
static swe_status compare_facts(swe_context *ctx, const cli_study *study, json_t *record,
                                json_t *facts)
{
    const char *name = NULL;
    json_t *here = NULL;
    json_object_foreach(facts, name, here)
    {
        json_t *there = json_object_get(record, name);
        if (json_is_object(here) && json_is_object(there))
            SWE_TRY(compare_facts(ctx, study, there, here));
        else
            SWE_TRY(compare_fact(ctx, study, name, there, here));
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
    study->log = (prof_log){.count = 0};
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
    return cli_profile_folder_check(ctx, study->profiles->path, study->config,
                                    study->options->overwrite || are_own);
}

/* The folders whose results this study replaces. */
static cli_kept_results kept_results_of(cli_study *study)
{
    return (cli_kept_results){.results = study->directory,
                              .profiles = study->profiles != NULL ? study->profiles->path : NULL,
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
static swe_status make_room(swe_context *ctx, cli_study *study)
{
    const cli_kept_results kept = kept_results_of(study);
    if (study->record.value != NULL) {
        SWE_TRY(swe_folder_lock_new_run(ctx, study->lock.run));
        if (study->profiles != NULL)
            SWE_TRY(cli_profile_folder_remove(ctx, study->profiles->path, study->config));
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
        SWE_TRY(cli_profile_folder_lock(ctx, study->profiles->path, study->config,
                                        &study->profiles_lock));
    SWE_TRY(cli_study_find(ctx, study)); /* another command may have ended in the meantime */
    SWE_TRY(check_profiles(ctx, study));
    study->has_begun = true;
    return make_room(ctx, study);
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
