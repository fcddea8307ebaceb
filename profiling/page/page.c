#include "page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output_file.h"

/* page.html with style and scripts, made by embed.cmake; the document stands in place of the mark.
 */
extern const unsigned char page_template[];
static const char mark[] = "@document@";

/* In a script element "</script" and "<!--" would end or change it. */
static void put_escaped(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        if (*text == '<' || *text == '>' || *text == '&')
            fprintf(out, "\\u%04x", *text);
        else
            putc(*text, out);
}

static void put_page(const char *text, FILE *out)
{
    const char *page = (const char *)page_template;
    const char *place = strstr(page, mark);
    fwrite(page, 1, (size_t)(place - page), out);
    put_escaped(text, out);
    fputs(place + strlen(mark), out);
}

static void put_document(const char *text, FILE *out)
{
    fputs(text, out);
    putc('\n', out);
}

/* The stream keeps a failure until the file's end. */
static bool write_file(const char *path, const char *text, void (*put)(const char *, FILE *))
{
    prof_output_file out;
    if (!prof_output_begin(path, &out))
        return false;
    if (prof_output_stream(&out) != NULL) {
        put(text, out.stream);
        return prof_output_end(&out);
    }
    prof_output_discard(&out);
    return false;
}

/* ASCII: no line separators of Unicode, which scripts may not hold. NULL: no memory. */
static char *text_of(const json_t *document)
{
    return document != NULL ? json_dumps(document, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
}

static bool save(const char *path, const json_t *document, void (*put)(const char *, FILE *),
                 prof_log *log)
{
    char *text = text_of(document);
    if (text == NULL) {
        prof_warn(log, "%s: cannot be made: out of memory", path);
        return false;
    }
    const bool written = write_file(path, text, put);
    if (!written)
        prof_warn(log, "%s: cannot be written: %s", path, prof_output_reason(errno));
    free(text);
    return written;
}

bool prof_page_print(const json_t *document, FILE *out)
{
    char *text = text_of(document);
    if (text == NULL)
        return false;
    put_page(text, out);
    free(text);
    return true;
}

bool prof_page_write(const char *path, const json_t *document, prof_log *log)
{
    return save(path, document, put_page, log);
}

bool prof_page_write_document(const char *path, const json_t *document, prof_log *log)
{
    char name[PROF_OUTPUT_PATH];
    const size_t length = strlen(path);
    const bool is_html = length > 5 && strcmp(path + length - 5, ".html") == 0;
    snprintf(name, sizeof name, "%.*s.json", (int)(is_html ? length - 5 : length), path);
    return save(name, document, put_document, log);
}
