#include "model/config_yaml.h"

#include <string.h>

size_t swe_yaml_too_deep(yaml_parser_t *parser)
{
    int depth = 0;
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return 0; /* loading reports the error */
        const yaml_event_type_t type = event.type;
        const size_t line = event.start_mark.line + 1;
        yaml_event_delete(&event);
        depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
        depth -= type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
        if (depth > SWE_YAML_DEPTH)
            return line;
        if (type == YAML_STREAM_END_EVENT)
            return 0;
    }
}

const yaml_node_t *swe_yaml_cut_text(yaml_document_t *yaml)
{
    const yaml_node_t *node = NULL;
    for (int k = 1; (node = yaml_document_get_node(yaml, k)) != NULL; k++)
        if (node->type == YAML_SCALAR_NODE &&
            strlen((const char *)node->data.scalar.value) != node->data.scalar.length)
            return node;
    return NULL;
}

static int clone(yaml_document_t *to, yaml_document_t *from, int index, int depth, int *budget);

static int clone_sequence(yaml_document_t *to, yaml_document_t *from, const yaml_node_t *node,
                          int depth, int *budget)
{
    const int list = yaml_document_add_sequence(to, NULL, YAML_FLOW_SEQUENCE_STYLE);
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         list != 0 && item < node->data.sequence.items.top; item++) {
        const int entry = clone(to, from, *item, depth + 1, budget);
        if (entry == 0 || !yaml_document_append_sequence_item(to, list, entry))
            return 0;
    }
    return list;
}

static int clone_mapping(yaml_document_t *to, yaml_document_t *from, const yaml_node_t *node,
                         int depth, int *budget)
{
    const int mapping = yaml_document_add_mapping(to, NULL, YAML_BLOCK_MAPPING_STYLE);
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         mapping != 0 && pair < node->data.mapping.pairs.top; pair++) {
        const int key = clone(to, from, pair->key, depth + 1, budget);
        const int value = clone(to, from, pair->value, depth + 1, budget);
        if (key == 0 || value == 0 || !yaml_document_append_mapping_pair(to, mapping, key, value))
            return 0;
    }
    return mapping;
}

/* Copy a node and its descendants to another document; 0 on failure. A few aliases can expand to
 * more nodes than fit in memory, or to infinite depth; `budget` and `depth` bound the copy. */
static int clone(yaml_document_t *to, yaml_document_t *from, int index, int depth, int *budget)
{
    const yaml_node_t *node = yaml_document_get_node(from, index);
    if (node == NULL || depth > SWE_YAML_DEPTH || --*budget < 0)
        return 0;
    switch (node->type) {
    case YAML_SCALAR_NODE:
        return yaml_document_add_scalar(to, NULL, node->data.scalar.value,
                                        (int)node->data.scalar.length, node->data.scalar.style);
    case YAML_SEQUENCE_NODE:
        return clone_sequence(to, from, node, depth, budget);
    default:
        return clone_mapping(to, from, node, depth, budget);
    }
}

/* Copy the root of a document and its descendants to another document. Returns its index; 0 on
 * failure.
 */
static int clone_root(yaml_document_t *to, yaml_document_t *from)
{
    int budget = 100000; /* an argument of a command has at most 128 KiB */
    return clone(to, from, 1, 0, &budget);
}

static bool is_bounded(yaml_document_t *yaml, int index, int depth, int *budget)
{
    const yaml_node_t *node = yaml_document_get_node(yaml, index);
    bool is = node != NULL && depth <= SWE_YAML_DEPTH && --*budget >= 0;
    if (is && node->type == YAML_SEQUENCE_NODE)
        for (const yaml_node_item_t *item = node->data.sequence.items.start;
             is && item < node->data.sequence.items.top; item++)
            is = is_bounded(yaml, *item, depth + 1, budget);
    if (is && node->type == YAML_MAPPING_NODE)
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             is && pair < node->data.mapping.pairs.top; pair++)
            is = is_bounded(yaml, pair->key, depth + 1, budget) &&
                 is_bounded(yaml, pair->value, depth + 1, budget);
    return is;
}

bool swe_yaml_is_bounded(yaml_document_t *yaml)
{
    int budget = SWE_YAML_NODES;
    return is_bounded(yaml, 1, 0, &budget);
}

/* Whether the stream ends after the last loaded document. */
static bool is_at_end(yaml_parser_t *parser)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next))
        return false;
    const bool is_end = yaml_document_get_root_node(&next) == NULL;
    yaml_document_delete(&next);
    return is_end;
}

static bool is_deep_text(const char *text)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return true;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    const bool is_deep = swe_yaml_too_deep(&parser) > 0;
    yaml_parser_delete(&parser);
    return is_deep;
}

int swe_yaml_add(yaml_document_t *yaml, const char *text)
{
    yaml_parser_t parser;
    yaml_document_t value;
    if (is_deep_text(text) || !yaml_parser_initialize(&parser))
        return 0;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    int added = 0;
    if (yaml_parser_load(&parser, &value)) {
        if (swe_yaml_cut_text(&value) == NULL && is_at_end(&parser))
            added = clone_root(yaml, &value);
        yaml_document_delete(&value);
    }
    yaml_parser_delete(&parser);
    return added;
}
