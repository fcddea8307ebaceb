#include "cli/stop.h"

#include <signal.h>

#include "clock.h"

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
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* who started the run in the background may want it to ignore the keyboard */
    if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

static const char *signal_heard(void)
{
    switch (last_signal) {
    case 0:
        return NULL;
    case SIGUSR1:
        return "SIGUSR1";
    case SIGTERM:
        return "SIGTERM";
    default:
        return "SIGINT";
    }
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
