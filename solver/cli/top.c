#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/results.h"
#include "cli/top.h"

enum { VERSION = 1 };

static json_t *window_json(const top_window *window)
{
    if (window->path[0] == '\0')
        return json_null();
    json_t *stages = json_array();
    for (int k = 0; k < window->stage_count; k++)
        json_array_append_new(stages, json_pack("{s:s, s:o}", "stage", window->stage[k].name,
                                                "share", swe_json_real(window->stage[k].share)));
    json_t *ranks = json_null(); /* of one rank */
    if (window->ranks > 1)
        ranks = json_pack("{s:I, s:o, s:o}", "count", (json_int_t)window->ranks, "imbalance",
                          swe_json_real(window->imbalance), "exposed_share",
                          swe_json_real(window->exposed_share));
    return json_pack("{s:s, s:b, s:I, s:o, s:o, s:o}", "path", window->path, "is_gpu",
                     window->is_gpu, "steps", (json_int_t)window->steps, "step_seconds",
                     swe_json_real(window->step_seconds), "stages", stages, "ranks", ranks);
}

static json_t *gpu_json(const top_gpu *gpu)
{
    if (!gpu->has_line)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "sm_percent", swe_json_real(gpu->sm_percent),
                     "memory_percent", swe_json_real(gpu->memory_percent), "clock_mhz",
                     swe_json_real(gpu->clock_mhz), "power_watts", swe_json_real(gpu->watts),
                     "temperature_celsius", swe_json_real(gpu->celsius), "memory_used_bytes",
                     swe_json_real(gpu->used_bytes));
}

json_t *top_json(const top_job *job)
{
    static const char *const words[] = {"setup",    "running", "stalled", "gone",
                                        "finished", "failed",  "stopped"};
    json_t *process = job->process.is_known
                          ? json_pack("{s:o, s:o}", "cores", swe_json_real(job->cores),
                                      "resident_bytes", swe_json_real(job->process.resident_bytes))
                          : json_null();
    return json_pack("{s:s, s:i, s:s, s:o, s:O, s:o, s:o, s:o}", "schema", "cubeswe-top",
                     "schema_version", VERSION, "condition", words[job->condition], "age_seconds",
                     swe_json_real(job->age), "progress", job->progress, "process", process,
                     "window", window_json(&job->profile.window), "gpu",
                     gpu_json(&job->profile.gpu));
}

/* One call of `cubeswe top`. */
typedef struct display {
    const char *directory;
    const cli_options *options;
    bool is_unicode;
    top_job job;
} display;

static top_style style_of(const display *v)
{
    return (top_style){top_terminal_columns(), v->is_unicode};
}

static void sleep_for(double seconds)
{
    const struct timespec time = {(time_t)seconds,
                                  (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

/* Print an update to an output that is no terminal. */
static swe_status print_update(swe_context *ctx, const display *v, bool *is_read)
{
    if (v->options->json)
        SWE_TRY(cli_json_print(ctx, top_json(&v->job), JSON_COMPACT | JSON_ENSURE_ASCII,
                               "the state of the run"));
    else if (v->options->once)
        top_page_write(stdout, v->directory, &v->job, style_of(v));
    else
        top_line_write(stdout, &v->job);
    return cli_output_flush(ctx, is_read);
}

static swe_status follow_plain(swe_context *ctx, display *v)
{
    for (bool is_read = true;;) {
        SWE_TRY(top_job_read(ctx, v->directory, &v->job));
        SWE_TRY(print_update(ctx, v, &is_read));
        if (v->options->once || top_job_has_ended(&v->job) || !is_read)
            return SWE_OK;
        sleep_for(v->options->interval);
    }
}

static swe_status draw(swe_context *ctx, const display *v)
{
    char *page = NULL;
    size_t length = 0;
    FILE *text = open_memstream(&page, &length);
    if (text != NULL)
        top_page_write(text, v->directory, &v->job, style_of(v));
    if (text == NULL || fclose(text) != 0 || page == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a page");
    const bool is_drawn = top_terminal_draw(page);
    free(page);
    return is_drawn ? SWE_OK : swe_fail(ctx, SWE_IO, "the terminal cannot be written");
}

static swe_status follow_on_terminal(swe_context *ctx, display *v)
{
    top_terminal terminal;
    /* a refusal is reported before the screen changes */
    SWE_TRY(top_job_read(ctx, v->directory, &v->job));
    if (!top_terminal_open(&terminal))
        return swe_fail(ctx, SWE_INTERNAL, "the terminal cannot be opened: %s", strerror(errno));
    swe_status status = SWE_OK;
    do {
        status = top_job_read(ctx, v->directory, &v->job);
        if (status == SWE_OK)
            status = draw(ctx, v);
    } while (status == SWE_OK && !top_job_has_ended(&v->job) &&
             top_terminal_wait(&terminal, v->options->interval) != TOP_QUIT);
    top_terminal_close(&terminal);
    if (status == SWE_OK && top_job_has_ended(&v->job)) /* the last page stays on the screen */
        top_page_write(stdout, v->directory, &v->job, style_of(v));
    return status;
}

/* The status of a run that ended without finishing. */
static swe_status verdict(swe_context *ctx, const display *v)
{
    const top_job *job = &v->job;
    if (job->condition == TOP_FAILED)
        return swe_fail(ctx, SWE_INTERNAL, "%.200s: the run failed: %s", v->directory,
                        job->message[0] != '\0' ? job->message : "no reason was recorded");
    if (job->condition == TOP_GONE)
        return swe_fail(ctx, SWE_INTERNAL,
                        "%.200s: the process of the run (%lld) is gone, after step %lld of %lld",
                        v->directory, job->pid, job->step, job->steps);
    return SWE_OK;
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    /* LC_CTYPE only: numbers keep the decimal point */
    const bool is_unicode =
        setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    display v = {.directory = options->case_file, .options = options, .is_unicode = is_unicode};
    while (options->wait && !top_job_exists(v.directory))
        sleep_for(options->interval < 0.2 ? options->interval : 0.2);
    const bool is_plain = options->once || options->json || !top_terminal_exists();
    swe_status status = is_plain ? follow_plain(ctx, &v) : follow_on_terminal(ctx, &v);
    if (status == SWE_OK)
        status = verdict(ctx, &v);
    top_job_release(&v.job);
    return status;
}

const cli_command cli_top = {
    .name = "top",
    .operands = "DIR",
    .summary = "watch a run by the folder of its results",
    .text =
        "Watch a run by the folder of its results: its progress, speed, the time of its stages, "
        "memory and GPU. On a terminal the page renews itself until q or Ctrl-C; elsewhere each "
        "update is a line. The command ends with the run: with 0 if the run finished, with 70 if "
        "it failed or its process is gone.",
    .least_operands = 1,
    .most_operands = 1,
    .needs = "the folder of a run's results",
    .run = run,
    .options = {{.name = "interval", .text = "seconds between updates, 0.1 to 3600 (default: 1)"},
                {.name = "once", .text = "print one page and end"},
                {.name = "json", .text = "print a line of JSON for each update instead"},
                {.name = "wait", .text = "wait until there is a run in DIR"}},
};
