/* Pictures as inline SVG: a frame with a title and a description, axes, text. Lengths are CSS
 * pixels of a picture at its full size. */
#ifndef PROFILING_REPORT_HTML_SVG_H
#define PROFILING_REPORT_HTML_SVG_H

#include "report/html/axis.h"
#include "report/html/number.h"
#include "html/page.h"

enum { SVG_WIDTH = 960 };

/* A figure with its picture: the id is "plot-<name>", the title is also the caption. The text that
 * follows from the format describes what is to be seen to those who cannot see it. */
void svg_begin(page *p, const char *name, int height, const char *title, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void svg_end(page *p);

/* Text at a place, of a class of page.css: "end" ends there, "middle" is centred. */
void svg_text(page *p, double x, double y, const char *class, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A bar with a hint that is shown when it is pointed at; the class names its colour. */
void svg_bar(page *p, double x, double y, double width, double height, const char *class,
             const char *format, ...) __attribute__((format(printf, 7, 8)));

/* Axes with lines through the picture at their ticks, and what they show. The lines of the axis
 * along x go from `top` to `bottom`, those of the axis along y from `left` to `right`. */
void svg_axis_x(page *p, const axis *x, double top, double bottom, scale s, const char *label);
void svg_axis_y(page *p, const axis *y, double left, double right, scale s, const char *label);

#endif
