/* A terminal on which a page is redrawn in place, and which is afterwards as it was. */
#ifndef SWE_CLI_TOP_TERMINAL_H
#define SWE_CLI_TOP_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

typedef enum top_event {
    TOP_TICK, /* time for the next page */
    TOP_QUIT  /* whoever looks wants to go, or is gone */
} top_event;

typedef struct top_terminal {
    bool has_keys; /* standard input is a terminal, too */
    struct termios as_it_was;
    sigset_t mask_as_it_was;
    int signals;     /* descriptor that tells of them */
    int last_signal; /* that asked to quit and was no Ctrl-C; 0: none */
} top_terminal;

/* Whether standard output is a terminal that can be redrawn. */
bool top_terminal_is_there(void);
int top_terminal_columns(void); /* 80 where it is not known */

/* Open it; false with errno. Close restores it; a signal that ended it then takes its course. */
bool top_terminal_open(top_terminal *terminal);
void top_terminal_close(top_terminal *terminal);

/* Put a page in the place of the last one, cut to the size that the terminal has now. False if it
 * cannot be written. */
bool top_terminal_draw(const char *page);

/* Wait, but no longer than until a key is pressed or the size changes. */
top_event top_terminal_wait(top_terminal *terminal, double seconds);

#endif
