#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/former_names.h"
#include "base/hint.h"
#include "config/internal.h"
#include "config/keys.h"
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

typedef enum kind { UNKNOWN, VALUE, LIST, NONEMPTY_LIST, MAP, MAPS } kind;

/* Kind of value that the table requires at a path, such as "grid" or "tracers[].name". */
static kind kind_of(const char *path)
{
    const size_t length = strlen(path);
    for (const swe_key *key = swe_keys; key->path != NULL; key++) {
        if (strncmp(key->path, path, length) != 0)
            continue;
        if (key->path[length] == '\0')
            return key->type == SWE_KEY_REALS   ? LIST
                   : key->type == SWE_KEY_WORDS ? NONEMPTY_LIST
                                                : VALUE;
        if (key->path[length] == '.' || key->path[length] == '[')
            return key->path[length] == '.' ? MAP : MAPS;
    }
    return UNKNOWN;
}

/* A node of the document: its path in messages, "tracers[0].name", and in the table. */
typedef struct place {
    const char *path, *keys;
    const yaml_node_t *node;
} place;

/* Report an unknown key or section, with suggestions: the names that the same map may have, and
 * keys of the same name in other sections. */
static swe_status refuse_unknown(const swe_checker *c, const char *path, const char *map,
                                 const char *name)
{
    swe_hint hint;
    const size_t length = strlen(map);
    swe_hint_start(&hint, name);
    for (const swe_key *key = swe_keys; key->path != NULL; key++) {
        char word[SWE_HINT_WORD];
        const char *known = swe_key_name(key), *full = swe_key_is_of_list(key) ? NULL : key->path;
        if (strncmp(key->path, map, length) == 0 && (length == 0 || key->path[length] == '.')) {
            const char *rest = key->path + length + (length > 0);
            snprintf(word, sizeof word, "%.*s", (int)strcspn(rest, ".["), rest);
            swe_hint_offer(&hint, word, rest == known ? full : NULL);
        }
        if (full != NULL && strcmp(known, name) == 0)
            swe_hint_offer(&hint, known, full);
    }
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

static unsigned count_of(const yaml_node_t *list)
{
    return list != NULL
               ? (unsigned)(list->data.sequence.items.top - list->data.sequence.items.start)
               : 0;
}

static const yaml_node_t *entry_of(const swe_checker *c, const yaml_node_t *list, unsigned k)
{
    return node_at(c, list->data.sequence.items.start[k]);
}

static swe_status check_list(const swe_checker *c, const place *at, bool may_be_empty)
{
    if (at->node->type != YAML_SEQUENCE_NODE)
        return swe_config_refuse(c, at->path, "expected a list such as [a, b]");
    if (count_of(at->node) == 0 && !may_be_empty)
        return swe_config_refuse(c, at->path, "the list must not be empty");
    for (unsigned k = 0; k < count_of(at->node); k++)
        if (text_of(entry_of(c, at->node, k)) == NULL)
            return swe_config_refuse(c, at->path, "expected a single value");
    return SWE_OK;
}

static swe_status check_map(const swe_checker *c, const place *map);

/* Check a section that is a list of maps. */
static swe_status check_maps(const swe_checker *c, const place *list)
{
    char path[288], keys[288];
    if (list->node->type != YAML_SEQUENCE_NODE)
        return swe_config_refuse(c, list->path, "expected a list, each entry after '- '");
    snprintf(keys, sizeof keys, "%s[]", list->keys);
    for (unsigned k = 0; k < count_of(list->node); k++) {
        snprintf(path, sizeof path, "%s[%u]", list->path, k);
        SWE_TRY(check_map(c, &(place){path, keys, entry_of(c, list->node, k)}));
    }
    return SWE_OK;
}

/* Check a key of a map and its value: the key is a known word and the first key of its name. */
static swe_status check_pair(const swe_checker *c, const place *map, const yaml_node_pair_t *pair)
{
    char path[256], keys[256], where[512];
    const char *name = text_of(node_at(c, pair->key)), *dot = map->path[0] != '\0' ? "." : "";
    if (name == NULL) {
        swe_document_locate(c->document, map->path, where, sizeof where);
        return swe_fail(c->ctx, SWE_CONFIG, "%s: a key must be a single word", where);
    }
    snprintf(path, sizeof path, "%s%s%.95s", map->path, dot, name);
    snprintf(keys, sizeof keys, "%s%s%.95s", map->keys, dot, name);
    const kind is = strpbrk(name, ".[") == NULL ? kind_of(keys) : UNKNOWN;
    if (is == UNKNOWN)
        return refuse_unknown(c, path, map->keys, name);
    for (const yaml_node_pair_t *before = map->node->data.mapping.pairs.start; before < pair;
         before++)
        if (strcmp(text_of(node_at(c, before->key)), name) == 0)
            return swe_config_refuse(c, path, "key given twice");
    const place at = {path, keys, node_at(c, pair->value)};
    if (is == MAP || is == MAPS)
        return is == MAP ? check_map(c, &at) : check_maps(c, &at);
    if (is != VALUE)
        return check_list(c, &at, is == LIST);
    return text_of(at.node) != NULL ? SWE_OK
                                    : swe_config_refuse(c, path, "expected a single value");
}

static swe_status check_map(const swe_checker *c, const place *map)
{
    if (map->node->type != YAML_MAPPING_NODE)
        return swe_config_refuse(
            c, map->path, "expected keys below it, as 'key: value' with a space after the colon");
    for (const yaml_node_pair_t *pair = map->node->data.mapping.pairs.start;
         pair < map->node->data.mapping.pairs.top; pair++)
        SWE_TRY(check_pair(c, map, pair));
    return SWE_OK;
}

swe_status swe_config_check_structure(const swe_checker *c)
{
    return check_map(c, &(place){"", "", node_at(c, 1)});
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Read a double, or a long. */
static swe_status read_number(const swe_checker *c, const swe_key *key, const char *path,
                              const char *raw, void *out)
{
    char *end = NULL;
    const bool is_integer = key->type == SWE_KEY_INTEGER, is_time = strcmp(key->unit, "s") == 0;
    const long whole = is_integer ? strtol(raw, &end, 10) : 0;
    double value = is_integer ? (double)whole : strtod(raw, &end);
    const bool is_number =
        end != raw && *end == '\0' && !isspace((unsigned char)*raw) && strpbrk(raw, "xX") == NULL;
    if (is_time ? !swe_text_time(raw, &value) : !is_number)
        return swe_config_refuse(c, path, "'%.100s' is not %s", raw,
                                 is_time      ? "a time: seconds, or as 5d, 12h, 30min, 1-12:00:00"
                                 : is_integer ? "an integer"
                                              : "a number");
    if (!(value >= key->least && value <= key->most))
        return swe_config_refuse(c, path, "%.100s is not in [%.*g, %.*g]", raw, is_integer ? 15 : 6,
                                 key->least, is_integer ? 15 : 6, key->most);
    if (is_integer)
        *(long *)out = whole;
    else
        *(double *)out = value;
    return SWE_OK;
}

int swe_config_index(const char *word, const char *choices)
{
    int length = 0;
    const char *choice = NULL;
    for (int k = 0; (choice = swe_key_word(choices, k, &length)) != NULL; k++)
        if (strncmp(choice, word, (size_t)length) == 0 && word[length] == '\0')
            return k;
    return -1;
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

static swe_status read_choice(const swe_checker *c, const swe_key *key, const char *path,
                              const char *raw, int *out)
{
    const char *word = raw, *note = NULL;
    if (strcmp(path, "grid.closure") == 0)
        word = swe_current_name(SWE_NAMED_CLOSURE, word, &note);
    *out = swe_config_index(word, key->range);
    if (*out < 0)
        *out = switch_index(word, key->range);
    if (*out >= 0)
        return SWE_OK;
    swe_hint hint;
    swe_hint_start(&hint, word);
    swe_hint_offer_choices(&hint, key->range);
    return swe_config_refuse(c, path, "'%.100s' is not one of %s%s", word, key->range,
                             swe_hint_text(&hint));
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

static swe_status read_text(const swe_checker *c, const swe_key *key, const char *path,
                            const char *raw, char **out)
{
    if (swe_key_is_path(key) && (strcasecmp(raw, "none") == 0 || strcasecmp(raw, "null") == 0))
        return swe_config_refuse(c, path,
                                 "leave it empty for none; './%.100s' is a path of that name", raw);
    if (swe_config_is_home(raw))
        return swe_config_refuse(c, path, "'%.100s': ~ is not expanded here: name it in full", raw);
    if (!swe_config_is_printable(raw))
        return swe_config_refuse(c, path,
                                 "has a character that is not printable, such as a line break");
    *out = strdup(raw);
    return *out != NULL ? SWE_OK : swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for %s", path);
}

static swe_status read_reals(const swe_checker *c, const swe_key *key, const char *path,
                             const yaml_node_t *list, swe_reals *out)
{
    out->count = count_of(list);
    out->value = calloc(out->count + 1, sizeof(double));
    if (out->value == NULL)
        return swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for %s", path);
    for (unsigned k = 0; k < out->count; k++)
        SWE_TRY(read_number(c, key, path, text_of(entry_of(c, list, k)), &out->value[k]));
    return SWE_OK;
}

static swe_status read_words(const swe_checker *c, const swe_key *key, const char *path,
                             const yaml_node_t *list, swe_words *out)
{
    int index = 0, length = 0;
    const char *word = NULL;
    out->chosen = 0u;
    for (unsigned k = 0; k < count_of(list); k++) {
        SWE_TRY(read_choice(c, key, path, text_of(entry_of(c, list, k)), &index));
        out->chosen |= 1u << index;
    }
    for (int k = 0; list == NULL && (word = swe_key_word(key->range, k, &length)) != NULL; k++) {
        char name[SWE_HINT_WORD];
        snprintf(name, sizeof name, "%.*s", length, word);
        out->chosen |= swe_is_listed(key->fallback, "|", name) ? 1u << k : 0u;
    }
    return SWE_OK;
}

static swe_status read_value(const swe_checker *c, const swe_value *value)
{
    char path[SWE_VALUE_PATH];
    const swe_key *key = value->key;
    const char *given = swe_document_value(c->document, swe_value_path(value, path));
    const char *raw = given != NULL ? given : key->fallback;
    const yaml_node_t *list = swe_document_list(c->document, path);
    switch (key->type) {
    case SWE_KEY_CHOICE:
        return read_choice(c, key, path, raw, value->at);
    case SWE_KEY_TEXT:
        return read_text(c, key, path, raw, value->at);
    case SWE_KEY_REALS:
        return read_reals(c, key, path, list, value->at);
    case SWE_KEY_WORDS:
        return read_words(c, key, path, list, value->at);
    default:
        return read_number(c, key, path, raw, value->at);
    }
}

swe_status swe_config_read(const swe_checker *c, swe_config *out)
{
    const unsigned count = count_of(swe_document_list(c->document, "tracers"));
    out->tracers.item = calloc(count + 1, sizeof *out->tracers.item);
    if (out->tracers.item == NULL)
        return swe_fail(c->ctx, SWE_NO_MEMORY, "out of memory for tracers");
    out->tracers.count = count;
    for (swe_value value = {.key = NULL}; swe_value_next(out, &value);)
        SWE_TRY(read_value(c, &value));
    return SWE_OK;
}
