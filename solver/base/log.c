#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Whether this format occurs for the first time; records it. */
static bool is_new(swe_log *log, const char *format)
{
    for (int k = 0; k < log->printed_count; k++)
        if (log->printed[k] == format || strcmp(log->printed[k], format) == 0)
            return false;
    if (log->printed_count < SWE_LOG_MOST)
        log->printed[log->printed_count++] = format;
    return true;
}

static void keep_line(swe_log *log, const char *line)
{
    if (log->count < SWE_LOG_MOST)
        snprintf(log->line[log->count++], SWE_LOG_LENGTH, "%s", line);
}

void swe_warn(swe_log *log, const char *format, ...)
{
    char line[SWE_LOG_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    swe_to_printable(line); /* a path may contain control characters */
    keep_line(log, line);
    if (is_new(log, format) && log->warn != NULL)
        log->warn(log->warner, line);
}

void swe_log_once(swe_log *log, const char *line)
{
    for (int k = 0; k < log->count; k++)
        if (strcmp(log->line[k], line) == 0)
            return;
    keep_line(log, line);
    if (log->warn != NULL)
        log->warn(log->warner, line);
}

void swe_log_truncate(swe_log *log, int count)
{
    if (count < log->count)
        log->count = count;
}
