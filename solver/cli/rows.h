/* Rows of results. One list of columns serves the members of the JSON, the reader that continues
 * from them, and the CSV; a list of cells is a table in Markdown. Log-log plots as SVG. */
#ifndef SWE_CLI_ROWS_H
#define SWE_CLI_ROWS_H

#include <stdio.h>

#include "base/json_reader.h"
#include "base/samples.h"

/* ROW_READ: written to the JSON and read back; ROW_DERIVED: written; ROW_CSV: in the CSV only. */
typedef enum cli_use { ROW_READ, ROW_DERIVED, ROW_CSV } cli_use;

/* A member of a row. FIELD_INTEGER is unknown unless it is positive, a number unless it is finite:
 * null in the JSON, an empty cell elsewhere. */
typedef struct cli_column {
    const char *key;        /* in the JSON, and the head of the column of the CSV */
    const field_type *type; /* FIELD_TEXT, _COUNT, _INTEGER, _FLAG, _NUMBER or _KNOWN */
    size_t offset;
    const char *csv; /* format of printf, of integers with ll; NULL: not in the CSV */
    cli_use use;
} cli_column;

/* Set the members of an object from a row. */
void cli_row_set(json_t *object, const cli_column *columns, size_t count, const void *row);

/* Read the members of a row that have the use ROW_READ; errors are those of read_fields. */
void cli_row_read(reader *reader, const node *object, const cli_column *columns, size_t count,
                  void *row);

/* An array of rows in memory. */
typedef struct cli_rows {
    const void *first;
    int count;
    size_t size; /* of a row [bytes] */
} cli_rows;

void cli_rows_csv(FILE *file, const cli_column *columns, size_t count, cli_rows rows);

/* A column of a table. Numbers are aligned to the right; a text in the last cell is not padded. */
typedef struct cli_cell {
    const char *head; /* padded to the width of the column */
    const field_type *type;
    size_t offset;
    const char *format; /* as of cli_column */
    double scale;       /* factor of a number, whose format is then that of a real; 0: none */
} cli_cell;

void cli_rows_table(FILE *file, const cli_cell *cells, size_t count, cli_rows rows);

/* A time with its quartiles, in units of 1/scale seconds, as an object. */
json_t *cli_json_quartiles(swe_quartiles seconds, double scale);
/* Read such an object back into seconds. */
swe_quartiles cli_read_quartiles(reader *reader, const node *object, double scale);

/* Columns of the errors of swe_results, for a row whose first member that is. */
#define ROW_ERROR(name, member)                                                                    \
    {                                                                                              \
        name, FIELD_KNOWN, offsetof(swe_results, member), "%.9e", ROW_READ                         \
    }
#define ROW_ERRORS                                                                                 \
    ROW_ERROR("l1", errors.l1), ROW_ERROR("l2", errors.l2), ROW_ERROR("linf", errors.linf),        \
        ROW_ERROR("l2_abs", errors.l2_abs), ROW_ERROR("linf_abs", errors.linf_abs),                \
        ROW_ERROR("rms", errors.rms), ROW_ERROR("max_rms", max_rms),                               \
        ROW_ERROR("max_linf_abs", max_linf_abs), ROW_ERROR("velocity_l1", velocity_errors.l1),     \
        ROW_ERROR("velocity_l2", velocity_errors.l2),                                              \
        ROW_ERROR("velocity_linf", velocity_errors.linf),                                          \
        ROW_ERROR("velocity_linf_abs", velocity_errors.linf_abs)

/* ---- plots ----------------------------------------------------------------------------------- */

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
