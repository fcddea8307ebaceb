/* Results as JSON values and text. */
#ifndef SWE_CLI_REPORT_H
#define SWE_CLI_REPORT_H

#include <jansson.h>

#include "cli/cli.h"
#include "report/reader.h"

/* Write JSON to DIR/NAME, which is replaced as a whole, and release it. Errors: SWE_NO_MEMORY,
 * SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_json_write(swe_context *ctx, const char *directory, const char *name, json_t *value);

/* Write the page of a document to DIR/NAME, which is replaced as a whole. Errors: as above. */
swe_status cli_page_write(swe_context *ctx, const char *directory, const char *name,
                          const json_t *document);

/* A text for a page of Markdown, where it is no markup and stays in its cell; what does not fit is
 * left out. The same in a buffer of the enclosing block. */
const char *cli_markdown(char *out, size_t size, const char *text);
#define CLI_MARKDOWN(text) cli_markdown((char[2200]){""}, 2200, text)

/* A number, null if it is not finite (JSON has no NaN). */
json_t *cli_json_real(double value);

/* Put the errors of a run into an object, and the members of such an object as a reader takes them
 * into swe_results. */
void cli_json_set_errors(json_t *object, const swe_results *results);
enum { CLI_ERRORS = 12 };
extern const field cli_error_fields[CLI_ERRORS];

/* Quartiles of the time of a step, in microseconds; and the member `step_us` of a row read back. */
json_t *cli_json_step_time(const swe_results *results);
void cli_read_step_time(reader *reader, const node *row, swe_results *results);

/* The machine that a time is measured on. NULL: no memory. */
json_t *cli_json_machine(void);

#endif
