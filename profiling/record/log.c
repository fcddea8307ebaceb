#include "record/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "outputs/utf8.h"

/* Whether this kind comes for the first time. */
static bool is_new(prof_log *log, const char *format)
{
    for (int k = 0; k < log->told_count; k++)
        if (log->told[k] == format || strcmp(log->told[k], format) == 0)
            return false;
    if (log->told_count < PROF_LOG_MOST)
        log->told[log->told_count++] = format;
    return true;
}

void prof_warn(prof_log *log, const char *format, ...)
{
    char line[PROF_LOG_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    prof_make_printable(line); /* paths may hold anything */
    if (log->count < PROF_LOG_MOST)
        memcpy(log->line[log->count++], line, sizeof line);
    if (is_new(log, format) && log->warn != NULL)
        log->warn(log->warner, line);
}

void prof_log_shorten(prof_log *log, int count)
{
    if (count < log->count)
        log->count = count;
}
