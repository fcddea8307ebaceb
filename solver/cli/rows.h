/* Rows of results. One list of columns serves the members of the JSON, the reader that continues
 * from them, the CSV and tables in Markdown. Log-log plots as SVG. */
#ifndef SWE_CLI_ROWS_H
#define SWE_CLI_ROWS_H

#include <stdio.h>

#include "base/json_reader.h"
#include "base/samples.h"

/* ROW_READ: written to the JSON and read back; ROW_JSON: written; ROW_SHOWN: not in the JSON. */
typedef enum cli_use { ROW_READ, ROW_JSON, ROW_SHOWN } cli_use;

/* A member of a row. FIELD_INTEGER is unknown unless it is positive, a number unless it is finite:
 * null in the JSON, an empty cell elsewhere. */
typedef struct cli_column {
    const char *key;        /* in the JSON, and the head of the column of the CSV */
    const field_type *type; /* FIELD_TEXT, _COUNT, _INTEGER, _FLAG, _NUMBER or _KNOWN */
    size_t offset;
    cli_use use;
    const char *csv; /* format of printf, of integers with ll; NULL: not in the CSV */
    /* The cell of tables in Markdown. Numbers are aligned to the right; a text in the last one is
     * not padded. */
    const char *head;   /* padded to the width of the column; NULL: in no table */
    const char *format; /* as of csv; a text with one is aligned to the right */
    double scale;       /* factor of the number; `format` is then the format of a real; 0: none */
    unsigned tables;    /* bits of the tables that have it */
} cli_column;

#define COLUMNS_END                                                                                \
    {                                                                                              \
        .key = NULL                                                                                \
    }
#define NO_CELL            NULL, NULL, 0.0, 0
#define CELL(head, format) head, format, 0.0, 1 /* of the first table */

/* Set the members of an object from a row. Lists of columns end with COLUMNS_END. */
void cli_row_set(json_t *object, const cli_column *columns, const void *row);

/* Read the members of a row that have the use ROW_READ; errors as in read_fields. */
void cli_row_read(reader *reader, const node *object, const cli_column *columns, void *row);

/* An array of rows in memory. */
typedef struct cli_rows {
    const cli_column *columns;
    const void *first;
    int count;
    size_t size; /* of a row [bytes] */
} cli_rows;

void cli_rows_csv(FILE *file, cli_rows rows);

/* Return the rows as an array of objects, which the caller owns. `first` creates an object with the
 * members that precede the columns; NULL: no such members. */
json_t *cli_rows_json(cli_rows rows, json_t *(*first)(const void *row));

/* Print the columns that have the bit `table` in `tables`, as a Markdown table. */
void cli_rows_table(FILE *file, cli_rows rows, unsigned table);

/* A time with its quartiles, in units of 1/scale seconds, as an object. */
json_t *cli_json_quartiles(swe_quartiles seconds, double scale);
/* Read such an object back into seconds. */
swe_quartiles cli_read_quartiles(reader *reader, const node *object, double scale);

/* Columns of the errors of swe_results, for a row whose first member that is. */
#define ROW_ERROR(name, member, ...)                                                               \
    {                                                                                              \
        name, FIELD_KNOWN, offsetof(swe_results, member), ROW_READ, "%.9e", __VA_ARGS__            \
    }
#define ROW_ERRORS                                                                                 \
    ROW_ERROR("l1", errors.l1, CELL("   l1    ", "%.3e")),                                         \
        ROW_ERROR("l2", errors.l2, CELL("   l2    ", "%.3e")),                                     \
        ROW_ERROR("linf", errors.linf, CELL("  linf   ", "%.3e")),                                 \
        ROW_ERROR("l2_abs", errors.l2_abs, NO_CELL),                                               \
        ROW_ERROR("linf_abs", errors.linf_abs, NO_CELL), ROW_ERROR("rms", errors.rms, NO_CELL),    \
        ROW_ERROR("max_rms", max_rms, NO_CELL), ROW_ERROR("max_linf_abs", max_linf_abs, NO_CELL),  \
        ROW_ERROR("velocity_l1", velocity_errors.l1, "u: l1    ", "%.3e", 0.0, 2),                 \
        ROW_ERROR("velocity_l2", velocity_errors.l2, "u: l2    ", "%.3e", 0.0, 2),                 \
        ROW_ERROR("velocity_linf", velocity_errors.linf, "u: linf  ", "%.3e", 0.0, 2),             \
        ROW_ERROR("velocity_linf_abs", velocity_errors.linf_abs, NO_CELL)

/* ---- plots ----------------------------------------------------------------------------------- */

/* A line with points: rows of one kind, one after another. */
typedef struct cli_series {
    char label[96];
    int count;          /* of rows */
    int colour;         /* index; series that belong together share it */
    double guide[2][2]; /* dashed line between two points (x, y), clipped to the axes; x 0: none */
} cli_series;

/* The ticks of the x axis are the points of the first series. Points whose y has no logarithm are
 * left out. */
typedef struct cli_plot {
    const char *title; /* any text */
    const char *y_label;
    cli_rows rows;
    size_t x, y; /* offsets in a row: of the int64_t cells along a panel side, of a double */
    const void *study;
    /* The series whose first row is `first`; `number` of them stand before it. */
    cli_series (*series)(const void *study, int first, int number);
} cli_plot;

void cli_plot_write(const cli_plot *plot, FILE *file);

#endif
