#include "cli/result_json.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/folders.h"
#include "base/text.h"
#include "page/page.h"

swe_status cli_json_write(swe_context *ctx, const char *directory, const char *name, json_t *value)
{
    char *json = value != NULL ? json_dumps(value, JSON_INDENT(1)) : NULL;
    const size_t size = json != NULL ? strlen(json) + 2 : 0;
    char *text = json != NULL ? malloc(size) : NULL;
    swe_status status = SWE_OK;
    json_decref(value);
    if (text != NULL) {
        snprintf(text, size, "%s\n", json);
        status = cli_result_write(ctx, directory, name, text);
    } else {
        status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", name);
    }
    free(json);
    free(text);
    return status;
}

swe_status cli_json_print(swe_context *ctx, json_t *value, size_t flags, const char *what)
{
    char *text = value != NULL ? json_dumps(value, flags) : NULL;
    json_decref(value);
    if (text == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", what);
    puts(text);
    free(text);
    return SWE_OK;
}

swe_status cli_page_write(swe_context *ctx, const char *directory, const char *name,
                          const json_t *document)
{
    swe_output_file out;
    SWE_TRY(cli_result_open(ctx, directory, name, &out));
    const swe_status status = prof_page_print(document, out.stream)
                                  ? SWE_OK
                                  : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", name);
    return swe_durable_end_if(ctx, status, &out);
}

const char *cli_markdown(char *out, size_t size, const char *text)
{
    char shown[1100];
    size_t used = 0;
    swe_copy_printable(shown, sizeof shown, text);
    for (const char *c = shown; *c != '\0' && used + 2 < size; c++) {
        if (strchr("\\`*[]<>|&", *c) != NULL)
            out[used++] = '\\';
        out[used++] = *c;
    }
    out[used] = '\0';
    return out;
}

json_t *cli_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

#define ERROR(name, member)                                                                        \
    {                                                                                              \
        name, FIELD_KNOWN, offsetof(swe_results, member)                                           \
    }
const field cli_error_fields[CLI_ERRORS] = {ERROR("l1", errors.l1),
                                            ERROR("l2", errors.l2),
                                            ERROR("linf", errors.linf),
                                            ERROR("l2_abs", errors.l2_abs),
                                            ERROR("linf_abs", errors.linf_abs),
                                            ERROR("rms", errors.rms),
                                            ERROR("max_rms", max_rms),
                                            ERROR("max_linf_abs", max_linf_abs),
                                            ERROR("velocity_l1", velocity_errors.l1),
                                            ERROR("velocity_l2", velocity_errors.l2),
                                            ERROR("velocity_linf", velocity_errors.linf),
                                            ERROR("velocity_linf_abs", velocity_errors.linf_abs)};
#undef ERROR

void cli_json_set_errors(json_t *object, const swe_results *r)
{
    for (size_t k = 0; k < CLI_ERRORS; k++) {
        const double *value = (const void *)((const char *)r + cli_error_fields[k].offset);
        json_object_set_new(object, cli_error_fields[k].key, cli_json_real(*value));
    }
}

json_t *cli_json_step_time(const swe_results *results)
{
    const swe_quartiles q = results->step_seconds;
    return json_pack("{s:f, s:f, s:f, s:i}", "median", 1e6 * q.median, "low_quartile", 1e6 * q.low,
                     "high_quartile", 1e6 * q.high, "samples", q.count);
}

void cli_read_step_time(reader *r, const node *row, swe_results *out)
{
    static const field fields[] = {{"median", FIELD_NUMBER, offsetof(swe_quartiles, median)},
                                   {"low_quartile", FIELD_NUMBER, offsetof(swe_quartiles, low)},
                                   {"high_quartile", FIELD_NUMBER, offsetof(swe_quartiles, high)}};
    static const field count_field[] = {{"samples", FIELD_COUNT, 0}};
    swe_quartiles q = {0.0, 0.0, 0.0, 0};
    int64_t count = 0;
    const node times = read_object(r, row, "step_us", false);
    read_fields(r, &times, FIELDS(fields), &q);
    read_fields(r, &times, FIELDS(count_field), &count);
    out->step_seconds = (swe_quartiles){1e-6 * q.low, 1e-6 * q.median, 1e-6 * q.high, (int)count};
}

/* Whether standard output is a pipe or socket that its reader has closed, as `head` does. */
static bool is_reader_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

swe_status cli_output_flush(swe_context *ctx, bool *is_read)
{
    const bool has_failed = fflush(stdout) != 0 || ferror(stdout) != 0;
    *is_read = !has_failed;
    return !has_failed || is_reader_gone()
               ? SWE_OK
               : swe_fail(ctx, SWE_IO, "standard output cannot be written");
}
