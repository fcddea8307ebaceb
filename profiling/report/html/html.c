/* The page: skeleton, and the way into its file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/utf8.h"
#include "report/html/assets.h"
#include "report/html/sections.h"

static const struct {
    const char *id, *heading;
    section_function *write;
} sections[] = {
#define SECTION_ENTRY(id, heading) {#id, heading, section_##id},
    SECTION_LIST(SECTION_ENTRY)
#undef SECTION_ENTRY
};
enum { SECTION_COUNT = sizeof sections / sizeof sections[0] };

/* Nothing may be loaded from anywhere, and only what stands in the page may act. */
static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; script-src "
                             "'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

static void head(page *p, const prof_report *report)
{
    page_markup(p,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>",
                policy);
    page_print(p, "%s on %s: profile", report->case_name, report->device.name);
    page_markup(p, "</title>\n<style>\n%s</style>\n</head>\n", (const char *)html_css);
}

static void contents(page *p)
{
    page_markup(p, "<nav aria-label=\"Contents\"><ul>\n");
    page_markup(p, "<li><a href=\"#headline\">Overview</a></li>\n");
    for (int k = 0; k < SECTION_COUNT; k++)
        page_markup(p, "<li><a href=\"#%s\">%s</a></li>\n", sections[k].id, sections[k].heading);
    page_markup(p, "</ul></nav>\n");
}

static void write_page(page *p, const prof_report *report)
{
    const prof_report_window *window = &report->windows[report->shown];
    head(p, report);
    page_markup(p, "<body>\n");
    contents(p);
    page_markup(p, "<main>\n");
    headline(p, report, window);
    for (int k = 0; k < SECTION_COUNT; k++) {
        page_markup(p,
                    "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n<h2 id=\"%s-heading\">%s"
                    "</h2>\n",
                    sections[k].id, sections[k].id, sections[k].id, sections[k].heading);
        sections[k].write(p, report, window);
        page_markup(p, "</section>\n");
    }
    page_markup(p, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", (const char *)html_js);
}

/* Put a text into a file that is there in full or not at all. */
static bool write_file(const char *path, const char *text, size_t size)
{
    const size_t room = strlen(path) + sizeof ".part";
    char *temporary = malloc(room);
    if (temporary == NULL)
        return false;
    snprintf(temporary, room, "%s.part", path);
    FILE *file = fopen(temporary, "wb");
    bool written = file != NULL && fwrite(text, 1, size, file) == size;
    if (file != NULL)
        written = fclose(file) == 0 && written;
    written = written && rename(temporary, path) == 0;
    const int reason = errno;
    if (!written && file != NULL)
        remove(temporary);
    free(temporary);
    errno = reason;
    return written;
}

bool prof_report_write_html(const prof_report *report, const char *path, prof_log *log)
{
    char *text = NULL;
    size_t size = 0;
    page p = {.file = open_memstream(&text, &size)};
    bool made = p.file != NULL;
    if (made) {
        write_page(&p, report);
        made = !p.failed && ferror(p.file) == 0;
        made = fclose(p.file) == 0 && made;
    }
    if (!made) {
        prof_warn(log, "%s: cannot be made: out of memory", path);
        free(text);
        return false;
    }
    prof_make_utf8(text); /* texts of a profile may be cut within a character */
    const bool written = write_file(path, text, size);
    if (!written)
        prof_warn(log, "%s: cannot be written: %s", path, strerror(errno));
    free(text);
    return written;
}
