#include "cli/resume.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "cli/results.h"

static void compare_cases(const swe_config *earlier, const swe_config *new, cli_earlier_run *out)
{
    const size_t size = sizeof out->differences;
    const double dt_new = swe_config_schedule(new, NULL),
                 dt_earlier = swe_config_schedule(earlier, &out->steps);
    const int count = swe_config_differences(earlier, new, out->differences, size);
    const size_t used = strlen(out->differences);
    if (dt_earlier != dt_new)
        snprintf(out->differences + used, size - used,
                 "%sthe time step is %.17g s there and %.17g s here", count > 0 ? "; " : "",
                 dt_earlier, dt_new);
    out->is_same_case = count == 0 && dt_earlier == dt_new;
}

/* Whether the summary is complete: a killed run leaves none, or part of one. */
static bool has_summary(const char *directory, const swe_config *config, double *dt)
{
    char why[SWE_WHY_SIZE];
    swe_load load;
    json_t *summary =
        swe_input_json(CLI_PATH(directory, "summary.json"), swe_input_most, &load, why);
    const json_t *value = json_object_get(summary, "steps");
    *dt = json_number_value(json_object_get(summary, "dt"));
    const bool has_ended = json_is_integer(value) && *dt > 0.0 &&
                           json_integer_value(value) == swe_config_steps_with(config, *dt);
    json_decref(summary);
    return has_ended;
}

void cli_earlier_run_find(const char *directory, const swe_config *config, cli_earlier_run *out)
{
    const char *path = CLI_PATH(directory, "configuration.yaml");
    swe_context quiet = {""};
    swe_config *earlier = NULL;
    *out = (cli_earlier_run){.is_known = false};
    if (access(path, F_OK) != 0 || swe_config_load_of_run(&quiet, path, NULL, &earlier) != SWE_OK)
        return;
    out->is_known = true;
    compare_cases(earlier, config, out);
    out->has_ended = has_summary(directory, earlier, &out->dt);
    swe_config_destroy(&earlier);
}

const char *cli_folder_of_run(const char *path, bool of_profiles, char out[SWE_PATH_SIZE])
{
    const char *file = CLI_PATH(path, "configuration.yaml");
    swe_context quiet = {""};
    swe_config *config = NULL;
    out[0] = '\0';
    if (access(file, F_OK) == 0 && swe_config_load_of_run(&quiet, file, NULL, &config) == SWE_OK)
        snprintf(out, SWE_PATH_SIZE, "%s",
                 of_profiles ? config->profile.dir : config->checkpoint.dir);
    swe_config_destroy(&config);
    return access(out, F_OK) == 0 ? out : path;
}

bool cli_rows_reach(const char *path, const swe_checkpoint_head *head)
{
    swe_context quiet = {""};
    struct stat info;
    char digest[SWE_DIGEST_SIZE], row[32] = "", *end = NULL;
    const long size = head->diagnostics_size, last = head->step - (head->is_before_output ? 1 : 0);
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool reach = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                 info.st_size >= size && pread(file, row, sizeof row - 1, size) >= 0;
    if (reach && head->diagnostics_sha256[0] != '\0') {
        reach = swe_digest_start(&quiet, path, size, digest) == SWE_OK &&
                strcmp(digest, head->diagnostics_sha256) == 0;
    } else if (reach) { /* a killed run leaves an incomplete row */
        const long step = strtol(row, &end, 10);
        reach = end == row || *end != ',' || step > last;
    }
    if (file >= 0)
        close(file);
    return reach;
}
