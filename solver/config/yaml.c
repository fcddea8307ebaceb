#include "config/yaml.h"

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

bool swe_yaml_is_bounded(yaml_document_t *yaml, int most)
{
    return is_bounded(yaml, 1, 0, &most);
}

/* Copy a node of a bounded document and its descendants to another document; 0 on failure. */
static int clone(yaml_document_t *to, yaml_document_t *from, int index)
{
    const yaml_node_t *node = yaml_document_get_node(from, index);
    if (node->type == YAML_SCALAR_NODE)
        return yaml_document_add_scalar(to, NULL, node->data.scalar.value,
                                        (int)node->data.scalar.length, node->data.scalar.style);
    const bool is_list = node->type == YAML_SEQUENCE_NODE;
    const int copy = is_list ? yaml_document_add_sequence(to, NULL, YAML_FLOW_SEQUENCE_STYLE)
                             : yaml_document_add_mapping(to, NULL, YAML_BLOCK_MAPPING_STYLE);
    bool is_done = copy != 0;
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         is_list && is_done && item < node->data.sequence.items.top; item++) {
        const int entry = clone(to, from, *item);
        is_done = entry != 0 && yaml_document_append_sequence_item(to, copy, entry);
    }
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         !is_list && is_done && pair < node->data.mapping.pairs.top; pair++) {
        const int key = clone(to, from, pair->key), value = clone(to, from, pair->value);
        is_done = key != 0 && value != 0 && yaml_document_append_mapping_pair(to, copy, key, value);
    }
    return is_done ? copy : 0;
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
    const int most = 100000; /* an argument of a command has at most 128 KiB */
    yaml_parser_t parser;
    yaml_document_t value;
    if (is_deep_text(text) || !yaml_parser_initialize(&parser))
        return 0;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
    int added = 0;
    if (yaml_parser_load(&parser, &value)) {
        if (swe_yaml_cut_text(&value) == NULL && is_at_end(&parser) &&
            swe_yaml_is_bounded(&value, most))
            added = clone(yaml, &value, 1);
        yaml_document_delete(&value);
    }
    yaml_parser_delete(&parser);
    return added;
}
