#include "cli/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Numbers of /proc/PID/stat; the text starts after the program's name, which may hold anything. */
static bool parse(const char *text, cli_process *out)
{
    char state = '?';
    unsigned long user = 0, kernel = 0;
    long pages = 0;
    const int found = sscanf(text,
                             " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d "
                             "%*d %*d %lld %*u %ld",
                             &state, &user, &kernel, &out->start, &pages);
    out->cpu_seconds = (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
    out->resident_bytes = (double)pages * (double)sysconf(_SC_PAGESIZE);
    out->is_gone = state == 'Z' || state == 'X';
    return found == 5;
}

cli_process cli_process_look(pid_t pid)
{
    cli_process out = {.is_gone = kill(pid, 0) != 0 && errno == ESRCH};
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return out;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *name_end = strrchr(text, ')');
    out.is_known = name_end != NULL && parse(name_end + 1, &out);
    return out;
}
