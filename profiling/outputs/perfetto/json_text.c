#include "outputs/perfetto/json_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "outputs/utf8.h"

static void put_bytes(prof_json *json, const char *bytes, size_t size)
{
    if (json->error != 0 || size == 0)
        return;
    errno = 0;
    if (gzwrite(json->file, bytes, (unsigned)size) != (int)size)
        json->error = errno != 0 ? errno : EIO;
}

void prof_json_put(prof_json *json, const char *text)
{
    put_bytes(json, text, strlen(text));
}

void prof_json_format(prof_json *json, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    prof_json_put(json, text);
}

void prof_json_string(prof_json *json, const char *text)
{
    prof_json_put(json, "\"");
    while (*text != '\0') {
        const int length = prof_utf8_length(text);
        if (length == 0)
            prof_json_put(json, "\\ufffd");
        else if (*text == '"' || *text == '\\')
            prof_json_format(json, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            prof_json_format(json, "\\u%04x", (unsigned)*text);
        else
            put_bytes(json, text, (size_t)length);
        text += length > 0 ? length : 1;
    }
    prof_json_put(json, "\"");
}

void prof_json_microseconds(prof_json *json, int64_t nanoseconds)
{
    prof_json_format(json, "%" PRId64 ".%03" PRId64, nanoseconds / 1000, nanoseconds % 1000);
}
