#include "outputs/tables/csv.h"

#include <stdarg.h>
#include <string.h>

static void begin_field(csv *out)
{
    if (out->within_row)
        putc(',', out->file);
    out->within_row = true;
}

void csv_text(csv *out, const char *text)
{
    begin_field(out);
    if (text == NULL)
        return;
    /* a spreadsheet takes what begins so for a formula */
    const char *mark = text[0] != '\0' && strchr("=+-@\t\r", text[0]) != NULL ? "'" : "";
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fprintf(out->file, "%s%s", mark, text);
        return;
    }
    fprintf(out->file, "\"%s", mark);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', out->file);
        putc(*text, out->file);
    }
    putc('"', out->file);
}

void csv_format(csv *out, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    csv_text(out, text);
}

void csv_integer(csv *out, int64_t value)
{
    begin_field(out);
    fprintf(out->file, "%lld", (long long)value);
}

void csv_real(csv *out, double value, int decimals)
{
    begin_field(out);
    fprintf(out->file, "%.*f", decimals, value);
}

void csv_empty(csv *out, int fields)
{
    for (int k = 0; k < fields; k++)
        begin_field(out);
}

void csv_end_row(csv *out)
{
    putc('\n', out->file);
    out->within_row = false;
}

void csv_times(csv *out, const prof_group *group)
{
    csv_real(out, group->mean, 1);
    csv_real(out, group->median, 1);
    csv_integer(out, group->min);
    csv_integer(out, group->max);
    csv_real(out, group->deviation, 1);
}

void csv_summary(csv *out, const prof_group *group, int64_t all)
{
    csv_real(out, all > 0 ? 100.0 * (double)group->total / (double)all : 0.0, 1);
    csv_integer(out, group->total);
    csv_integer(out, group->count);
    csv_times(out, group);
}
