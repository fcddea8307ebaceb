#include "report/html/svg.h"

#include <math.h>
#include <stdarg.h>

void svg_begin(page *p, const char *name, int height, const char *title, const char *format, ...)
{
    char description[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(description, sizeof description, format, arguments);
    va_end(arguments);
    page_markup(p, "<figure id=\"figure-%s\">", name);
    page_element(p, "figcaption", NULL, "%s", title);
    /* wide pictures scroll within their frame, which the keyboard reaches for that */
    page_markup(p,
                "<div class=\"scroll\" tabindex=\"0\"><svg id=\"plot-%s\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-labelledby=\"%s-title %s-desc\"><title id=\"%s-title\">",
                name, SVG_WIDTH, height, name, name, name);
    page_text(p, title);
    page_markup(p, "</title><desc id=\"%s-desc\">", name);
    page_text(p, description);
    page_markup(p, "</desc>\n");
}

void svg_end(page *p)
{
    page_markup(p, "</svg></div></figure>\n");
}

void svg_text(page *p, double x, double y, const char *class, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    page_markup(p, "<text x=\"%.1f\" y=\"%.1f\"%s%s%s>", x, y, class[0] != '\0' ? " class=\"" : "",
                class, class[0] != '\0' ? "\"" : "");
    page_text(p, text);
    page_markup(p, "</text>\n");
}

void svg_bar(page *p, double x, double y, double width, double height, const char *class,
             const char *format, ...)
{
    char hint[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(hint, sizeof hint, format, arguments);
    va_end(arguments);
    page_markup(p,
                "<rect class=\"bar %s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">"
                "<title>",
                class, x, y, fmax(width, 0.0), height);
    page_text(p, hint);
    page_markup(p, "</title></rect>\n");
}

/* The number at a tick. Of decades the prefix changes along the axis: the exponent says it. */
static void tick_text(page *p, double x, double y, const char *class, const axis *a, scale s,
                      double value)
{
    if (!a->is_log) {
        svg_text(p, x, y, class, "%s", number_scaled(s, value).text);
        return;
    }
    const double shown = value / s.factor;
    if (shown > 0.9e-3 && shown < 1.1e4)
        svg_text(p, x, y, class, "%g", shown);
    else
        svg_text(p, x, y, class, "1e%d", (int)lround(log10(shown)));
}

static scale axis_scale(const axis *a, scale s, const double *ticks, int count)
{
    /* as many decimals as the steps between ticks need */
    if (!a->is_log && count > 1) {
        const double step = (ticks[1] - ticks[0]) / s.factor;
        double rest = step;
        s.decimals = 0;
        while (s.decimals < 6 && fabs(rest - round(rest)) > 1e-6) {
            rest *= 10.0;
            s.decimals++;
        }
    }
    return s;
}

static void axis_label(page *p, double x, double y, const char *class, scale s, const char *label)
{
    if (s.unit[0] != '\0')
        svg_text(p, x, y, class, "%s [%s]", label, s.unit);
    else
        svg_text(p, x, y, class, "%s", label);
}

void svg_axis_x(page *p, const axis *x, double top, double bottom, scale s, const char *label)
{
    double ticks[AXIS_TICKS_MOST];
    const int count = axis_ticks(x, 10, ticks);
    s = axis_scale(x, s, ticks, count);
    page_markup(p, "<path class=\"grid\" d=\"");
    for (int k = 0; k < count; k++)
        page_markup(p, "M%.1f %.1fV%.1f", axis_at(x, ticks[k]), top, bottom);
    page_markup(p, "\"/>\n");
    for (int k = 0; k < count; k++)
        tick_text(p, axis_at(x, ticks[k]), bottom + 16.0, "tick middle", x, s, ticks[k]);
    axis_label(p, x->to, bottom + 34.0, "axis end", s, label);
}

void svg_axis_y(page *p, const axis *y, double left, double right, scale s, const char *label)
{
    double ticks[AXIS_TICKS_MOST];
    const int count = axis_ticks(y, 5, ticks);
    s = axis_scale(y, s, ticks, count);
    page_markup(p, "<path class=\"grid\" d=\"");
    for (int k = 0; k < count; k++)
        page_markup(p, "M%.1f %.1fH%.1f", left, axis_at(y, ticks[k]), right);
    page_markup(p, "\"/>\n");
    for (int k = 0; k < count; k++)
        tick_text(p, left - 6.0, axis_at(y, ticks[k]) + 4.0, "tick end", y, s, ticks[k]);
    axis_label(p, left, y->to - 10.0, "axis", s, label);
}
