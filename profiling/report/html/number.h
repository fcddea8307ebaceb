/* Numbers as a reader wants them: three digits that count, and a unit. */
#ifndef PROFILING_REPORT_HTML_NUMBER_H
#define PROFILING_REPORT_HTML_NUMBER_H

#include <stdint.h>

typedef struct number {
    char text[40];
} number;

/* Quantities that choose their prefix: "1.15 ms", "21.3 MB", "812 GB/s". NAN is an en dash. */
number number_time(double ns);
number number_bytes(double bytes);
number number_bandwidth(double bytes_per_s);
number number_flop_rate(double per_s);
number number_flops(double count);
number number_hertz(double hertz);

number number_digits(double value);  /* three digits that count, without a unit */
number number_percent(double share); /* of a share, 0..1 */
number number_count(int64_t count);  /* thousands apart; an en dash below zero */

/* A column of one table, or an axis: all its numbers in one unit, with the same decimals. */
typedef struct scale {
    double factor; /* what a value is divided by */
    const char *unit;
    int decimals;
} scale;

/* The scale in which the largest value has three digits or a little more. */
scale scale_time(double most_ns);
scale scale_bytes(double most);
scale scale_bandwidth(double most);
scale scale_flop_rate(double most);
scale scale_flops(double most);
scale scale_count(double most);
scale scale_plain(double most);

number number_scaled(scale s, double value);

#endif
