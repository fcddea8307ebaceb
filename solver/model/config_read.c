#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/former_names.h"
#include "base/hint.h"
#include "model/config_internal.h"
#include "model/config_keys.h"
#include "base/text.h"

swe_status swe_config_refuse(const swe_checker *c, const char *path, const char *format, ...)
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

/* ---- structure ------------------------------------------------------------------------------- */

typedef enum kind { UNKNOWN, VALUE, LIST, NONEMPTY_LIST, MAP } kind;

/* Kind of value that the schema requires for a key; `section` names a list of keys of
 * config_keys.h. */
static kind kind_of(const char *section, const char *name)
{
#define IS_KEY(in, key, what)                                                                      \
    if (strcmp(section, #in) == 0 && strcmp(name, #key) == 0)                                      \
        return what;
#define IS_VALUE(in, key, ...)  IS_KEY(in, key, VALUE)
#define IS_REALS(in, key, ...)  IS_KEY(in, key, LIST)
#define IS_WORDS(in, key, ...)  IS_KEY(in, key, NONEMPTY_LIST)
#define KEYS_OF(in)             SWE_CONFIG_##in(IS_VALUE, IS_VALUE, IS_VALUE, IS_VALUE, IS_REALS, IS_WORDS)
#define KEYS_OF_LIST(list, map) KEYS_OF(list) KEYS_OF(list##_##map) IS_KEY(list, map, MAP)
    SWE_CONFIG_SECTIONS(KEYS_OF)
    SWE_CONFIG_LISTS(KEYS_OF_LIST)
    return UNKNOWN;
}

static bool is_list(const char *name)
{
    (void)name;
#define IS_LIST(list, map) || strcmp(name, #list) == 0
    return false SWE_CONFIG_LISTS(IS_LIST);
}

static bool is_section(const char *name)
{
#define IS_SECTION(in) || strcmp(name, #in) == 0
    return false SWE_CONFIG_SECTIONS(IS_SECTION) || is_list(name);
}

/* Report an unknown key or section, with suggestions: all sections, the keys of the same section,
 * and keys of the same name in other sections. */
static swe_status refuse_unknown(const swe_checker *c, const char *path, const char *section,
                                 const char *name)
{
    swe_hint hint;
#define OFFER_KEY(in, key, ...)                                                                    \
    if (strcmp(section, #in) == 0 || strcmp(name, #key) == 0)                                      \
        swe_hint_offer(&hint, #key, #in "." #key);
#define OFFER_SECTION(in)                                                                          \
    if (section[0] == '\0')                                                                        \
        swe_hint_offer(&hint, #in, NULL);                                                          \
    SWE_CONFIG_##in(OFFER_KEY, OFFER_KEY, OFFER_KEY, OFFER_KEY, OFFER_KEY, OFFER_KEY)
#define OFFER_OWN(in, key, ...)                                                                    \
    if (strcmp(section, #in) == 0)                                                                 \
        swe_hint_offer(&hint, #key, NULL);
#define OFFER_LIST(list, map)                                                                      \
    if (section[0] == '\0')                                                                        \
        swe_hint_offer(&hint, #list, NULL);                                                        \
    OFFER_OWN(list, map, "")                                                                       \
    SWE_CONFIG_##list(OFFER_OWN, OFFER_OWN, OFFER_OWN, OFFER_OWN, OFFER_OWN, OFFER_OWN)            \
        SWE_CONFIG_##list##_##map(OFFER_OWN, OFFER_OWN, OFFER_OWN, OFFER_OWN, OFFER_OWN,           \
                                  OFFER_OWN)
    swe_hint_start(&hint, name);
    SWE_CONFIG_SECTIONS(OFFER_SECTION)
    SWE_CONFIG_LISTS(OFFER_LIST)
    return swe_config_refuse(c, path, "unknown key%s", swe_hint_text(&hint));
}

static const yaml_node_t *node_at(const swe_checker *c, int index)
{
    return yaml_document_get_node(swe_document_yaml(c->document), index);
}

static const char *text_of(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static swe_status check_list(const swe_checker *c, const char *path, const yaml_node_t *list,
                             kind is)
{
    if (list->type != YAML_SEQUENCE_NODE)
        return swe_config_refuse(c, path, "expected a list such as [a, b]");
    const yaml_node_item_t *item = list->data.sequence.items.start;
    if (is == NONEMPTY_LIST && item == list->data.sequence.items.top)
        return swe_config_refuse(c, path, "the list must not be empty");
    for (; item < list->data.sequence.items.top; item++)
        if (text_of(node_at(c, *item)) == NULL)
            return swe_config_refuse(c, path, "expected a single value");
    return SWE_OK;
}

/* A map of the document: its path for messages, and the list of keys that it may have. */
typedef struct map {
    const char *path, *keys;
    const yaml_node_t *node;
} map;

/* Check that a key is a known word and the first of its name in the map; write its path. */
static swe_status check_name(const swe_checker *c, const map *in, const yaml_node_pair_t *pair,
                             char *path, size_t size)
{
    char where[512];
    const char *name = text_of(node_at(c, pair->key));
    path[0] = '\0';
    if (name == NULL) {
        swe_document_locate(c->document, in->path, where, sizeof where);
        return swe_fail(c->ctx, SWE_CONFIG, "%s: a key must be a single word", where);
    }
    snprintf(path, size, "%s%s%.95s", in->path, in->path[0] != '\0' ? "." : "", name);
    if (in->path[0] == '\0' ? !is_section(name) : kind_of(in->keys, name) == UNKNOWN)
        return refuse_unknown(c, path, in->keys, name);
    for (const yaml_node_pair_t *before = in->node->data.mapping.pairs.start; before < pair;
         before++)
        if (strcmp(text_of(node_at(c, before->key)), name) == 0)
            return swe_config_refuse(c, path, "key given twice");
    return SWE_OK;
}

static swe_status check_map(const swe_checker *c, const map *in);

static swe_status check_value(const swe_checker *c, const map *in, const char *path,
                              const char *name, const yaml_node_t *value)
{
    char keys[128];
    const kind is = kind_of(in->keys, name);
    if (is == MAP) {
        snprintf(keys, sizeof keys, "%s_%.95s", in->keys, name);
        return check_map(c, &(map){path, keys, value});
    }
    if (is != VALUE)
        return check_list(c, path, value, is);
    return text_of(value) != NULL ? SWE_OK : swe_config_refuse(c, path, "expected a single value");
}

static swe_status check_map(const swe_checker *c, const map *in)
{
    char path[256];
    if (in->node->type != YAML_MAPPING_NODE)
        return swe_config_refuse(
            c, in->path, "expected keys below it, as 'key: value' with a space after the colon");
    const yaml_node_pair_t *pair = in->node->data.mapping.pairs.start;
    for (; pair < in->node->data.mapping.pairs.top; pair++) {
        SWE_TRY(check_name(c, in, pair, path, sizeof path));
        SWE_TRY(check_value(c, in, path, text_of(node_at(c, pair->key)), node_at(c, pair->value)));
    }
    return SWE_OK;
}

/* Check a section that is a list of maps. */
static swe_status check_entries(const swe_checker *c, const char *list, const yaml_node_t *node)
{
    char path[288];
    if (node->type != YAML_SEQUENCE_NODE)
        return swe_config_refuse(c, list, "expected a list, each entry after '- '");
    const yaml_node_item_t *items = node->data.sequence.items.start;
    for (unsigned k = 0; items + k < node->data.sequence.items.top; k++) {
        snprintf(path, sizeof path, "%s[%u]", list, k);
        SWE_TRY(check_map(c, &(map){path, list, node_at(c, items[k])}));
    }
    return SWE_OK;
}

swe_status swe_config_check_structure(const swe_checker *c)
{
    char path[256];
    const map root = {"", "", node_at(c, 1)};
    const yaml_node_pair_t *pair = root.node->data.mapping.pairs.start;
    for (; pair < root.node->data.mapping.pairs.top; pair++) {
        SWE_TRY(check_name(c, &root, pair, path, sizeof path));
        const yaml_node_t *value = node_at(c, pair->value);
        SWE_TRY(is_list(path) ? check_entries(c, path, value)
                              : check_map(c, &(map){path, path, value}));
    }
    return SWE_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Whether the whole text is one decimal number; `end` is the end of the parsed part. */
static bool is_number(const char *raw, const char *end)
{
    return end != raw && *end == '\0' && !isspace((unsigned char)*raw) &&
           strpbrk(raw, "xX") == NULL;
}

/* Read a number with a unit, which is a time if the unit is "s". */
static swe_status read_real(const swe_checker *c, const char *path, const char *raw,
                            double fallback, double least, double most, const char *unit,
                            double *out)
{
    *out = fallback;
    if (raw == NULL)
        return SWE_OK;
    char *end = NULL;
    *out = strtod(raw, &end);
    const bool is_time = strcmp(unit, "s") == 0;
    if (is_time ? !swe_text_time(raw, out) : !is_number(raw, end))
        return swe_config_refuse(c, path, "'%.100s' is not a %s", raw,
                                 is_time ? "time: seconds, or as 5d, 12h, 30min, 1-12:00:00"
                                         : "number");
    if (!(*out >= least && *out <= most))
        return swe_config_refuse(c, path, "%.100s is not in [%g, %g]", raw, least, most);
    return SWE_OK;
}

static swe_status read_integer(const swe_checker *c, const char *path, const char *raw,
                               long fallback, long least, long most, long *out)
{
    *out = fallback;
    if (raw == NULL)
        return SWE_OK;
    char *end = NULL;
    *out = strtol(raw, &end, 10);
    if (!is_number(raw, end))
        return swe_config_refuse(c, path, "'%.100s' is not an integer", raw);
    if (*out < least || *out > most)
        return swe_config_refuse(c, path, "%.100s is not in [%ld, %ld]", raw, least, most);
    return SWE_OK;
}

int swe_config_index(const char *word, const char *choices)
{
    const size_t length = strlen(word);
    int index = 0;
    for (const char *start = choices;; index++) {
        const size_t this_length = strcspn(start, "|");
        if (this_length == length && strncmp(start, word, length) == 0)
            return index;
        if (start[this_length] == '\0')
            return -1;
        start += this_length + 1;
    }
}

/* Index of a YAML boolean: if one of yes, true, on (or no, false, off) is a choice, the others, in
 * either case, mean the same. */
static int switch_index(const char *word, const char *choices)
{
    static const char *const switches[][3] = {{"yes", "true", "on"}, {"no", "false", "off"}};
    for (size_t s = 0; s < sizeof switches / sizeof switches[0]; s++) {
        bool is_meant = false;
        int index = -1;
        for (int k = 0; k < 3; k++) {
            is_meant |= strcasecmp(word, switches[s][k]) == 0;
            index = index < 0 ? swe_config_index(switches[s][k], choices) : index;
        }
        if (is_meant)
            return index;
    }
    return -1;
}

static swe_status read_choice(const swe_checker *c, const char *path, const char *raw,
                              const char *fallback, const char *choices, int *out)
{
    const char *word = raw != NULL ? raw : fallback;
    const char *note = NULL;
    if (strcmp(path, "grid.closure") == 0)
        word = swe_current_name(SWE_NAMED_CLOSURE, word, &note);
    int index = swe_config_index(word, choices);
    if (index < 0)
        index = switch_index(word, choices);
    if (index < 0) {
        swe_hint hint;
        swe_hint_start(&hint, word);
        swe_hint_offer_choices(&hint, choices);
        return swe_config_refuse(c, path, "'%.100s' is not one of %s%s", word, choices,
                                 swe_hint_text(&hint));
    }
    *out = index;
    return SWE_OK;
}

bool swe_config_is_printable(const char *text)
{
    while (*text != '\0' && swe_unsafe_length(text) == 0)
        text += swe_utf8_length(text);
    return *text == '\0';
}

bool swe_config_is_home(const char *path)
{
    return path[0] == '~' && (path[1] == '\0' || path[1] == '/');
}

static swe_status read_text(const swe_checker *c, const char *path, const char *raw,
                            const char *fallback, char **out)
{
    const char *name = strrchr(path, '.') + 1;
    const bool is_path = strcmp(name, "path") == 0 || strcmp(name, "dir") == 0;
    if (raw != NULL && is_path && (strcasecmp(raw, "none") == 0 || strcasecmp(raw, "null") == 0))
        return swe_config_refuse(c, path,
                                 "leave it empty for none; './%.100s' is a path of that name", raw);
    if (raw != NULL && swe_config_is_home(raw))
        return swe_config_refuse(c, path, "'%.100s': ~ is not expanded here: name it in full", raw);
    if (raw != NULL && !swe_config_is_printable(raw))
        return swe_config_refuse(c, path,
                                 "has a character that is not printable, such as a line break");
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

static swe_status read_reals(const swe_checker *c, const char *path, const yaml_node_t *list,
                             double least, double most, const char *unit, swe_reals *out)
{
    out->count = count_of(list);
    out->value = calloc(out->count + 1, sizeof(double));
    if (out->value == NULL)
        return swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for %s", path);
    for (unsigned k = 0; k < out->count; k++)
        SWE_TRY(read_real(c, path, entry_of(c, list, k), 0.0, least, most, unit, &out->value[k]));
    return SWE_OK;
}

/* Bits of the words of "a|b" in the list "a|b|c". */
static unsigned bits_of(const char *words, const char *choices)
{
    unsigned bits = 0;
    for (;;) {
        char word[64];
        const size_t length = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        const int index = swe_config_index(word, choices);
        bits |= index >= 0 ? 1u << index : 0u;
        if (words[length] == '\0')
            return bits;
        words += length + 1;
    }
}

static swe_status read_words(const swe_checker *c, const char *path, const yaml_node_t *list,
                             const char *fallback, const char *choices, swe_words *out)
{
    out->chosen = list != NULL ? 0u : bits_of(fallback, choices);
    for (unsigned k = 0; k < count_of(list); k++) {
        int index = 0;
        SWE_TRY(read_choice(c, path, entry_of(c, list, k), "", choices, &index));
        out->chosen |= 1u << index;
    }
    return SWE_OK;
}

/* Read all keys of a list of keys: `item` points at their struct, `where` is the path of their
 * section. */
#define PATH(name)  (snprintf(path, sizeof path, "%s.%s", where, #name), path)
#define VALUE(name) PATH(name), swe_document_value(c->document, where, #name)
#define LIST(name)  PATH(name), swe_document_list(c->document, where, #name)
#define READ_REAL(section, name, fallback, least, most, unit, ...)                                 \
    SWE_TRY(read_real(c, VALUE(name), fallback, least, most, unit, &item->name));
#define READ_INTEGER(section, name, fallback, least, most, ...)                                    \
    SWE_TRY(read_integer(c, VALUE(name), fallback, least, most, &item->name));
#define READ_CHOICE(section, name, fallback, choices, ...)                                         \
    SWE_TRY(read_choice(c, VALUE(name), fallback, choices, &item->name));
#define READ_TEXT(section, name, fallback, ...)                                                    \
    SWE_TRY(read_text(c, VALUE(name), fallback, &item->name));
#define READ_REALS(section, name, least, most, unit, ...)                                          \
    SWE_TRY(read_reals(c, LIST(name), least, most, unit, &item->name));
#define READ_WORDS(section, name, fallback, choices, ...)                                          \
    SWE_TRY(read_words(c, LIST(name), fallback, choices, &item->name));
#define READ_KEYS(keys, type, pointer)                                                             \
    {                                                                                              \
        type *item = pointer;                                                                      \
        keys(READ_REAL, READ_INTEGER, READ_CHOICE, READ_TEXT, READ_REALS, READ_WORDS)              \
    }
#define READ_SECTION(section)                                                                      \
    snprintf(where, sizeof where, "%s", #section);                                                 \
    READ_KEYS(SWE_CONFIG_##section, struct swe_config_##section, &out->section)
#define READ_LIST(list, map)                                                                       \
    out->list.item = calloc(swe_document_entries(c->document, #list) + 1, sizeof *out->list.item); \
    if (out->list.item == NULL)                                                                    \
        return swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for %s", #list);                     \
    out->list.count = swe_document_entries(c->document, #list);                                    \
    for (unsigned k = 0; k < out->list.count; k++) {                                               \
        snprintf(where, sizeof where, "%s[%u]", #list, k);                                         \
        READ_KEYS(SWE_CONFIG_##list, struct swe_config_##list, &out->list.item[k])                 \
        snprintf(where, sizeof where, "%s[%u].%s", #list, k, #map);                                \
        READ_KEYS(SWE_CONFIG_##list##_##map, struct swe_config_##list##_##map,                     \
                  &out->list.item[k].map)                                                          \
    }

swe_status swe_config_read(const swe_checker *c, swe_config *out)
{
    char where[128], path[256];
    SWE_CONFIG_SECTIONS(READ_SECTION)
    SWE_CONFIG_LISTS(READ_LIST)
    return SWE_OK;
}
