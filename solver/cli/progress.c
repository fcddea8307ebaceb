#include <unistd.h>

#include "cli/cli.h"
#include "clock.h"

void cli_progress_start(cli_progress *progress, const char *label, bool quiet)
{
    *progress = (cli_progress){.label = label,
                               .quiet = quiet,
                               .is_terminal = isatty(STDERR_FILENO) == 1,
                               .last = prof_clock_seconds()};
}

void cli_progress_watch(void *watcher, const swe_progress *now)
{
    cli_progress *progress = watcher;
    const double interval = progress->is_terminal ? 0.2 : 10.0;
    const double clock = prof_clock_seconds();
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
