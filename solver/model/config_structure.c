#include <stdio.h>
#include <string.h>

#include "base/hint.h"
#include "model/config_checker.h"
#include "model/config_keys.h"

typedef enum kind { UNKNOWN, VALUE, LIST, FILLED_LIST } kind;

/* The kind of a key of the schema. */
static kind kind_of(const char *section, const char *name)
{
#define IS_KEY(in, key, what)                                                                      \
    if (strcmp(section, #in) == 0 && strcmp(name, #key) == 0)                                      \
        return what;
#define IS_VALUE(in, key, ...) IS_KEY(in, key, VALUE)
#define IS_REALS(in, key, ...) IS_KEY(in, key, LIST)
#define IS_WORDS(in, key, ...) IS_KEY(in, key, FILLED_LIST)
#define KEYS_OF(in)            SWE_CONFIG_##in(IS_VALUE, IS_VALUE, IS_VALUE, IS_VALUE, IS_REALS, IS_WORDS)
    SWE_CONFIG_SECTIONS(KEYS_OF)
    return UNKNOWN;
}

static bool is_section(const char *name)
{
#define IS_SECTION(in) || strcmp(name, #in) == 0
    return false SWE_CONFIG_SECTIONS(IS_SECTION);
}

/* Suggest every section, and every key of the schema: of the same section, or of the same name in
 * another one. */
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
    swe_hint_start(&hint, name);
    SWE_CONFIG_SECTIONS(OFFER_SECTION)
    return swe_config_complain(c, path, "unknown key%s", swe_hint_text(&hint));
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
        return swe_config_complain(c, path, "expected a list such as [a, b]");
    const yaml_node_item_t *item = list->data.sequence.items.start;
    if (is == FILLED_LIST && item == list->data.sequence.items.top)
        return swe_config_complain(c, path, "the list must not be empty");
    for (; item < list->data.sequence.items.top; item++)
        if (text_of(node_at(c, *item)) == NULL)
            return swe_config_complain(c, path, "expected a single value");
    return SWE_OK;
}

/* The name of a key that has not come before in its mapping, and its path. */
static swe_status check_name(const swe_checker *c, const char *section, const yaml_node_t *mapping,
                             const yaml_node_pair_t *pair, char *path, size_t size)
{
    char where[512];
    const char *name = text_of(node_at(c, pair->key));
    path[0] = '\0';
    if (name == NULL) {
        swe_document_locate(c->document, section, where, sizeof where);
        return swe_fail(c->ctx, SWE_CONFIG, "%s: a key must be a single word", where);
    }
    snprintf(path, size, "%s%s%.95s", section, section[0] != '\0' ? "." : "", name);
    if (section[0] == '\0' ? !is_section(name) : kind_of(section, name) == UNKNOWN)
        return refuse_unknown(c, path, section, name);
    for (const yaml_node_pair_t *before = mapping->data.mapping.pairs.start; before < pair;
         before++)
        if (strcmp(text_of(node_at(c, before->key)), name) == 0)
            return swe_config_complain(c, path, "key given twice");
    return SWE_OK;
}

static swe_status check_section(const swe_checker *c, const char *section,
                                const yaml_node_t *mapping)
{
    char path[256];
    if (mapping->type != YAML_MAPPING_NODE)
        return swe_config_complain(
            c, section, "expected keys below it, as 'key: value' with a space after the colon");
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
    for (; pair < mapping->data.mapping.pairs.top; pair++) {
        SWE_TRY(check_name(c, section, mapping, pair, path, sizeof path));
        const yaml_node_t *value = node_at(c, pair->value);
        const kind is = kind_of(section, text_of(node_at(c, pair->key)));
        if (is != VALUE)
            SWE_TRY(check_list(c, path, value, is));
        else if (text_of(value) == NULL)
            return swe_config_complain(c, path, "expected a single value");
    }
    return SWE_OK;
}

swe_status swe_config_check_structure(const swe_checker *c)
{
    char path[256];
    const yaml_node_t *root = node_at(c, 1);
    const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
    for (; pair < root->data.mapping.pairs.top; pair++) {
        SWE_TRY(check_name(c, "", root, pair, path, sizeof path));
        SWE_TRY(check_section(c, path, node_at(c, pair->value)));
    }
    return SWE_OK;
}
