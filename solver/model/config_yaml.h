/* YAML that may be anything: checks of it before it is built, and copies of bounded size. */
#ifndef SWE_MODEL_CONFIG_YAML_H
#define SWE_MODEL_CONFIG_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

enum { SWE_YAML_DEPTH = 16, SWE_YAML_NODES = 100000 }; /* more than any configuration has */

/* The line, from 1, on which nodes are nested more deeply than SWE_YAML_DEPTH; 0: on none. To be
 * checked before a document is loaded: the time of libyaml grows with the square of the depth. */
size_t swe_yaml_too_deep(yaml_parser_t *parser);

/* The first text with a byte of 0, which would end it in C; NULL: there is none. */
const yaml_node_t *swe_yaml_cut_text(yaml_document_t *yaml);

/* Whether the nodes, with those that aliases stand for, are neither too deep nor too many. */
bool swe_yaml_is_bounded(yaml_document_t *yaml);

/* Parse a text as one value of YAML, to its end, and add it: its index. 0: it is none. */
int swe_yaml_add(yaml_document_t *yaml, const char *text);

#endif
