#include "base/warn.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "outputs/utf8.h"
enum { MOST = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *warned[MOST];
static int count;

/* Whether a format is used for the first time; no more than MOST are remembered, and none is
 * printed after them. */
static bool is_new(const char *format)
{
    pthread_mutex_lock(&lock);
    bool new = count < MOST;
    for (int k = 0; k < count; k++)
        new = new &&warned[k] != format;
    if (new)
        warned[count++] = format;
    pthread_mutex_unlock(&lock);
    return new;
}

void swe_warn_once(const char *format, ...)
{
    char line[1024];
    if (!is_new(format))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    prof_to_printable(line);
    fprintf(stderr, "cubeswe: warning: %s\n", line);
}
