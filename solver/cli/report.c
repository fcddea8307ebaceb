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

void cli_json_set_errors(json_t *object, const swe_results *r)
{
    const swe_velocity_errors *u = &r->velocity_errors;
    const struct {
        const char *name;
        double value;
    } reals[] = {{"l1", r->errors.l1},
                 {"l2", r->errors.l2},
                 {"linf", r->errors.linf},
                 {"l2_abs", r->errors.l2_abs},
                 {"linf_abs", r->errors.linf_abs},
                 {"rms", r->errors.rms},
                 {"max_rms", r->max_rms},
                 {"max_linf_abs", r->max_linf_abs},
                 {"velocity_l1", u->l1},
                 {"velocity_l2", u->l2},
                 {"velocity_linf", u->linf},
                 {"velocity_linf_abs", u->linf_abs}};
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++)
        json_object_set_new(object, reals[k].name, cli_json_real(reals[k].value));
}

json_t *cli_json_step_time(const swe_results *results)
{
    const prof_quartiles q = results->step_seconds;
    return json_pack("{s:f, s:f, s:f, s:i}", "median", 1e6 * q.median, "low_quartile", 1e6 * q.low,
                     "high_quartile", 1e6 * q.high, "samples", q.count);
}
