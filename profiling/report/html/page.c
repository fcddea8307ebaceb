#include "report/html/page.h"

#include <stdarg.h>
#include <stdlib.h>

void page_markup(page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(p->file, format, arguments);
    va_end(arguments);
}

/* Characters that may not stand in HTML, even escaped: controls other than tab and line feed. */
static bool is_forbidden(unsigned char c)
{
    return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
}

void page_text(page *p, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        const char *escape = NULL;
        switch (*text) {
        case '&':
            escape = "&amp;";
            break;
        case '<':
            escape = "&lt;";
            break;
        case '>':
            escape = "&gt;";
            break;
        case '"':
            escape = "&quot;";
            break;
        case '\'':
            escape = "&#39;";
            break;
        default:
            if (is_forbidden((unsigned char)*text))
                escape = "\xef\xbf\xbd"; /* the replacement character */
        }
        if (escape != NULL)
            fputs(escape, p->file);
        else
            putc(*text, p->file);
    }
}

static void print_text(page *p, const char *format, va_list arguments)
{
    char few[512];
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(few, sizeof few, format, arguments);
    if (length >= 0 && (size_t)length < sizeof few) {
        page_text(p, few);
    } else {
        char *many = length < 0 ? NULL : malloc((size_t)length + 1);
        if (many != NULL) {
            vsnprintf(many, (size_t)length + 1, format, again);
            page_text(p, many);
        } else {
            p->failed = true;
        }
        free(many);
    }
    va_end(again);
}

void page_print(page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_text(p, format, arguments);
    va_end(arguments);
}

void page_element(page *p, const char *tag, const char *class, const char *format, ...)
{
    va_list arguments;
    if (class != NULL)
        page_markup(p, "<%s class=\"%s\">", tag, class);
    else
        page_markup(p, "<%s>", tag);
    va_start(arguments, format);
    print_text(p, format, arguments);
    va_end(arguments);
    page_markup(p, "</%s>", tag);
}

void page_json_text(page *p, const char *text)
{
    putc('"', p->file);
    for (; text != NULL && *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        /* "</script" and "<!--" would end or change the element that holds this */
        if (c < 0x20 || c == 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
            fprintf(p->file, "\\u%04x", c);
        else
            putc(c, p->file);
    }
    putc('"', p->file);
}
