#include "cli/stop.h"

#include <signal.h>
#include <stdbool.h>

#include "clock.h"

/* Signals that ask a run to end. Who started it may want it to ignore the keyboard or the end of
 * the terminal (nohup): these stay ignored. */
static const struct {
    int number;
    const char *name;
    bool stays_ignored;
} requests[] = {{SIGUSR1, "SIGUSR1", false},
                {SIGTERM, "SIGTERM", false},
                {SIGXCPU, "SIGXCPU", false},
                {SIGINT, "SIGINT", true},
                {SIGHUP, "SIGHUP", true}};
enum { REQUESTS = sizeof requests / sizeof requests[0] };

/* Handlers have no other way to tell: the one mutable global of the program. */
static volatile sig_atomic_t last_signal;

static void hear(int signal)
{
    last_signal = signal;
}

void cli_stop_listen(void)
{
    struct sigaction action = {.sa_flags = SA_RESTART}, old;
    action.sa_handler = hear;
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < REQUESTS; k++) {
        const bool is_ignored =
            sigaction(requests[k].number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
        if (!is_ignored || !requests[k].stays_ignored)
            sigaction(requests[k].number, &action, NULL);
    }
}

static const char *signal_heard(void)
{
    for (int k = 0; k < REQUESTS; k++)
        if (requests[k].number == last_signal)
            return requests[k].name;
    return NULL;
}

const char *cli_stop_wanted(void *stopper, double stride)
{
    const cli_stop *stop = stopper;
    if (last_signal != 0)
        return signal_heard();
    if (stop->most <= 0.0 || stride <= 0.0)
        return NULL;
    const double longest = stop->checkpoints->longest;
    const double checkpoint = longest > 0.0 ? longest : stop->guess;
    const double margin = 2.0 * (stride + checkpoint) + 0.01 * stop->most;
    return prof_clock_seconds() - stop->started + margin < stop->most ? NULL : "--max-walltime";
}
