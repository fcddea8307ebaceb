/* A configuration as it is given: a YAML file with the overrides applied, and where each key of
 * it stands, for messages that name file, line and key. */
#ifndef SWE_MODEL_CONFIG_DOCUMENT_H
#define SWE_MODEL_CONFIG_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/context.h"

typedef struct swe_document swe_document;

/* Read a file (NULL: a document without keys). Errors: SWE_NO_INPUT (missing, not a regular file),
 * SWE_CONFIG (not YAML, too large, not a mapping). */
swe_status swe_document_load(swe_context *ctx, const char *path, swe_document **out);
void swe_document_destroy(swe_document **document);

/* Apply "section.key=value", the value being YAML or a text as it is; `origin` ("--set") lives on
 * and stands in messages. A new time step rule (time.dt, time.dt_times_n, time.courant) replaces
 * the one in the file. Errors: SWE_CONFIG.
 */
swe_status swe_document_set(swe_context *ctx, swe_document *document, const char *origin,
                            const char *assignment, bool is_yaml);

/* The text of a key; NULL if it is not there or is a list. */
const char *swe_document_value(swe_document *document, const char *section, const char *name);

/* The node of a key that is a list; NULL if it is not there or is none. */
const yaml_node_t *swe_document_list(swe_document *document, const char *section, const char *name);

/* All of it: a mapping, of bounded depth and size. The document owns it. */
yaml_document_t *swe_document_yaml(swe_document *document);

/* Where "section.key" stands: "case.yaml:12" or its origin; the file alone if it does not. */
void swe_document_locate(swe_document *document, const char *path, char *text, size_t size);

#endif
