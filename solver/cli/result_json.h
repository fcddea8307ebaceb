/* Output of results: JSON, pages, Markdown and standard output. */
#ifndef SWE_CLI_RESULT_JSON_H
#define SWE_CLI_RESULT_JSON_H

#include <jansson.h>

#include "cli/folders.h"
#include "base/json_reader.h"

/* Write JSON as DIR/NAME, replacing the whole file, and release it. Errors: SWE_NO_MEMORY,
 * SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_json_write(swe_context *ctx, const char *directory, const char *name, json_t *value);

/* Print JSON to standard output with jansson's `flags`, and release it; `what` names it in the
 * error message. Errors: SWE_NO_MEMORY (also if value is NULL). */
swe_status cli_json_print(swe_context *ctx, json_t *value, size_t flags, const char *what);

/* Write the page of a document as DIR/NAME, replacing the whole file. Errors: as of write. */
swe_status cli_page_write(swe_context *ctx, const char *directory, const char *name,
                          const json_t *document);

/* Escape a text for a cell of Markdown; cut off at `size`. The macro uses a buffer of the enclosing
 * block. */
const char *cli_markdown(char *out, size_t size, const char *text);
#define CLI_MARKDOWN(text) cli_markdown((char[2200]){""}, 2200, text)

/* A number; null if it is not finite, since JSON has no NaN. */
json_t *cli_json_real(double value);

/* The errors of a run as members of an object, and the fields that read them back into swe_results.
 */
void cli_json_set_errors(json_t *object, const swe_results *results);
enum { CLI_ERRORS = 12 };
extern const field cli_error_fields[CLI_ERRORS];

/* Quartiles of the time of a step [us], and the member `step_us` of a row read back. */
json_t *cli_json_step_time(const swe_results *results);
void cli_read_step_time(reader *reader, const node *row, swe_results *results);

#endif
