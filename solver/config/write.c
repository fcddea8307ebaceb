#include <stdlib.h>
#include <string.h>

#include "config/keys.h"

/* Write the shortest text that reads back as the same number. */
static void write_real(FILE *file, double value)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = 0.0;
        if (sscanf(text, "%lf", &back) == 1 && back == value)
            break;
    }
    fputs(text, file);
}

/* Write a single-quoted YAML text. */
static void write_text(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; *text != '\0'; text++)
        fputs(*text == '\'' ? "''" : (const char[]){*text, '\0'}, file);
    fputc('\'', file);
}

static void write_reals(FILE *file, const swe_reals *reals)
{
    fputc('[', file);
    for (unsigned k = 0; k < reals->count; k++) {
        fputs(k > 0 ? ", " : "", file);
        write_real(file, reals->value[k]);
    }
    fputc(']', file);
}

/* Write the words of "a|b|c" whose bit is set. */
static void write_words(FILE *file, unsigned chosen, const char *words)
{
    int length = 0;
    const char *word = NULL, *separator = "";
    for (int k = 0; (word = swe_key_word(words, k, &length)) != NULL; k++)
        if (chosen & 1u << k) {
            fprintf(file, "%s%.*s", separator, length, word);
            separator = ", ";
        }
}

void swe_config_write_value(FILE *file, const swe_value *value)
{
    switch (value->key->type) {
    case SWE_KEY_REAL:
        write_real(file, *(const double *)value->at);
        break;
    case SWE_KEY_INTEGER:
        fprintf(file, "%ld", *(const long *)value->at);
        break;
    case SWE_KEY_CHOICE:
        write_words(file, 1u << *(const int *)value->at, value->key->range);
        break;
    case SWE_KEY_TEXT:
        write_text(file, *(char *const *)value->at);
        break;
    case SWE_KEY_REALS:
        write_reals(file, value->at);
        break;
    case SWE_KEY_WORDS:
        fputc('[', file);
        write_words(file, ((const swe_words *)value->at)->chosen, value->key->range);
        fputc(']', file);
    }
}

/* Write the name of a key. The first key of a section or map follows the names of the section and
 * the maps; `before` is the path of the previous key. The first key of an entry of a list follows
 * "- ". */
static void write_name(FILE *file, const swe_value *value, const char *before)
{
    const char *path = value->key->path, *part = path;
    const bool begins_entry = value->key == swe_keys || !swe_key_is_of_list(value->key - 1);
    bool is_new = false, is_in_list = false;
    for (int depth = 0; part != NULL; depth++) {
        const char *end = strchr(part, '.');
        const int length = (int)strcspn(part, "[.");
        is_new = is_new || strncmp(before + (part - path), part, strcspn(part, ".") + 1) != 0;
        if (is_new)
            fprintf(file, "%*s%s%.*s:%s", 2 * depth, "",
                    !is_in_list    ? ""
                    : begins_entry ? "- "
                                   : "  ",
                    length, part, end != NULL ? "\n" : " ");
        is_in_list = is_in_list || part[length] == '[';
        part = end != NULL ? end + 1 : NULL;
    }
}

swe_config swe_config_resolved(const swe_config *given)
{
    const swe_physics physics = swe_config_physics(given);
    swe_config resolved = *given;
    resolved.scheme.edge_damping = physics.edge_damping;
    resolved.scheme.dissipation = physics.dissipation;
    if (given->time.dt > 0.0 && given->continued_step <= 0.0)
        resolved.time.dt = swe_config_schedule(given, NULL);
    return resolved;
}

void swe_config_write_keys(const swe_config *given, FILE *file)
{
    const swe_config resolved = swe_config_resolved(given);
    const char *before = "";
    for (swe_value value = {.key = NULL}; swe_value_next(&resolved, &value);
         before = value.key->path) {
        write_name(file, &value, before);
        swe_config_write_value(file, &value);
        fputc('\n', file);
    }
    if (given->tracers.count == 0)
        fputs("tracers: []\n", file);
}

void swe_config_write_step(const swe_config *config, FILE *file)
{
    long steps = 0;
    const double dt = swe_config_schedule(config, &steps);
    fputs("# time step      ", file);
    write_real(file, dt);
    fprintf(file, " s, %ld steps\n", steps);
}

void swe_config_write(const swe_config *config, FILE *file)
{
    swe_config_write_keys(config, file);
    swe_config_write_step(config, file);
}

/* A memory stream can close without an error and still lack text, so all results are checked. */
swe_status swe_config_text(swe_context *ctx, const swe_config *config, char **out)
{
    size_t length = 0;
    *out = NULL;
    FILE *stream = open_memstream(out, &length);
    bool is_whole = stream != NULL;
    if (is_whole) {
        swe_config_write(config, stream);
        is_whole = ferror(stream) == 0;
        is_whole = fclose(stream) == 0 && is_whole && *out != NULL;
    }
    if (is_whole)
        return SWE_OK;
    free(*out);
    *out = NULL;
    return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the configuration");
}

/* Write "a|b|c" as "a, b, c": '|' would end a table cell. */
static void list_words(FILE *file, const char *words)
{
    for (; *words != '\0'; words++)
        fputs(*words == '|' ? ", " : (const char[]){*words, '\0'}, file);
    fputs(" | ", file);
}

void swe_config_write_reference(FILE *file)
{
    static const char *const types[] = {
        [SWE_KEY_REAL] = "number",         [SWE_KEY_INTEGER] = "integer",
        [SWE_KEY_CHOICE] = "word",         [SWE_KEY_TEXT] = "text",
        [SWE_KEY_REALS] = "list of times", [SWE_KEY_WORDS] = "list of words"};
    fputs("| key | type | default | range | unit | meaning |\n|---|---|---|---|---|---|\n", file);
    for (const swe_key *key = swe_keys; key->path != NULL; key++) {
        const bool is_time = key->type == SWE_KEY_REAL && strcmp(key->unit, "s") == 0;
        const bool has_words = key->type == SWE_KEY_CHOICE || key->type == SWE_KEY_WORDS;
        fprintf(file, "| `%s` | %s | ", key->path, is_time ? "time" : types[key->type]);
        list_words(file, key->type == SWE_KEY_TEXT ? "none" : key->fallback);
        list_words(file, key->range);
        fprintf(file, "%s%s| %s |\n", key->unit, has_words ? "" : " ", key->meaning);
    }
}
