#include "cli/report.h"

#include <math.h>
#include <stdlib.h>

swe_status cli_json_write(swe_context *ctx, const char *directory, const char *name, json_t *value)
{
    char *text = value != NULL ? json_dumps(value, JSON_INDENT(1)) : NULL;
    json_decref(value);
    if (text == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", name);
    FILE *file = NULL;
    swe_status status = cli_file_open(ctx, directory, name, &file);
    if (status == SWE_OK) {
        fputs(text, file);
        fputc('\n', file);
        status = cli_file_close(ctx, directory, name, &file);
    }
    free(text);
    return status;
}

json_t *cli_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_step_time(const swe_results *results)
{
    const prof_quartiles q = results->step_seconds;
    return json_pack("{s:f, s:f, s:f, s:i}", "median", 1e6 * q.median, "low_quartile", 1e6 * q.low,
                     "high_quartile", 1e6 * q.high, "samples", q.count);
}
