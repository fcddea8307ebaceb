/* `cubeswe report`: describe a profile. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/results.h"
#include "base/text.h"
#include "report/report.h"

swe_status cli_load_fails(swe_context *ctx, swe_load load, const swe_log *log)
{
    static const swe_status statuses[] = {[SWE_LOAD_MISSING] = SWE_NO_INPUT,
                                          [SWE_LOAD_BAD] = SWE_DATA,
                                          [SWE_LOAD_NO_MEMORY] = SWE_NO_MEMORY};
    return swe_fail(ctx, statuses[load], "%.900s", log->line[log->count - 1]);
}

void cli_print_warnings(const swe_log *log)
{
    for (int k = 0; k < log->count; k++) {
        const bool is_note = strncmp(log->line[k], "note: ", strlen("note: ")) == 0;
        fprintf(stderr, "cubeswe: %s%s\n", is_note ? "" : "warning: ", log->line[k]);
    }
}

static swe_status write_report(swe_context *ctx, const prof_report *report,
                               const cli_options *options, swe_log *log)
{
    const char *path =
        options->output != NULL ? options->output : CLI_PATH(options->case_file, "report.html");
    cli_print_warnings(log);
    if (!options->quiet)
        prof_report_print(report, stdout, isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == NULL);
    if (!prof_report_write(report, path, log))
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%.900s", log->line[log->count - 1]);
    if (!options->quiet)
        printf("\npage        %s\n", SWE_SHOWN(path));
    return SWE_OK;
}

void cli_report_write(const char *profiles, const char *results, bool quiet)
{
    swe_log log = {0};
    prof_report *report = NULL;
    const char *path = CLI_PATH(results, "report.html");
    /* without a window there is no report; the profiler has logged the reason */
    if (prof_report_load(profiles, &log, &report) == SWE_LOAD_MISSING)
        return;
    if (report != NULL && prof_report_write(report, path, &log) && !quiet)
        printf("report       %s\n", SWE_SHOWN(path));
    cli_print_warnings(&log);
    prof_report_destroy(&report);
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    swe_log log = {0};
    prof_report *report = NULL;
    char folder[SWE_PATH_SIZE];
    const swe_load loaded =
        prof_report_load(cli_folder_of_run(options->case_file, true, folder), &log, &report);
    if (loaded != SWE_LOADED)
        return cli_load_fails(ctx, loaded, &log);
    const swe_status status = write_report(ctx, report, options, &log);
    prof_report_destroy(&report);
    return status;
}

const cli_command cli_report = {
    .name = "report",
    .operands = "DIR",
    .summary = "describe a profile on the terminal and as a page",
    .text =
        "Describe a profile: stages, kernels, threads, memory, graded indicators, the diagnosis "
        "and a checklist, on the terminal and as DIR/report.html, a self-contained page. DIR is "
        "the folder of a profiled run, a folder of profiles or the folder of one window.",
    .least_operands = 1,
    .most_operands = 1,
    .needs = "a directory",
    .run = run,
    .options = {{.name = "output", .text = "the page (default: DIR/report.html)", .value = "FILE"},
                {.name = "quiet", .text = "only write the page"}},
};
