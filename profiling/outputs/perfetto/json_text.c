#include "outputs/perfetto/json_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* Bytes of the UTF-8 character that a text begins with; 0 if it is none. */
static size_t character_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    const size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4)
        return 0;
    for (size_t k = 1; k < length; k++)
        if ((c[k] & 0xc0) != 0x80)
            return 0;
    const bool too_long = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool surrogate = c[0] == 0xed && c[1] > 0x9f;
    const bool beyond = c[0] == 0xf4 && c[1] > 0x8f;
    return too_long || surrogate || beyond ? 0 : length;
}

void prof_json_string(prof_json *json, const char *text)
{
    prof_json_put(json, "\"");
    while (*text != '\0') {
        const size_t length = character_length(text);
        if (length == 0)
            prof_json_put(json, "\\ufffd");
        else if (*text == '"' || *text == '\\')
            prof_json_format(json, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            prof_json_format(json, "\\u%04x", (unsigned)*text);
        else
            put_bytes(json, text, length);
        text += length > 0 ? length : 1;
    }
    prof_json_put(json, "\"");
}

void prof_json_microseconds(prof_json *json, int64_t nanoseconds)
{
    prof_json_format(json, "%" PRId64 ".%03" PRId64, nanoseconds / 1000, nanoseconds % 1000);
}
