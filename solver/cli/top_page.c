#include "cli/top.h"

#include <math.h>
#include <string.h>

#include "run/thread_count.h"
#include "base/text.h"

void top_bar_write(FILE *out, double share, int width, bool is_unicode)
{
    const double inside = fmin(fmax(share, 0.0), 1.0);
    const int full = (int)lround(inside * width);
    for (int k = 0; k < width; k++)
        fputs(is_unicode ? (k < full ? "█" : "░") : (k < full ? "#" : "."), out);
}

void top_history_write(FILE *out, const double *rates, int count, bool is_unicode)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    double most = 0.0;
    for (int k = 0; k < count; k++)
        most = fmax(most, rates[k]);
    for (int k = 0; k < count; k++) {
        const int level = most > 0.0 ? (int)lround(7.0 * rates[k] / most) : 0;
        fputs(is_unicode ? blocks[level] : letters[level], out);
    }
}

void top_duration_write(FILE *out, double seconds)
{
    const long whole = lround(fmin(seconds, 1e9));
    if (!isfinite(seconds))
        fputs("unknown", out);
    else if (seconds < 59.95)
        fprintf(out, "%.1f s", seconds);
    else if (whole < 3600)
        fprintf(out, "%ld min %02ld s", whole / 60, whole % 60);
    else if (whole < 100L * 3600)
        fprintf(out, "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
    else
        fprintf(out, "%ld days %ld h", whole / 86400, whole % 86400 / 3600);
}

static void write_bytes(FILE *out, double bytes)
{
    const double mib = 1024.0 * 1024.0;
    if (bytes < 1000.0 * mib)
        fprintf(out, "%.1f MiB", bytes / mib);
    else
        fprintf(out, "%.2f GiB", bytes / (1024.0 * mib));
}

static double share_done(const top_job *job)
{
    return (double)job->step / (double)job->steps;
}

/* The condition of the job, in words. */
static void write_condition(FILE *out, const top_job *job)
{
    static const char *const words[] = {"setting up", "running", "stalled", "gone",
                                        "finished",   "failed",  "stopped"};
    fputs(words[job->condition], out);
    if ((job->condition == TOP_FAILED || job->condition == TOP_STOPPED) && job->message[0] != '\0')
        fprintf(out, ": %s", job->message);
    if (job->condition == TOP_GONE)
        fprintf(out, ": process %lld has ended before the run", job->pid);
    if (job->condition == TOP_GONE || job->condition == TOP_STALLS) {
        fputs(job->condition == TOP_GONE ? "; last update " : ": no update for ", out);
        top_duration_write(out, job->age);
        fputs(job->condition == TOP_GONE ? " ago" : "", out);
    }
}

static void write_head(FILE *out, const char *directory, const top_job *job, top_style style)
{
    const int width = style.columns - 40;
    fprintf(out, "%s  (%s)\n", job->case_name, SWE_SHOWN(directory));
    fputs("state      ", out);
    write_condition(out, job);
    fprintf(out, "\ndevice     %s: %s", job->backend, job->device);
    fprintf(out, ", %lld thread%s\n", job->threads, job->threads == 1 ? "" : "s");
    if (job->waiting >= SWE_THREADS_WAIT)
        fprintf(out,
                "waiting    threads wait for one another %.0f %% of the time: other programs use "
                "the cores, or the grid is small (--threads auto uses fewer)\n",
                100.0 * job->waiting);
    fprintf(out, "process    %lld on %s\n", job->pid, job->host);
    fprintf(out, "grid       n = %lld, order %lld\n\n", job->n, job->order);
    top_bar_write(out, share_done(job),
                  width < 10   ? 10
                  : width > 60 ? 60
                               : width,
                  style.is_unicode);
    fprintf(out, "  %5.1f %%  step %lld of %lld\n", 100.0 * share_done(job), job->step, job->steps);
}

/* A rate; 0 is unknown. */
static void write_rate(FILE *out, double rate)
{
    if (rate > 0.0)
        fprintf(out, "%.4g", rate);
    else
        fputs("-", out);
}

static void write_pace(FILE *out, const top_job *job, top_style style)
{
    fputs("rate       ", out);
    write_rate(out, job->recent);
    fputs(top_job_has_ended(job) ? " steps/s at the end, " : " steps/s now, ", out);
    write_rate(out, job->overall);
    fputs(" overall", out);
    if (job->history_count > 1) {
        fputs("   ", out);
        top_history_write(out, job->history, job->history_count, style.is_unicode);
    }
    fputs("\ntime       ", out);
    top_duration_write(out, job->wall_seconds);
    if (job->wall_seconds > 0.0)
        fprintf(out, "%s (%.0f %% in steps)", top_job_has_ended(job) ? "" : " so far",
                100.0 * job->stepping_seconds / job->wall_seconds);
    if (!top_job_has_ended(job)) {
        fputs(", ", out);
        top_duration_write(out, job->seconds_left);
        fputs(" left", out);
    }
    if (job->first_step > 0) {
        fprintf(out, "\nrestart    from step %lld; steps have taken ", job->first_step);
        top_duration_write(out, job->seconds_before + job->stepping_seconds);
        fputs(" in all, ", out);
        top_duration_write(out, job->seconds_before);
        fputs(" of it before", out);
    }
    fprintf(out, "\nmodel      t = %.6g of %.6g s, Courant %.3f\n", job->time, job->end,
            job->courant);
    if (job->step > 0)
        fprintf(out, "drift      mass %.2e, energy %.2e\n", job->mass_drift, job->energy_drift);
}

static void write_resources(FILE *out, const top_job *job)
{
    fputs("memory     ", out);
    write_bytes(out, job->memory_bytes);
    fputs(" of fields and tables on the device", out);
    if (job->process.is_known) {
        fputs(", process ", out);
        write_bytes(out, job->process.resident_bytes);
        if (isfinite(job->cores))
            fprintf(out, "\ncpu        %.2f cores busy", job->cores);
    }
    fputc('\n', out);
}

/* A number and its unit; a dash if unknown. */
static void write_value(FILE *out, double value, const char *unit)
{
    if (isnan(value))
        fprintf(out, "- %s", unit);
    else
        fprintf(out, "%.0f %s", value, unit);
}

static void write_gpu(FILE *out, const top_gpu *gpu)
{
    fputs("gpu        ", out);
    write_value(out, gpu->sm_percent, "% busy, ");
    write_value(out, gpu->memory_percent, "% of the time at its memory, ");
    write_value(out, gpu->clock_mhz, "MHz, ");
    write_value(out, gpu->watts, "W, ");
    write_value(out, gpu->celsius, "C, ");
    if (isnan(gpu->used_bytes))
        fputs("- MiB", out);
    else
        write_bytes(out, gpu->used_bytes);
    fputs(" in use\n", out);
}

static void write_stage(FILE *out, const char *name, double share, top_style style)
{
    const int width = style.columns - 40;
    fprintf(out, "  %-20s %5.1f %%  ", name, 100.0 * share);
    top_bar_write(out, share, width < 10 ? 10 : width > 40 ? 40 : width, style.is_unicode);
    fputc('\n', out);
}

static void write_stages(FILE *out, const top_window *window, top_style style)
{
    double rest = 1.0;
    char path[sizeof window->path];
    swe_copy_printable(path, sizeof path, window->path);
    fprintf(out, "\nstages     share of %s in %s: %lld steps of ",
            window->is_gpu ? "what ran on the GPU" : "a step", path, window->steps);
    if (window->step_seconds < 1.0)
        fprintf(out, "%.4g us\n", 1e6 * window->step_seconds);
    else
        fprintf(out, "%.4g s\n", window->step_seconds);
    for (int k = 0; k < window->stage_count; k++) {
        write_stage(out, window->stage[k].name, window->stage[k].share, style);
        rest -= window->stage[k].share;
    }
    if (!window->is_gpu)
        write_stage(out, "between them", fmax(rest, 0.0), style);
}

static void write_ranks(FILE *out, const top_window *window)
{
    fprintf(out, "\nranks      %lld: imbalance ", window->ranks);
    if (isnan(window->imbalance))
        fputs("-", out);
    else
        fprintf(out, "%.2f", window->imbalance);
    fputs(", waits for messages ", out);
    write_value(out, 100.0 * window->exposed_share, "% of the stages' time\n");
}

/* Why no stages are shown. */
static void write_advice(FILE *out, const top_job *job)
{
    fputs("\nstages     ", out);
    if (!job->profile.is_recording)
        fputs("not recorded: cubeswe run --profile records a window of steps\n", out);
    else if (top_job_has_ended(job))
        fputs("no window was recorded\n", out);
    else
        fputs("the first window is not there yet (profile.start_step, profile.duration)\n", out);
}

void top_page_write(FILE *out, const char *directory, const top_job *job, top_style style)
{
    char name[1024];
    swe_copy_printable(name, sizeof name, directory);
    write_head(out, name, job, style);
    write_pace(out, job, style);
    write_resources(out, job);
    if (job->profile.gpu.has_line)
        write_gpu(out, &job->profile.gpu);
    if (job->profile.window.path[0] != '\0')
        write_stages(out, &job->profile.window, style);
    else
        write_advice(out, job);
    if (job->profile.window.ranks > 1)
        write_ranks(out, &job->profile.window);
}

void top_line_write(FILE *out, const top_job *job)
{
    fprintf(out, "%s: ", job->case_name);
    write_condition(out, job);
    fprintf(out, ", step %lld of %lld (%.1f %%), t = %.6g s, Courant %.3f, ", job->step, job->steps,
            100.0 * share_done(job), job->time, job->courant);
    write_rate(out, job->recent);
    fputs(" steps/s, ", out);
    write_rate(out, job->overall);
    fputs(" overall", out);
    if (!top_job_has_ended(job)) {
        fputs(", ", out);
        top_duration_write(out, job->seconds_left);
        fputs(" left", out);
    }
    fputc('\n', out);
}
