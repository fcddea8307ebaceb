#include "cli/stop.h"

#include <signal.h>
#include <stdbool.h>

#include "base/clock.h"
#include "state/model.h"

/* Signals that request an early end. An ignored SIGINT or SIGHUP stays ignored: a shell ignores
 * them for background jobs, nohup for the end of the terminal. */
static const struct {
    int number;
    const char *name;
    bool stays_ignored;
} stop_signals[] = {{SIGUSR1, "SIGUSR1", false},
                    {SIGTERM, "SIGTERM", false},
                    {SIGXCPU, "SIGXCPU", false},
                    {SIGINT, "SIGINT", true},
                    {SIGHUP, "SIGHUP", true}};
enum { STOP_SIGNALS = sizeof stop_signals / sizeof stop_signals[0] };

/* A global: a signal handler has no argument. */
static volatile sig_atomic_t last_signal;

static void record_signal(int signal)
{
    last_signal = signal;
}

void cli_stop_install(void)
{
    struct sigaction action = {.sa_flags = SA_RESTART}, old;
    action.sa_handler = record_signal;
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < STOP_SIGNALS; k++) {
        const bool is_ignored =
            sigaction(stop_signals[k].number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
        if (!is_ignored || !stop_signals[k].stays_ignored)
            sigaction(stop_signals[k].number, &action, NULL);
    }
}

const volatile sig_atomic_t *cli_stop_signal(void)
{
    return &last_signal;
}

static const char *recorded_signal(void)
{
    const int number = last_signal != 0 ? last_signal : swe_model_signal();
    for (int k = 0; k < STOP_SIGNALS; k++)
        if (stop_signals[k].number == number)
            return stop_signals[k].name;
    return NULL;
}

const char *cli_stop_reason(void *stopper, double stride)
{
    const cli_stop *stop = stopper;
    if (recorded_signal() != NULL)
        return recorded_signal();
    if (stop->walltime <= 0.0 || stride <= 0.0)
        return NULL;
    const double longest = stop->checkpoints->longest;
    const double checkpoint = longest > 0.0 ? longest : stop->guess;
    const double margin = 2.0 * (stride + checkpoint) + 0.01 * stop->walltime;
    return swe_clock_seconds() - stop->started + margin < stop->walltime ? NULL : "--max-walltime";
}
