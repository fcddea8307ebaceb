/* Untrusted YAML: limits on depth and number of nodes. */
#ifndef SWE_CONFIG_YAML_H
#define SWE_CONFIG_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

/* More levels, and more nodes, than any configuration has. */
enum { SWE_YAML_DEPTH = 16, SWE_YAML_NODES = 1 << 22 };

/* First line (from 1) on which nodes are nested more deeply than SWE_YAML_DEPTH; 0 if none. Check
 * it before loading a document: the time of libyaml grows with the square of the depth. */
size_t swe_yaml_too_deep(yaml_parser_t *parser);

/* First text that contains a NUL byte, which would truncate it in C; NULL if none. */
const yaml_node_t *swe_yaml_cut_text(yaml_document_t *yaml);

/* Whether the nodes, with aliases expanded, exceed neither SWE_YAML_DEPTH nor `most`: a few aliases
 * can expand to more nodes than fit in memory, or to infinite depth. */
bool swe_yaml_is_bounded(yaml_document_t *yaml, int most);

/* Parse a whole text as one YAML value and add it to a document. Returns its node index; 0 on
 * failure. */
int swe_yaml_add(yaml_document_t *yaml, const char *text);

#endif
