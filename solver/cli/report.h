/* Results as JSON values and text. */
#ifndef SWE_CLI_REPORT_H
#define SWE_CLI_REPORT_H

#include <jansson.h>

#include "cli/cli.h"

/* Write JSON to DIR/NAME and release it. Errors: SWE_NO_MEMORY, SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_json_write(swe_context *ctx, const char *directory, const char *name, json_t *value);

/* A number, null if it is not finite (JSON has no NaN). */
json_t *cli_json_real(double value);

/* Put the errors of a run into an object. */
void cli_json_set_errors(json_t *object, const swe_results *results);

/* Quartiles of the time of a step, in microseconds. */
json_t *cli_json_step_time(const swe_results *results);

#endif
