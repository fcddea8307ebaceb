/* The page: its skeleton. */
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

static void contents(page *p)
{
    page_markup(p, "<nav aria-label=\"Contents\"><ul>\n");
    page_markup(p, "<li><a href=\"#headline\">Overview</a></li>\n");
    for (int k = 0; k < SECTION_COUNT; k++)
        page_markup(p, "<li><a href=\"#%s\">%s</a></li>\n", sections[k].id, sections[k].heading);
    page_markup(p, "</ul></nav>\n");
}

static void write_page(page *p, const void *subject)
{
    const prof_report *report = subject;
    const prof_report_window *window = &report->windows[report->shown];
    page_head(p, (const char *)html_css, "%s on %s: profile", report->case_name,
              report->device.name);
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

bool prof_report_write_html(const prof_report *report, const char *path, prof_log *log)
{
    return page_save(path, write_page, report, log);
}
