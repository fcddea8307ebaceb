/* An axis: values to places in a picture, and where its ticks are. */
#ifndef PROFILING_REPORT_HTML_AXIS_H
#define PROFILING_REPORT_HTML_AXIS_H

#include <stdbool.h>

enum { AXIS_TICKS_MOST = 32 };

typedef struct axis {
    double low, high; /* values; positive if logarithmic */
    double from, to;  /* their places */
    bool is_log;
    bool is_whole; /* of whole numbers: no tick is between them */
} axis;

/* From zero to the first round number at or above `most`. */
axis axis_from_zero(double most, double from, double to);
/* Logarithmic, from power of ten to power of ten, around two positive values. */
axis axis_decades(double low, double high, double from, double to);

double axis_at(const axis *a, double value);

/* Values of ticks, about `wanted` of them; of a logarithmic axis powers of ten. */
int axis_ticks(const axis *a, int wanted, double ticks[AXIS_TICKS_MOST]);

#endif
