#include "report/html/table.h"

#include <math.h>

#include "report/html/colour.h"

void table_begin(page *p, const char *name, bool is_sortable, const char *caption)
{
    /* wide tables scroll within their frame, which the keyboard reaches for that */
    page_markup(
        p,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"caption-%s\">"
        "<table id=\"table-%s\"%s><caption id=\"caption-%s\">",
        name, name, is_sortable ? " class=\"sortable\"" : "", name);
    page_text(p, caption);
    page_markup(p, "</caption>\n");
}

void table_columns(page *p, const column *columns, int count)
{
    page_markup(p, "<thead><tr>");
    for (int k = 0; k < count; k++) {
        page_markup(p, "<th scope=\"col\"%s", columns[k].is_text ? " class=\"text\"" : "");
        if (columns[k].hint != NULL) {
            page_markup(p, " title=\"");
            page_text(p, columns[k].hint);
            page_markup(p, "\"");
        }
        page_markup(p, ">");
        page_element(p, "span", NULL, "%s", columns[k].heading);
        if (columns[k].unit != NULL && columns[k].unit[0] != '\0')
            page_element(p, "small", NULL, "%s", columns[k].unit);
        page_markup(p, "</th>");
    }
    page_markup(p, "</tr></thead>\n<tbody>\n");
}

void table_end(page *p)
{
    page_markup(p, "</tbody></table></div>\n");
}

void table_row_begin(page *p)
{
    page_markup(p, "<tr>");
}

void table_row_end(page *p)
{
    page_markup(p, "</tr>\n");
}

void table_heading(page *p, const char *text)
{
    page_markup(p, "<th scope=\"row\" class=\"text\">");
    page_text(p, text);
    page_markup(p, "</th>");
}

void table_stage(page *p, const char *stage, int colour)
{
    page_markup(p, "<th scope=\"row\" class=\"text\"><i class=\"swatch %s\"></i>",
                colour_class(colour));
    page_text(p, stage);
    page_markup(p, "</th>");
}

void table_text(page *p, const char *text)
{
    page_element(p, "td", "text", "%s", text);
}

void table_code(page *p, const char *text)
{
    page_markup(p, "<td class=\"text\"><code title=\"");
    page_text(p, text);
    page_markup(p, "\">");
    page_text(p, text);
    page_markup(p, "</code></td>");
}

/* The value is there for sorting; what is not known has none and comes last. */
static void number_cell(page *p, double value, const char *text)
{
    if (isfinite(value))
        page_markup(p, "<td data-value=\"%.9g\">%s</td>", value, text);
    else
        page_markup(p, "<td>%s</td>", text);
}

void table_number(page *p, scale s, double value)
{
    number_cell(p, value, number_scaled(s, value).text);
}

void table_count(page *p, int64_t count)
{
    number_cell(p, count < 0 ? NAN : (double)count, number_count(count).text);
}

void table_share(page *p, double share)
{
    if (!isfinite(share)) {
        number_cell(p, share, number_percent(share).text);
        return;
    }
    const double width = fmin(fmax(share, 0.0), 1.0);
    page_markup(p, "<td class=\"share\" style=\"--share:%.4f\" data-value=\"%.9g\">", width, share);
    page_text(p, number_percent(share).text);
    page_markup(p, "</td>");
}
