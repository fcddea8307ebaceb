#include "base/context.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"

static const struct {
    int exit_code;
    const char *text;
} status_table[] = {
#define SWE_STATUS_ROW(name, code, text) {code, text},
    SWE_STATUS_LIST(SWE_STATUS_ROW)
#undef SWE_STATUS_ROW
};

int swe_status_exit_code(swe_status status)
{
    return status_table[status].exit_code;
}

const char *swe_status_text(swe_status status)
{
    return status_table[status].text;
}

swe_status swe_fail(swe_context *ctx, swe_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, arguments);
    va_end(arguments);
    return status;
}

enum { MOST = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *warned[MOST];
static int count;

static void print_warning(const char *line)
{
    fprintf(stderr, "cubeswe: warning: %s\n", line);
}

static void (*warn_to)(const char *line) = print_warning;

void swe_warn_to(void (*warn)(const char *line))
{
    pthread_mutex_lock(&lock);
    warn_to = warn;
    pthread_mutex_unlock(&lock);
}

/* Whether a format is used for the first time. Formats beyond the first MOST are never printed. */
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
    swe_to_printable(line);
    pthread_mutex_lock(&lock);
    void (*const warn)(const char *line) = warn_to;
    pthread_mutex_unlock(&lock);
    if (warn != NULL)
        warn(line);
}
