#include "config/config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "config/keys.h"
#include "config/field_groups.h"
#include "state/file_digest.h"

/* Set case_name and case_file: "config/pulse.yaml" -> "pulse"; without a file "defaults". */
static swe_status name_case(swe_context *ctx, const char *path, swe_config *config)
{
    const char *file = path != NULL ? path : "";
    if (!swe_config_is_printable(file))
        return swe_fail(ctx, SWE_CONFIG, "%s: the name has a character that cannot be shown", file);
    const char *slash = strrchr(file, '/');
    const char *name = path == NULL ? "defaults" : slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    config->case_file = strdup(file);
    config->case_name =
        dot != NULL && dot > name ? strndup(name, (size_t)(dot - name)) : strdup(name);
    if (config->case_file == NULL || config->case_name == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the name of the case");
    if (strcmp(config->case_name, ".") == 0 || strcmp(config->case_name, "..") == 0)
        return swe_fail(ctx, SWE_CONFIG,
                        "%s: the case would be named '%s', and so would its folder of results: "
                        "rename the file",
                        file, config->case_name);
    return SWE_OK;
}

/* Make a path absolute, so that the configuration that a run writes is valid in any folder. The
 * path of an input is relative to the folder of the case file `file`, other paths to the current
 * folder ("").
 */
static swe_status resolve_path(swe_context *ctx, const char *file, const char *key, char **path)
{
    char joined[8192], cwd[4096] = "";
    if ((*path)[0] == '\0' || (*path)[0] == '/')
        return SWE_OK;
    const char *slash = strrchr(file, '/');
    const int folder = slash != NULL ? (int)(slash - file) + 1 : 0;
    if (file[0] != '/' && getcwd(cwd, sizeof cwd) == NULL)
        return swe_fail(ctx, SWE_NO_INPUT, "the current folder cannot be found");
    const int length = snprintf(joined, sizeof joined, "%s%s%.*s%s", cwd, cwd[0] != '\0' ? "/" : "",
                                folder, file, *path);
    char *absolute = length < (int)sizeof joined ? strdup(joined) : NULL;
    if (absolute == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", key);
    free(*path);
    *path = absolute;
    return SWE_OK;
}

static swe_status resolve_paths(swe_context *ctx, swe_config *config)
{
    for (swe_value value = {.key = NULL}; swe_value_next(config, &value);) {
        const swe_key *key = value.key;
        const bool is_input = strcmp(swe_key_name(key), "path") == 0;
        if (swe_key_is_path(key))
            SWE_TRY(resolve_path(ctx, is_input ? config->case_file : "", key->path, value.at));
    }
    return SWE_OK;
}

const char *swe_config_input(const swe_config *config, int number)
{
    int left = number;
    if (left-- == 0)
        return config->case_file;
    for (swe_value value = {.key = NULL}; swe_value_next(config, &value);)
        if (strcmp(swe_key_name(value.key), "path") == 0 && left-- == 0)
            return *(char *const *)value.at;
    return NULL;
}

/* ---- the environment ------------------------------------------------------------------------- */

/* Environment of the process; no POSIX header declares it. */
extern char **environ;

static const char prefix[] = "CUBESWE_PROFILE", enabled[] = "CUBESWE_PROFILE_ENABLED";

/* Set a key of section profile from a variable; `variable` is "NAME=...", of which only the name is
 * used. */
static swe_status apply(swe_context *ctx, swe_document *document, const char *variable,
                        const swe_key *key, const char *value)
{
    char assignment[4096], name[64];
    const bool is_list = key->type == SWE_KEY_REALS || key->type == SWE_KEY_WORDS;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(variable, "="), variable);
    if (is_list && strpbrk(value, "[]{}#") != NULL) /* they would end the list early */
        return swe_fail(ctx, SWE_CONFIG, "%s: '%.100s' is not a list such as a,b", name, value);
    if (snprintf(assignment, sizeof assignment, is_list ? "%s=[%s]" : "%s=%s", key->path, value) >=
        (int)sizeof assignment)
        return swe_fail(ctx, SWE_CONFIG, "%s: the value is too long", name);
    return swe_document_set(ctx, document, name, assignment, is_list);
}

/* Whether "_START_STEP=..." belongs to the key start_step. */
static bool is_of(const char *rest, const char *key)
{
    if (*rest++ != '_')
        return false;
    for (; *key != '\0' && *rest == toupper((unsigned char)*key); key++)
        rest++;
    return *key == '\0' && *rest == '=';
}

/* Apply a variable whose name begins with the prefix; `rest` is the text after it. */
static swe_status apply_variable(swe_context *ctx, swe_document *document, const char *variable,
                                 const char *rest)
{
    const char *value = strchr(rest, '=') + 1;
    for (const swe_key *key = swe_keys; key->path != NULL; key++)
        if (strncmp(key->path, "profile.", 8) == 0 && is_of(rest, swe_key_name(key)))
            return *value == '\0' ? SWE_OK : apply(ctx, document, variable, key, value);
    if (is_of(rest, "enabled"))
        return SWE_OK; /* applied after all others */
    return swe_fail(ctx, SWE_CONFIG,
                    "%.*s: no such variable (%s_ENABLED, or _ and a key of section profile)",
                    (int)strcspn(variable, "="), variable, prefix);
}

static swe_status apply_enabled(swe_context *ctx, swe_document *document, const char *value)
{
    if (strcmp(value, "0") == 0)
        return swe_document_set(ctx, document, enabled, "profile.mode=off", false);
    if (strcmp(value, "1") != 0)
        return swe_fail(ctx, SWE_CONFIG, "%s: '%.100s' is not 0 or 1", enabled, value);
    const char *mode = swe_document_value(document, "profile.mode");
    if (mode != NULL && strcmp(mode, "off") != 0)
        return SWE_OK;
    return swe_document_set(ctx, document, enabled, "profile.mode=trace", false);
}

/* Apply the environment, after the file and before the command line:
 *     CUBESWE_PROFILE_<KEY>       sets profile.<key>; for a list, words separated by commas
 *     CUBESWE_PROFILE_ENABLED=1   mode trace, unless the file or _MODE sets a mode other than off
 *     CUBESWE_PROFILE_ENABLED=0   mode off
 * Empty variables are ignored. Errors: SWE_CONFIG, also for a variable without a key. */
static swe_status apply_environment(swe_context *ctx, swe_document *document)
{
    const size_t length = strlen(prefix);
    for (char **variable = environ; *variable != NULL; variable++) {
        const char *rest = *variable + length;
        if (strncmp(*variable, prefix, length) == 0 && (*rest == '_' || *rest == '='))
            SWE_TRY(apply_variable(ctx, document, *variable, rest));
    }
    const char *value = getenv(enabled);
    return value != NULL && *value != '\0' ? apply_enabled(ctx, document, value) : SWE_OK;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Whether "section.key=value" sets a text, which is not YAML: it may contain any character. */
static bool sets_text(const char *assignment)
{
    const size_t length = strcspn(assignment, "=");
    bool is = false;
    for (const swe_key *key = swe_keys; key->path != NULL; key++)
        is = is || (key->type == SWE_KEY_TEXT && !swe_key_is_of_list(key) &&
                    strlen(key->path) == length && strncmp(assignment, key->path, length) == 0);
    return is;
}

static swe_status resolve(const swe_checker *c, const char *path, swe_config *config)
{
    SWE_TRY(name_case(c->ctx, path, config));
    SWE_TRY(swe_config_check_structure(c));
    SWE_TRY(swe_config_read(c, config));
    config->has_closure = swe_document_value(c->document, "grid.closure") != NULL;
    SWE_TRY(swe_field_groups_list(c->ctx, config));
    if (!c->is_of_run)
        SWE_TRY(swe_config_check(c, config));
    return resolve_paths(c->ctx, config);
}

/* Whether the resolved configuration, which a run writes, can be read again. */
static swe_status check_written(const swe_checker *c, const char *path, const swe_config *config)
{
    char *text = NULL;
    swe_context failure = {""};
    swe_document *again = NULL;
    SWE_TRY(swe_config_text(c->ctx, config, &text));
    const swe_status status = swe_document_load(&failure, "configuration.yaml", text, &again);
    swe_document_destroy(&again);
    free(text);
    return status == SWE_OK
               ? SWE_OK
               : swe_fail(c->ctx, status, "%s: a run could not read what it writes: %s",
                          path != NULL ? path : "--set", failure.message);
}

/* Read the document's configuration and release the document. */
static swe_status load(swe_checker *c, const char *path, swe_config **out)
{
    swe_config *config = calloc(1, sizeof *config);
    swe_status status = config != NULL
                            ? resolve(c, path, config)
                            : swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for a case");
    if (status == SWE_OK && !c->is_of_run)
        status = check_written(c, path, config);
    swe_document_destroy(&c->document);
    if (status != SWE_OK)
        swe_config_destroy(&config);
    *out = config;
    return status;
}

static swe_status load_set(swe_checker c, const char *path, const char *const *set, int set_count,
                           swe_config **out)
{
    *out = NULL;
    SWE_TRY(swe_document_load(c.ctx, path != NULL ? path : "defaults", path != NULL ? NULL : "{}",
                              &c.document));
    swe_status status = apply_environment(c.ctx, c.document);
    for (int i = 0; i < set_count && status == SWE_OK; i++)
        status = swe_document_set(c.ctx, c.document, "--set", set[i], !sets_text(set[i]));
    if (status == SWE_OK)
        return load(&c, path, out);
    swe_document_destroy(&c.document);
    return status;
}

/* Fill in the digest of a file, a key, or compare it. */
static swe_status pin(swe_context *ctx, const char *path, const char *key, char **known)
{
    long long size = 0;
    char digest[SWE_DIGEST_SIZE];
    if (path[0] == '\0')
        return SWE_OK;
    SWE_TRY(swe_file_check(ctx, path));
    SWE_TRY(swe_digest_file(ctx, path, &size, digest));
    if ((*known)[0] != '\0' && strcmp(*known, digest) != 0)
        return swe_fail(ctx, SWE_DATA, "%.280s: its SHA-256 is %s, and %s is %.64s", path, digest,
                        key, *known);
    char *text = strdup(digest);
    if (text == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", key);
    free(*known);
    *known = text;
    return SWE_OK;
}

swe_status swe_config_pin_files(swe_context *ctx, swe_config *config)
{
    SWE_TRY(pin(ctx, config->bottom.path, "bottom.sha256", &config->bottom.sha256));
    return pin(ctx, config->forcing.path, "forcing.sha256", &config->forcing.sha256);
}

swe_status swe_config_load(swe_context *ctx, const char *path, const char *const *set,
                           int set_count, swe_config **out)
{
    return load_set((swe_checker){.ctx = ctx}, path, set, set_count, out);
}

swe_status swe_config_plan(swe_context *ctx, const char *path, const char *const *set,
                           int set_count, swe_config **out)
{
    return load_set((swe_checker){.ctx = ctx, .is_plan = true}, path, set, set_count, out);
}

swe_status swe_config_load_of_run(swe_context *ctx, const char *path, const char *text,
                                  swe_config **out)
{
    swe_checker c = {.ctx = ctx, .is_of_run = true};
    *out = NULL;
    SWE_TRY(swe_document_load(ctx, path, text, &c.document));
    return load(&c, path, out);
}

void swe_config_destroy(swe_config **pointer)
{
    swe_config *config = *pointer;
    if (config == NULL)
        return;
    for (swe_value value = {.key = NULL}; swe_value_next(config, &value);)
        if (value.key->type == SWE_KEY_TEXT)
            free(*(char **)value.at);
        else if (value.key->type == SWE_KEY_REALS)
            free(((swe_reals *)value.at)->value);
    free(config->tracers.item);
    free(config->case_name);
    free(config->case_file);
    swe_field *fields = (swe_field *)config->fields.field;
    free(fields);
    free(config);
    *pointer = NULL;
}
