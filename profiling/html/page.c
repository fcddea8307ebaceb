#include "html/page.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output_file.h"
#include "outputs/utf8.h"

/* Nothing may be loaded from anywhere, and only what stands in the page may act. */
static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; script-src "
                             "'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

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

void page_head(page *p, const char *style, const char *format, ...)
{
    va_list arguments;
    page_markup(p,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>",
                policy);
    va_start(arguments, format);
    print_text(p, format, arguments);
    va_end(arguments);
    page_markup(p, "</title>\n<style>\n%s</style>\n</head>\n", style);
}

/* Put a text into a file that is there in full or not at all. */
static bool write_file(const char *path, const char *text, size_t size)
{
    prof_output_file out;
    if (!prof_output_begin(path, &out))
        return false;
    if (prof_output_stream(&out) != NULL) {
        fwrite(text, 1, size, out.stream); /* the stream keeps a failure */
        return prof_output_end(&out);
    }
    prof_output_discard(&out);
    return false;
}

bool page_save(const char *path, page_writer *write, const void *subject, prof_log *log)
{
    char *text = NULL;
    size_t size = 0;
    page p = {.file = open_memstream(&text, &size)};
    bool made = p.file != NULL;
    if (made) {
        write(&p, subject);
        made = !p.failed && ferror(p.file) == 0;
        made = fclose(p.file) == 0 && made && text != NULL;
    }
    if (!made) {
        prof_warn(log, "%s: cannot be made: out of memory", path);
        free(text);
        return false;
    }
    prof_make_utf8(text); /* texts of a profile may be cut within a character */
    const bool written = write_file(path, text, size);
    if (!written)
        prof_warn(log, "%s: cannot be written: %s", path, prof_output_reason(errno));
    free(text);
    return written;
}
