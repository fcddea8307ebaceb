/* Log-log plots as SVG. */
#ifndef SWE_CLI_PLOT_H
#define SWE_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

/* A line with points. x ascends; points without a logarithm are left out. */
typedef struct cli_series {
    char label[96];
    const double *x, *y;
    int count;
    int colour;         /* index; series that belong together share it */
    double guide[2][2]; /* dashed line between two points (x, y), clipped to the axes; x 0: none */
} cli_series;

/* The ticks of the x axis are the points of the first series. */
typedef struct cli_plot {
    const char *title; /* any text */
    const char *x_label, *y_label;
    const cli_series *series;
    int count;
} cli_plot;

void cli_plot_write(const cli_plot *plot, FILE *file);

#endif
