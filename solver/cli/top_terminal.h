/* A terminal on which a page is redrawn in place and which is restored afterwards. */
#ifndef SWE_CLI_TOP_TERMINAL_H
#define SWE_CLI_TOP_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

typedef enum top_event {
    TOP_TICK, /* draw the next page */
    TOP_QUIT  /* the user quits, or the terminal is gone */
} top_event;

typedef struct top_terminal {
    bool has_keys; /* standard input is a terminal, too */
    struct termios saved_modes;
    sigset_t saved_mask;
    int signals;     /* signalfd */
    int last_signal; /* to raise after close: a request to quit other than Ctrl-C; 0: none */
} top_terminal;

/* Whether standard output is a terminal that can be redrawn. */
bool top_terminal_is_there(void);
int top_terminal_columns(void); /* 80 if unknown */

/* Open; false with errno on failure. Close restores the terminal and raises last_signal. */
bool top_terminal_open(top_terminal *terminal);
void top_terminal_close(top_terminal *terminal);

/* Redraw the page, cut off at the present size. False if it cannot be written. */
bool top_terminal_draw(const char *page);

/* Wait until the time has passed, a key is pressed or the size changes. */
top_event top_terminal_wait(top_terminal *terminal, double seconds);

#endif
