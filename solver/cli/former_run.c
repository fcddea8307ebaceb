#include "cli/former_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint/config_differences.h"
#include "input_file.h"

static swe_status compare_cases(swe_context *ctx, const swe_config *there, const swe_config *here,
                                cli_former_run *out)
{
    char *of_there = NULL, *of_here = NULL;
    double dt_there = 0.0, dt_here = 0.0;
    long steps = 0;
    const size_t size = sizeof out->differences;
    swe_status status = swe_config_text(ctx, there, &of_there);
    if (status == SWE_OK)
        status = swe_config_text(ctx, here, &of_here);
    if (status == SWE_OK) {
        swe_config_schedule(here, &dt_here, &steps);
        swe_config_schedule(there, &dt_there, &out->steps);
        const int count = swe_config_differences(of_there, of_here, out->differences, size);
        const size_t used = strlen(out->differences);
        if (dt_there != dt_here)
            snprintf(out->differences + used, size - used,
                     "%sthe time step is %.17g s there and %.17g s here", count > 0 ? "; " : "",
                     dt_there, dt_here);
        out->is_same_case = count == 0 && dt_there == dt_here;
    }
    free(of_there);
    free(of_here);
    return status;
}

/* Whether a summary is whole: one that a run was killed over is none. */
static bool has_summary(const char *directory, long steps)
{
    char path[4200], why[PROF_WHY_SIZE];
    prof_load load;
    snprintf(path, sizeof path, "%s/summary.json", directory);
    json_t *summary = prof_input_json(path, prof_file_most, &load, why);
    const json_t *value = json_object_get(summary, "steps");
    const bool has_ended = json_is_integer(value) && json_integer_value(value) == steps;
    json_decref(summary);
    return has_ended;
}

swe_status cli_former_run_find(swe_context *ctx, const char *directory, const swe_config *config,
                               cli_former_run *out)
{
    char path[4200];
    swe_context quiet = {""};
    swe_config *there = NULL;
    *out = (cli_former_run){.is_known = false};
    snprintf(path, sizeof path, "%s/configuration.yaml", directory);
    if (access(path, F_OK) != 0 || swe_config_plan(&quiet, path, NULL, 0, &there) != SWE_OK)
        return SWE_OK;
    out->is_known = true;
    const swe_status status = compare_cases(ctx, there, config, out);
    swe_config_destroy(&there);
    out->has_ended = has_summary(directory, out->steps);
    return status;
}
