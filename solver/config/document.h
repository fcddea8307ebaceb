/* A configuration before it is checked: a YAML document with overrides applied, and the origin of
 * each key for messages that name file, line and key. */
#ifndef SWE_CONFIG_DOCUMENT_H
#define SWE_CONFIG_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/context.h"

typedef struct swe_document swe_document;

/* Read a file, or a text (NULL: the file) that `path` names in messages. Release it with
 * swe_document_destroy. Errors: SWE_NO_INPUT (missing, not a regular file), SWE_CONFIG (not YAML,
 * too large, not a mapping). */
swe_status swe_document_load(swe_context *ctx, const char *path, const char *text,
                             swe_document **out);
void swe_document_destroy(swe_document **document);

/* Apply "section.key=value", or "list=[...]" to a section that is a list; `is_yaml`: the value is
 * YAML, otherwise plain text. Messages about the key name `origin` ("--set"). A key that excludes
 * others (time.dt, time.dt_times_n, time.courant; every, interval) clears them. Errors: SWE_CONFIG,
 * SWE_NO_MEMORY. */
swe_status swe_document_set(swe_context *ctx, swe_document *document, const char *origin,
                            const char *assignment, bool is_yaml);

/* Text of a key, such as "grid.n" or "tracers[0].initial.lon"; NULL if it is missing or not a
 * single value. Valid until the document changes. */
const char *swe_document_value(swe_document *document, const char *path);

/* Node of a key or section whose value is a list; NULL if it is missing or not a list. */
const yaml_node_t *swe_document_list(swe_document *document, const char *path);

/* The whole document, a mapping of bounded depth and size; owned by `document`. */
yaml_document_t *swe_document_yaml(swe_document *document);

/* Write the origin of "section.key": "case.yaml:12", or the origin of an override; the file alone
 * if the key is missing. */
void swe_document_locate(swe_document *document, const char *path, char *text, size_t size);

#endif
