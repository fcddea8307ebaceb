/* Log-log plots as SVG. */
#ifndef SWE_CLI_PLOT_H
#define SWE_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

/* A line; its points ascend along x, those that no logarithm has are left out. */
typedef struct cli_series {
    char label[96];
    const double *x, *y;
    int count;
    int colour;         /* the same for what belongs together, from 0 */
    double guide[2][2]; /* a dashed line from one (x, y) to the other, cut off at the frame; x 0:
                           none */
} cli_series;

/* Marks on the x axis stand where the first series has its points. */
typedef struct cli_plot {
    const char *title; /* any text */
    const char *x_label, *y_label;
    const cli_series *series;
    int count;
} cli_plot;

void cli_plot_write(const cli_plot *plot, FILE *file);

#endif
