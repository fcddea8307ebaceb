#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "cli/cli.h"
#include "cli/machine.h"
#include "cli/results.h"
#include "base/clock.h"
#include "base/text.h"

void cli_progress_start(cli_progress *progress, const char *label, bool quiet)
{
    *progress = (cli_progress){.label = label,
                               .quiet = quiet,
                               .is_terminal = isatty(STDERR_FILENO) == 1,
                               .last = swe_clock_seconds()};
}

void cli_progress_watch(void *watcher, const swe_progress *now)
{
    cli_progress *progress = watcher;
    const double interval = progress->is_terminal ? 0.2 : 10.0;
    const double clock = swe_clock_seconds();
    const bool done = now->step == now->steps;
    if (progress->quiet || (!done && clock - progress->last < interval))
        return;
    progress->last = clock;
    const double seconds = now->seconds - progress->first_seconds;
    const double rate = seconds > 0.0 ? (double)(now->step - progress->first_step) / seconds : 0.0;
    const double left = rate > 0.0 ? (double)(now->steps - now->step) / rate : 0.0;
    fprintf(stderr, "%s%s: step %ld of %ld, t = %.6g s, Courant %.3f, %.1f steps/s, %.0f s left%s",
            progress->is_terminal ? "\r\033[K" : "", progress->label, now->step, now->steps,
            now->time, now->courant, rate, left, progress->is_terminal && !done ? "" : "\n");
    fflush(stderr);
    progress->is_open = progress->is_terminal && !done;
}

void cli_progress_clear(cli_progress *progress)
{
    if (progress != NULL && progress->is_open)
        fputs("\r\033[K", stderr);
    if (progress != NULL)
        progress->is_open = false;
}

static const double interval = 1.0; /* shortest time between two updates [s] */

/* A text; bytes that are not UTF-8, which names of folders may contain, become question marks. */
static json_t *text_json(const char *text)
{
    char plain[8600];
    if (text == NULL)
        return json_null();
    snprintf(plain, sizeof plain, "%s", text);
    json_t *out = json_string(plain);
    for (char *byte = plain; out == NULL && *byte != '\0'; byte++)
        if ((unsigned char)*byte >= 0x80)
            *byte = '?';
    return out != NULL ? out : json_string(plain);
}

/* The folder of profiles, below the results or absolute, and its last window; null: none. */
static void add_profiles(const cli_progress_subject *subject, json_t *out)
{
    char window[8500];
    const int64_t step = prof_last_window(subject->profiler);
    const prof_mode mode = subject->config->profile.mode;
    const bool has_any = subject->profiler != NULL &&
                         (mode == PROF_TRACE || mode == PROF_SUMMARY || mode == PROF_FULL);
    const char *path = subject->config->profile.dir[0] != '\0' ? subject->profiles : "profile";
    snprintf(window, sizeof window, "%s/step_%08" PRId64, path, step);
    json_object_set_new(out, "profiles", text_json(has_any ? path : NULL));
    json_object_set_new(out, "window", text_json(has_any && step >= 0 ? window : NULL));
}

static json_t *job_json(const cli_progress_file *file)
{
    const cli_progress_subject *subject = &file->subject;
    const swe_model *model = swe_simulation_model(subject->simulation);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return json_pack("{s:s, s:i, s:o, s:s, s:o, s:I, s:I, s:s, s:o, s:i, s:I, s:I, s:I}", "schema",
                     CLI_PROGRESS_SCHEMA, "schema_version", CLI_PROGRESS_VERSION, "case",
                     text_json(subject->config->case_name), "version", swe_version, "host",
                     text_json(host), "pid", (json_int_t)getpid(), "process_start",
                     (json_int_t)cli_process_read(getpid()).start, "backend", model->backend->name,
                     "device", text_json(swe_simulation_device(subject->simulation)),
                     "most_threads", model->execution.threads, "n",
                     (json_int_t)subject->config->grid.n, "order",
                     (json_int_t)subject->config->grid.order, "memory_bytes",
                     (json_int_t)swe_config_model_bytes(subject->config));
}

/* Remaining time: the mean time of the steps so far, output included, setup excluded [s]. */
static double seconds_left(const cli_progress_file *file, double clock)
{
    const swe_progress *now = &file->now;
    const long taken = now->step - file->subject.first_step;
    if (now->step == now->steps)
        return 0.0;
    if (taken == 0)
        return NAN;
    return (clock - file->stepping) / (double)taken * (double)(now->steps - now->step);
}

/* The state of the run. Rates are per wall time, diagnostics and output included. */
static json_t *state_json(const cli_progress_file *file, const char *state, const char *message,
                          double clock)
{
    const swe_progress *now = &file->now;
    const double wall = clock - file->started;
    const double taken = (double)(now->step - file->subject.first_step);
    const double overall = wall > 0.0 ? taken / wall : 0.0;
    const double before = file->subject.first_seconds;
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, "
        "s:o}, s:o, s:o, s:o, s:I, "
        "s:I, s:o}",
        "state", state, "threads", now->threads, "waiting", swe_json_real(now->waiting), "message",
        text_json(message), "step", (json_int_t)now->step, "steps", (json_int_t)now->steps,
        "first_step", (json_int_t)file->subject.first_step, "time", swe_json_real(now->time), "end",
        swe_json_real(file->subject.config->time.end), "courant", swe_json_real(now->courant),
        "wall_seconds", swe_json_real(wall), "stepping_seconds",
        swe_json_real(now->seconds - before), "seconds_before", swe_json_real(before),
        "steps_per_second", "recent", swe_json_real(file->recent), "overall",
        swe_json_real(overall), "seconds_left", swe_json_real(seconds_left(file, clock)),
        "mass_drift", swe_json_real(now->mass_drift), "energy_drift",
        swe_json_real(now->energy_drift), "started_ns", (json_int_t)file->started_ns, "written_ns",
        (json_int_t)swe_clock_wall_ns(), "written_clock_seconds", swe_json_real(clock));
}

static swe_status write_whole(swe_context *ctx, const cli_progress_file *file, const char *state,
                              const char *message, double clock)
{
    json_t *all = job_json(file), *now = state_json(file, state, message, clock);
    if (all == NULL || json_object_update_new(all, now) != 0) {
        json_decref(all);
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for " CLI_PROGRESS_NAME);
    }
    add_profiles(&file->subject, all);
    return cli_json_write(ctx, file->subject.directory, CLI_PROGRESS_NAME, all);
}

static void write_now(cli_progress_file *file, const char *state, const char *message)
{
    swe_context ctx = {""};
    const double clock = swe_clock_seconds();
    const long steps = file->now.step - file->written_step;
    if (steps > 0 && clock > file->written)
        file->recent = (double)steps / (clock - file->written);
    file->written = clock;
    file->written_step = file->now.step;
    if (write_whole(&ctx, file, state, message, clock) == SWE_OK) {
        file->is_own = true;
        file->has_failed = false;
        return;
    }
    if (!file->has_failed) {
        cli_progress_clear(file->subject.line);
        fprintf(
            stderr,
            "cubeswe: warning: %s: the run continues, and cubeswe top cannot show its progress\n",
            SWE_SHOWN(ctx.message));
    }
    file->has_failed = true;
}

void cli_progress_file_start(cli_progress_file *file, const cli_progress_subject *subject)
{
    const swe_model *model = swe_simulation_model(subject->simulation);
    const double clock = swe_clock_seconds();
    *file = (cli_progress_file){.subject = *subject,
                                .started_ns = swe_clock_wall_ns(),
                                .started = clock,
                                .written = clock,
                                .has_begun = true};
    const double dt = swe_config_schedule(subject->config, &file->now.steps);
    file->now.step = file->written_step = subject->first_step;
    file->now.time = (double)subject->first_step * dt;
    file->now.threads = model->execution.threads;
    file->now.seconds = subject->first_seconds;
    file->now.courant = swe_model_courant(model, dt);
    write_now(file, "setup", NULL);
}

void cli_progress_file_watch(cli_progress_file *file, const swe_progress *now)
{
    const bool is_first = file->now.step == file->subject.first_step;
    const double clock = swe_clock_seconds();
    file->now = *now;
    if (is_first)
        file->stepping = clock - (now->seconds - file->subject.first_seconds);
    if (!file->has_failed && (is_first || clock - file->written >= interval))
        write_now(file, "running", NULL);
}

void cli_progress_file_end(cli_progress_file *file, const char *state, const char *message)
{
    if (!file->has_begun)
        return;
    write_now(file, state, message);
    if (file->has_failed && file->is_own)
        swe_output_remove(CLI_PATH(file->subject.directory, CLI_PROGRESS_NAME));
}
