/* Results of a command: files that are published as a whole, JSON, pages, Markdown, and standard
 * output. */
#ifndef SWE_CLI_RESULTS_H
#define SWE_CLI_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/file.h"
#include "base/json.h"

enum { CLI_PATH_SIZE = 4600 };

/* Whether a text is longer than an ending that it has. */
bool cli_ends_with(const char *text, const char *ending);

/* The path DIR/NAME. The macro uses a buffer of the enclosing block. */
const char *cli_path(char out[CLI_PATH_SIZE], const char *directory, const char *name);
#define CLI_PATH(directory, name) cli_path((char[CLI_PATH_SIZE]){""}, directory, name)

/* Open DIR/NAME for writing to out->stream; swe_durable_end publishes it.
 * Errors: SWE_CANNOT_CREATE. */
swe_status cli_result_open(swe_context *ctx, const char *directory, const char *name,
                           swe_output_file *out);
/* Write a text as DIR/NAME; a file with the same text is left as it is. Errors: SWE_CANNOT_CREATE,
 * SWE_IO. */
swe_status cli_result_write(swe_context *ctx, const char *directory, const char *name,
                            const char *text);
/* Whether DIR/NAME has this text. If so, it counts as published by this process. */
bool cli_result_has(const char *directory, const char *name, const char *text);

/* Check at the end of a command that its published results are unchanged. Returns `status`, or
 * SWE_IO if that is SWE_OK or SWE_STOPPED and a result is missing or was changed. */
swe_status cli_check_results(swe_context *ctx, swe_status status);

/* Write JSON as DIR/NAME, replacing the whole file, and release it. Errors: SWE_NO_MEMORY,
 * SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_json_write(swe_context *ctx, const char *directory, const char *name, json_t *value);

/* Print JSON to standard output with jansson's `flags`, and release it; `what` names it in the
 * error message. Errors: SWE_NO_MEMORY (also if value is NULL). */
swe_status cli_json_print(swe_context *ctx, json_t *value, size_t flags, const char *what);

/* Escape a text for a cell of Markdown; cut off at `size`. The macro uses a buffer of the enclosing
 * block. */
const char *cli_markdown(char *out, size_t size, const char *text);
#define CLI_MARKDOWN(text) cli_markdown((char[2200]){""}, 2200, text)

#endif
