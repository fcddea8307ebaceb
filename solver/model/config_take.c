#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hint.h"
#include "model/config_checker.h"
#include "outputs/utf8.h"

swe_status swe_config_complain(const swe_checker *c, const char *path, const char *format, ...)
{
    char where[512], text[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    swe_document_locate(c->document, path, where, sizeof where);
    return swe_fail(c->ctx, SWE_CONFIG, "%s: %s%s%s", where, path, path[0] != '\0' ? ": " : "",
                    text);
}

/* Whether `end`, where reading a number stopped, is the end of a decimal number and nothing more.
 */
static bool is_number(const char *raw, const char *end)
{
    return end != raw && *end == '\0' && !isspace((unsigned char)*raw) &&
           strpbrk(raw, "xX") == NULL;
}

static swe_status take_real(const swe_checker *c, const char *path, const char *raw,
                            double fallback, double least, double most, double *out)
{
    *out = fallback;
    if (raw == NULL)
        return SWE_OK;
    char *end = NULL;
    *out = strtod(raw, &end);
    if (!is_number(raw, end))
        return swe_config_complain(c, path, "'%.100s' is not a number", raw);
    if (!(*out >= least && *out <= most))
        return swe_config_complain(c, path, "%.100s is not in [%g, %g]", raw, least, most);
    return SWE_OK;
}

static swe_status take_integer(const swe_checker *c, const char *path, const char *raw,
                               long fallback, long least, long most, long *out)
{
    *out = fallback;
    if (raw == NULL)
        return SWE_OK;
    char *end = NULL;
    *out = strtol(raw, &end, 10);
    if (!is_number(raw, end))
        return swe_config_complain(c, path, "'%.100s' is not an integer", raw);
    if (*out < least || *out > most)
        return swe_config_complain(c, path, "%.100s is not in [%ld, %ld]", raw, least, most);
    return SWE_OK;
}

int swe_config_place(const char *word, const char *choices)
{
    const size_t length = strlen(word);
    int place = 0;
    for (const char *start = choices;; place++) {
        const size_t this_length = strcspn(start, "|");
        if (this_length == length && strncmp(start, word, length) == 0)
            return place;
        if (start[this_length] == '\0')
            return -1;
        start += this_length + 1;
    }
}

/* YAML knows yes, true and on, and no, false and off, in capitals too: where one of them is a
 * choice, all stand for it. */
static int place_of_switch(const char *word, const char *choices)
{
    static const char *const switches[][3] = {{"yes", "true", "on"}, {"no", "false", "off"}};
    for (size_t s = 0; s < sizeof switches / sizeof switches[0]; s++) {
        bool is_meant = false;
        int place = -1;
        for (int k = 0; k < 3; k++) {
            is_meant |= strcasecmp(word, switches[s][k]) == 0;
            place = place < 0 ? swe_config_place(switches[s][k], choices) : place;
        }
        if (is_meant)
            return place;
    }
    return -1;
}

static swe_status take_choice(const swe_checker *c, const char *path, const char *raw,
                              const char *fallback, const char *choices, int *out)
{
    const char *word = raw != NULL ? raw : fallback;
    int place = swe_config_place(word, choices);
    if (place < 0)
        place = place_of_switch(word, choices);
    if (place < 0) {
        swe_hint hint;
        swe_hint_start(&hint, word);
        swe_hint_offer_choices(&hint, choices);
        return swe_config_complain(c, path, "'%.100s' is not one of %s%s", word, choices,
                                   swe_hint_text(&hint));
    }
    *out = place;
    return SWE_OK;
}

/* Whether a text is one line of characters that can be seen: only such a text is the same when it
 * is written in quotes and read again. */
static bool is_one_line(const char *text)
{
    while (*text != '\0' && prof_unsafe_length(text) == 0)
        text += prof_utf8_length(text);
    return *text == '\0';
}

static swe_status take_text(const swe_checker *c, const char *path, const char *raw,
                            const char *fallback, char **out)
{
    if (raw != NULL && swe_config_is_home(raw))
        return swe_config_complain(c, path,
                                   "'%.100s': ~ is no name of a folder here: name it in full", raw);
    if (raw != NULL && !is_one_line(raw))
        return swe_config_complain(c, path,
                                   "has a character that cannot be seen, such as a line break");
    *out = strdup(raw != NULL ? raw : fallback);
    return *out != NULL ? SWE_OK : swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for %s", path);
}

static unsigned count_of(const yaml_node_t *list)
{
    return list != NULL
               ? (unsigned)(list->data.sequence.items.top - list->data.sequence.items.start)
               : 0;
}

static const char *entry_of(const swe_checker *c, const yaml_node_t *list, unsigned k)
{
    const int index = list->data.sequence.items.start[k];
    return (const char *)yaml_document_get_node(swe_document_yaml(c->document), index)
        ->data.scalar.value;
}

static swe_status take_reals(const swe_checker *c, const char *path, const yaml_node_t *list,
                             double least, double most, swe_reals *out)
{
    out->count = count_of(list);
    out->value = calloc(out->count + 1, sizeof(double));
    if (out->value == NULL)
        return swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for %s", path);
    for (unsigned k = 0; k < out->count; k++)
        SWE_TRY(take_real(c, path, entry_of(c, list, k), 0.0, least, most, &out->value[k]));
    return SWE_OK;
}

/* Bits of the words of "a|b" among "a|b|c". */
static unsigned bits_of(const char *words, const char *choices)
{
    unsigned bits = 0;
    for (;;) {
        char word[64];
        const size_t length = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        const int place = swe_config_place(word, choices);
        bits |= place >= 0 ? 1u << place : 0u;
        if (words[length] == '\0')
            return bits;
        words += length + 1;
    }
}

static swe_status take_words(const swe_checker *c, const char *path, const yaml_node_t *list,
                             const char *fallback, const char *choices, swe_words *out)
{
    out->chosen = list != NULL ? 0u : bits_of(fallback, choices);
    for (unsigned k = 0; k < count_of(list); k++) {
        int place = 0;
        SWE_TRY(take_choice(c, path, entry_of(c, list, k), "", choices, &place));
        out->chosen |= 1u << place;
    }
    return SWE_OK;
}

#define VALUE(section, name) #section "." #name, swe_document_value(c->document, #section, #name)
#define LIST(section, name)  #section "." #name, swe_document_list(c->document, #section, #name)
#define TAKE_REAL(section, name, fallback, least, most, ...)                                       \
    SWE_TRY(take_real(c, VALUE(section, name), fallback, least, most, &out->section.name));
#define TAKE_INTEGER(section, name, fallback, least, most, ...)                                    \
    SWE_TRY(take_integer(c, VALUE(section, name), fallback, least, most, &out->section.name));
#define TAKE_CHOICE(section, name, fallback, choices, ...)                                         \
    SWE_TRY(take_choice(c, VALUE(section, name), fallback, choices, &out->section.name));
#define TAKE_TEXT(section, name, fallback, ...)                                                    \
    SWE_TRY(take_text(c, VALUE(section, name), fallback, &out->section.name));
#define TAKE_REALS(section, name, least, most, ...)                                                \
    SWE_TRY(take_reals(c, LIST(section, name), least, most, &out->section.name));
#define TAKE_WORDS(section, name, fallback, choices, ...)                                          \
    SWE_TRY(take_words(c, LIST(section, name), fallback, choices, &out->section.name));
#define TAKE_SECTION(section)                                                                      \
    SWE_CONFIG_##section(TAKE_REAL, TAKE_INTEGER, TAKE_CHOICE, TAKE_TEXT, TAKE_REALS, TAKE_WORDS)

swe_status swe_config_take(const swe_checker *c, swe_config *out)
{
    SWE_CONFIG_SECTIONS(TAKE_SECTION)
    return SWE_OK;
}
