#include "cli/top.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "base/clock.h"
#include "base/text.h"

static void read_texts(json_t *progress, top_job *job)
{
    const struct {
        const char *name;
        char *out;
        size_t size;
    } texts[] = {{"case", job->case_name, sizeof job->case_name},
                 {"state", job->state, sizeof job->state},
                 {"message", job->message, sizeof job->message},
                 {"host", job->host, sizeof job->host},
                 {"backend", job->backend, sizeof job->backend},
                 {"device", job->device, sizeof job->device}};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        swe_copy_printable(texts[k].out, texts[k].size,
                           json_string_value(json_object_get(progress, texts[k].name)));
}

/* Read the required members; false with an error. */
static bool read_numbers(json_t *progress, top_job *job, json_error_t *error)
{
    const char *unused;
    if (json_unpack_ex(
            progress, error, 0,
            "{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s?I, s:I, s:F, "
            "s:F, s:F, s:F, s:F, s?F, s:F, s:{s:F, s:F}}",
            "case", &unused, "state", &unused, "host", &unused, "backend", &unused, "device",
            &unused, "pid", &job->pid, "process_start", &job->process_start, "threads",
            &job->threads, "n", &job->n, "order", &job->order, "step", &job->step, "steps",
            &job->steps, "first_step", &job->first_step, "written_ns", &job->written_ns, "time",
            &job->time, "end", &job->end, "courant", &job->courant, "wall_seconds",
            &job->wall_seconds, "stepping_seconds", &job->stepping_seconds, "seconds_before",
            &job->seconds_before, "memory_bytes", &job->memory_bytes, "steps_per_second", "recent",
            &job->recent, "overall", &job->overall) != 0)
        return false;
    job->seconds_left = top_number(progress, "seconds_left");
    job->waiting = top_number(progress, "waiting"); /* NaN: written by a version without it */
    job->written_clock = top_number(progress, "written_clock_seconds"); /* likewise */
    job->mass_drift = top_number(progress, "mass_drift");
    job->energy_drift = top_number(progress, "energy_drift");
    return true;
}

static swe_status read_job(swe_context *ctx, const char *path, json_t *file, top_job *job)
{
    json_error_t error;
    const char *schema = json_string_value(json_object_get(file, "schema"));
    if (schema == NULL || strcmp(schema, CLI_PROGRESS_SCHEMA) != 0 ||
        json_integer_value(json_object_get(file, "schema_version")) != CLI_PROGRESS_VERSION)
        return swe_fail(ctx, SWE_DATA, "%s: not of schema %s, version %d", path,
                        CLI_PROGRESS_SCHEMA, CLI_PROGRESS_VERSION);
    if (!read_numbers(file, job, &error))
        return swe_fail(ctx, SWE_DATA, "%s: %s", path, error.text);
    if (job->pid < 1 || job->pid > INT32_MAX || job->steps < 1 || job->written_ns < 0)
        return swe_fail(ctx, SWE_DATA, "%s: pid, steps or written_ns is out of range", path);
    read_texts(file, job);
    return SWE_OK;
}

static swe_status read_progress(swe_context *ctx, const char *directory, top_job *job)
{
    const size_t most = (size_t)1 << 20;
    const char *path = CLI_PATH(directory, CLI_PROGRESS_NAME);
    json_t *file = NULL;
    SWE_TRY(top_json_read(ctx, path, most, &file));
    const swe_status status = read_job(ctx, path, file, job);
    json_decref(job->progress);
    job->progress = file;
    return status;
}

/* Report why a folder has no progress.json. */
static swe_status check_folder(swe_context *ctx, const char *directory)
{
    struct stat info;
    if (stat(directory, &info) != 0)
        return swe_fail(ctx, SWE_NO_INPUT, "%s: %s", directory, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return swe_fail(ctx, SWE_DATA, "%s: not the folder of a run's results", directory);
    if (!top_job_exists(directory))
        return swe_fail(ctx, SWE_DATA, "%s: not the results of a run: it has no %s", directory,
                        CLI_PROGRESS_NAME);
    return SWE_OK;
}

bool top_job_exists(const char *directory)
{
    return access(CLI_PATH(directory, CLI_PROGRESS_NAME), F_OK) == 0;
}

static bool has_ended(const top_job *job)
{
    return strcmp(job->state, "finished") == 0 || strcmp(job->state, "failed") == 0 ||
           strcmp(job->state, "stopped") == 0;
}

/* Read the process if it is on this host, and the cores that it kept busy since the last call; the
 * first time, since its start. */
static void read_process(top_job *job)
{
    char host[256] = "";
    const double clock = swe_clock_seconds();
    const cli_process last = job->process;
    gethostname(host, sizeof host - 1);
    job->is_here = strcmp(host, job->host) == 0;
    job->process = job->is_here ? cli_process_read((pid_t)job->pid) : (cli_process){.start = 0};
    if (job->process.is_known && job->process_start != 0 &&
        job->process.start != job->process_start)
        job->process = (cli_process){.is_gone = true}; /* another process has the number now */
    const bool is_same = last.is_known && last.start == job->process.start;
    struct timespec since_boot;
    clock_gettime(CLOCK_BOOTTIME, &since_boot);
    const double age = (double)since_boot.tv_sec + 1e-9 * (double)since_boot.tv_nsec -
                       (double)job->process.start / (double)sysconf(_SC_CLK_TCK);
    const double seconds = is_same ? clock - job->read_at : age;
    const double busy = job->process.cpu_seconds - (is_same ? last.cpu_seconds : 0.0);
    job->cores = job->process.is_known && seconds > 0.0 ? busy / seconds : NAN;
    job->read_at = clock;
}

/* Set the age of the last update. A change is timed by this host once it was seen; the first one,
 * on this host by a clock that cannot be set, elsewhere by the times of day of two hosts, which may
 * differ. */
static void note_change(top_job *job, long long written_before)
{
    const double clock = swe_clock_seconds();
    const double since = job->is_here && isfinite(job->written_clock)
                             ? clock - job->written_clock
                             : 1e-9 * (double)(swe_clock_wall_ns() - job->written_ns);
    if (written_before == 0)
        job->changed = clock - fmax(0.0, since);
    else if (written_before != job->written_ns)
        job->changed = clock;
    job->age = clock - job->changed;
    if (written_before == job->written_ns || !(job->recent > 0.0))
        return;
    if (job->history_count == TOP_HISTORY)
        memmove(job->history, job->history + 1, sizeof job->history - sizeof job->history[0]);
    else
        job->history_count++;
    job->history[job->history_count - 1] = job->recent;
}

static top_condition condition_of(const top_job *job)
{
    const double patience = fmax(10.0, job->recent > 0.0 ? 10.0 / job->recent : 0.0); /* [s] */
    if (has_ended(job))
        return strcmp(job->state, "finished") == 0  ? TOP_FINISHED
               : strcmp(job->state, "stopped") == 0 ? TOP_STOPPED
                                                    : TOP_FAILED;
    if (job->process.is_gone)
        return TOP_GONE;
    if (strcmp(job->state, "setup") == 0)
        return TOP_SETS_UP; /* no update is due before the first steps, however long the setup is */
    return job->age > patience ? TOP_STALLS : TOP_RUNS;
}

swe_status top_job_read(swe_context *ctx, const char *directory, top_job *job)
{
    const long long written_before = job->written_ns;
    SWE_TRY(check_folder(ctx, directory));
    SWE_TRY(read_progress(ctx, directory, job));
    read_process(job);
    if (job->process.is_gone && !has_ended(job))
        SWE_TRY(read_progress(ctx, directory, job)); /* it may have ended between the two reads */
    note_change(job, written_before);
    job->condition = condition_of(job);
    top_profile_read(directory, job->progress, &job->profile);
    return SWE_OK;
}

void top_job_release(top_job *job)
{
    json_decref(job->progress);
    job->progress = NULL;
}
