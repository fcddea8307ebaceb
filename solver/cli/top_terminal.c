#include "cli/top.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Switch to the alternate screen, hide the cursor, no line wrapping; and back. */
static const char enter_text[] = "\033[?1049h\033[?25l\033[?7l";
static const char leave_text[] = "\033[?7h\033[?25h\033[?1049l";

bool top_terminal_exists(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && kind != NULL && kind[0] != '\0' &&
           strcmp(kind, "dumb") != 0;
}

static struct winsize size_of_terminal(void)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    return size;
}

int top_terminal_columns(void)
{
    return size_of_terminal().ws_col;
}

/* Read keys one by one, without echo. */
static void enter(const top_terminal *terminal)
{
    struct termios keys = terminal->saved_modes;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    if (terminal->has_keys)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
    fputs(enter_text, stdout);
    fflush(stdout);
}

static void leave(const top_terminal *terminal)
{
    fputs(leave_text, stdout);
    fflush(stdout);
    if (terminal->has_keys)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal->saved_modes);
}

bool top_terminal_open(top_terminal *terminal)
{
    const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};
    sigset_t mask;
    *terminal = (top_terminal){.has_keys = false};
    sigemptyset(&mask);
    for (size_t k = 0; k < sizeof handled / sizeof handled[0]; k++)
        sigaddset(&mask, handled[k]);
    terminal->signals = signalfd(-1, &mask, SFD_CLOEXEC);
    if (terminal->signals < 0)
        return false;
    sigprocmask(SIG_BLOCK, &mask, &terminal->saved_mask);
    terminal->has_keys =
        isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &terminal->saved_modes) == 0;
    enter(terminal);
    return true;
}

void top_terminal_close(top_terminal *terminal)
{
    leave(terminal);
    close(terminal->signals);
    sigprocmask(SIG_SETMASK, &terminal->saved_mask, NULL);
    if (terminal->last_signal != 0)
        raise(terminal->last_signal);
}

/* Number of bytes of a line that fit into `columns`; each character is one column wide. */
static int cut(const char *line, size_t length, int columns)
{
    size_t end = 0;
    for (int column = 0; end < length; end++) {
        const bool starts_character = ((unsigned char)line[end] & 0xc0) != 0x80;
        if (starts_character && column++ == columns)
            break;
    }
    return (int)end;
}

bool top_terminal_draw(const char *page)
{
    const struct winsize size = size_of_terminal();
    fputs("\033[H", stdout);
    for (int row = 0; row < size.ws_row && *page != '\0'; row++) {
        const size_t length = strcspn(page, "\n");
        printf("%s%.*s\033[K", row > 0 ? "\n" : "", cut(page, length, size.ws_col), page);
        page += length + (page[length] == '\n');
    }
    fputs("\033[J", stdout);
    return fflush(stdout) == 0;
}

static top_event handle_signal(top_terminal *terminal)
{
    struct signalfd_siginfo info;
    if (read(terminal->signals, &info, sizeof info) != (ssize_t)sizeof info)
        return TOP_QUIT;
    switch (info.ssi_signo) {
    case SIGTSTP:
        leave(terminal);
        raise(SIGSTOP); /* continues here after SIGCONT, which is reported, too */
        return TOP_TICK;
    case SIGCONT:
        enter(terminal);
        return TOP_TICK;
    case SIGWINCH:
        return TOP_TICK;
    case SIGINT:
        return TOP_QUIT;
    default:
        terminal->last_signal = (int)info.ssi_signo;
        return TOP_QUIT;
    }
}

top_event top_terminal_wait(top_terminal *terminal, double seconds)
{
    char key = 0;
    struct pollfd sources[] = {{terminal->signals, POLLIN, 0},
                               {terminal->has_keys ? STDIN_FILENO : -1, POLLIN, 0}};
    if (poll(sources, 2, (int)(1e3 * seconds)) < 0 && errno != EINTR)
        return TOP_QUIT;
    if (sources[0].revents != 0)
        return handle_signal(terminal);
    if (sources[1].revents == 0)
        return TOP_TICK;
    const bool is_read = read(STDIN_FILENO, &key, 1) == 1;
    return !is_read || key == 'q' || key == 'Q' ? TOP_QUIT : TOP_TICK;
}
