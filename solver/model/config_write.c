#include <stdlib.h>
#include <string.h>

#include "model/config.h"

/* Write word number `index` of "a|b|c". */
static void write_word(FILE *file, const char *choices, int index)
{
    for (; index > 0 && *choices != '\0'; index--) {
        choices += strcspn(choices, "|");
        choices += *choices == '|';
    }
    fprintf(file, "%.*s", (int)strcspn(choices, "|"), choices);
}

static int word_count(const char *choices)
{
    int count = 1;
    for (; *choices != '\0'; choices++)
        count += *choices == '|';
    return count;
}

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

static void write_reals(FILE *file, swe_reals reals)
{
    fputc('[', file);
    for (unsigned k = 0; k < reals.count; k++) {
        fputs(k > 0 ? ", " : "", file);
        write_real(file, reals.value[k]);
    }
    fputc(']', file);
}

static void write_words(FILE *file, swe_words words, const char *choices)
{
    const char *separator = "";
    fputc('[', file);
    for (int index = 0; index < word_count(choices); index++)
        if (words.chosen & 1u << index) {
            fputs(separator, file);
            write_word(file, choices, index);
            separator = ", ";
        }
    fputc(']', file);
}

/* Write all keys of a list of keys: `item` points at their struct, `indent` precedes the first key,
 * `others` each other one. */
#define WRITE(name, call)                                                                          \
    fprintf(file, "%s%s: ", indent, #name);                                                        \
    call;                                                                                          \
    fputc('\n', file);                                                                             \
    indent = others;
#define WRITE_REAL(section, name, ...)    WRITE(name, write_real(file, item->name))
#define WRITE_INTEGER(section, name, ...) WRITE(name, fprintf(file, "%ld", item->name))
#define WRITE_CHOICE(section, name, fallback, choices, ...)                                        \
    WRITE(name, write_word(file, choices, item->name))
#define WRITE_TEXT(section, name, ...)  WRITE(name, write_text(file, item->name))
#define WRITE_REALS(section, name, ...) WRITE(name, write_reals(file, item->name))
#define WRITE_WORDS(section, name, fallback, choices, ...)                                         \
    WRITE(name, write_words(file, item->name, choices))
#define WRITE_KEYS(keys, type, pointer)                                                            \
    {                                                                                              \
        const type *item = pointer;                                                                \
        keys(WRITE_REAL, WRITE_INTEGER, WRITE_CHOICE, WRITE_TEXT, WRITE_REALS, WRITE_WORDS)        \
    }
#define WRITE_SECTION(section)                                                                     \
    fputs(#section ":\n", file);                                                                   \
    indent = others = "  ";                                                                        \
    WRITE_KEYS(SWE_CONFIG_##section, struct swe_config_##section, &config->section)
#define WRITE_LIST(list, map)                                                                      \
    fprintf(file, "%s:%s\n", #list, config->list.count == 0 ? " []" : "");                         \
    for (unsigned k = 0; k < config->list.count; k++) {                                            \
        indent = "  - ";                                                                           \
        others = "    ";                                                                           \
        WRITE_KEYS(SWE_CONFIG_##list, struct swe_config_##list, &config->list.item[k])             \
        fprintf(file, "    %s:\n", #map);                                                          \
        indent = others = "      ";                                                                \
        WRITE_KEYS(SWE_CONFIG_##list##_##map, struct swe_config_##list##_##map,                    \
                   &config->list.item[k].map)                                                      \
    }

void swe_config_write_keys(const swe_config *given, FILE *file)
{
    const swe_physics physics = swe_config_physics(given);
    long steps = 0;
    swe_config resolved = *given, *config = &resolved;
    resolved.scheme.edge_damping = physics.edge_damping;
    resolved.scheme.dissipation = physics.dissipation;
    if (given->time.dt > 0.0 && given->continued_step <= 0.0)
        swe_config_schedule(given, &resolved.time.dt, &steps);
    const char *indent, *others;
    SWE_CONFIG_SECTIONS(WRITE_SECTION)
    SWE_CONFIG_LISTS(WRITE_LIST)
}

void swe_config_write_step(const swe_config *config, FILE *file)
{
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
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

#define ROW(section, name, type, fallback, range, unit, meaning)                                   \
    fprintf(file, "| `%s.%s` | %s | %s | %s | %s | %s |\n", where, #name, type, fallback, range,   \
            unit, meaning);
#define ROW_REAL(section, name, fallback, least, most, unit, meaning)                              \
    ROW(section, name, strcmp(unit, "s") == 0 ? "time" : "number", #fallback, #least " to " #most, \
        unit, meaning)
#define ROW_INTEGER(section, name, fallback, least, most, unit, meaning)                           \
    ROW(section, name, "integer", #fallback, #least " to " #most, unit, meaning)
#define ROW_CHOICE(section, name, fallback, choices, meaning)                                      \
    write_choices(file, where, #name, "word", fallback, choices, meaning);
#define ROW_TEXT(section, name, fallback, meaning)                                                 \
    ROW(section, name, "text", "none", "", "", meaning)
#define ROW_REALS(section, name, least, most, unit, meaning)                                       \
    ROW(section, name, "list of times", "[]", #least " to " #most, unit, meaning)
#define ROW_WORDS(section, name, fallback, choices, meaning)                                       \
    write_choices(file, where, #name, "list of words", fallback, choices, meaning);
#define ROW_KEYS(keys) keys(ROW_REAL, ROW_INTEGER, ROW_CHOICE, ROW_TEXT, ROW_REALS, ROW_WORDS)
#define ROW_SECTION(section)                                                                       \
    where = #section;                                                                              \
    ROW_KEYS(SWE_CONFIG_##section)
#define ROW_LIST(list, map)                                                                        \
    where = #list "[]";                                                                            \
    ROW_KEYS(SWE_CONFIG_##list)                                                                    \
    where = #list "[]." #map;                                                                      \
    ROW_KEYS(SWE_CONFIG_##list##_##map)

/* Write "a|b|c" as "a, b, c". */
static void list_words(FILE *file, const char *choices)
{
    for (int index = 0; index < word_count(choices); index++) {
        fputs(index > 0 ? ", " : "", file);
        write_word(file, choices, index);
    }
}

/* Write a table row for a key with words as values; '|' would end a table cell. */
static void write_choices(FILE *file, const char *where, const char *name, const char *type,
                          const char *fallback, const char *choices, const char *meaning)
{
    fprintf(file, "| `%s.%s` | %s | ", where, name, type);
    list_words(file, fallback);
    fputs(" | ", file);
    list_words(file, choices);
    fprintf(file, " | | %s |\n", meaning);
}

void swe_config_write_reference(FILE *file)
{
    fputs("| key | type | default | range | unit | meaning |\n|---|---|---|---|---|---|\n", file);
    const char *where;
    SWE_CONFIG_SECTIONS(ROW_SECTION)
    SWE_CONFIG_LISTS(ROW_LIST)
}
