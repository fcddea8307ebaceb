#include "cli/rows.h"

#include <math.h>
#include <string.h>

#include "cli/results.h"

static const void *value_at(const void *row, size_t offset)
{
    return (const char *)row + offset;
}

static json_t *value_json(field_kind kind, const void *value)
{
    const int64_t integer =
        kind == FIELD_COUNT || kind == FIELD_INTEGER ? *(const int64_t *)value : 0;
    switch (kind) {
    case FIELD_TEXT:
        return json_string(*(const char *const *)value);
    case FIELD_FLAG:
        return json_boolean(*(const bool *)value);
    case FIELD_COUNT:
        return json_integer(integer);
    case FIELD_INTEGER:
        return integer > 0 ? json_integer(integer) : json_null();
    default:
        return cli_json_real(*(const double *)value);
    }
}

void cli_row_set(json_t *object, const cli_column *columns, size_t count, const void *row)
{
    for (size_t k = 0; k < count; k++)
        if (columns[k].use != ROW_CSV)
            json_object_set_new(object, columns[k].key,
                                value_json(columns[k].kind, value_at(row, columns[k].offset)));
}

void cli_row_read(reader *r, const node *object, const cli_column *columns, size_t count, void *row)
{
    for (size_t k = 0; k < count; k++) {
        const field one = {columns[k].key, columns[k].kind, columns[k].offset};
        if (columns[k].use == ROW_READ)
            read_fields(r, object, &one, 1, row);
    }
}

enum { TEXT = 64 };

/* Print a number to `out`; "" if it is unknown. */
static void print_number(char out[TEXT], field_kind kind, const char *format, double scale,
                         const void *value)
{
    out[0] = '\0';
    if (kind == FIELD_COUNT || (kind == FIELD_INTEGER && *(const int64_t *)value > 0))
        snprintf(out, TEXT, format, (long long)*(const int64_t *)value);
    else if (kind != FIELD_INTEGER && isfinite(*(const double *)value))
        snprintf(out, TEXT, format, scale * *(const double *)value);
}

void cli_rows_csv(FILE *file, const cli_column *columns, size_t count, cli_rows rows)
{
    char text[TEXT];
    const char *comma = "";
    for (size_t k = 0; k < count; k++)
        if (columns[k].csv != NULL) {
            fprintf(file, "%s%s", comma, columns[k].key);
            comma = ",";
        }
    for (int row = 0; row < rows.count; row++) {
        comma = "\n";
        for (size_t k = 0; k < count; k++) {
            const void *value = value_at(rows.first, (size_t)row * rows.size + columns[k].offset);
            if (columns[k].csv == NULL)
                continue;
            if (columns[k].kind != FIELD_TEXT)
                print_number(text, columns[k].kind, columns[k].csv, 1.0, value);
            fprintf(file, "%s%s", comma,
                    columns[k].kind == FIELD_TEXT ? *(const char *const *)value : text);
            comma = ",";
        }
    }
    fputc('\n', file);
}

static void print_head(FILE *file, const cli_cell *cells, size_t count)
{
    static const char dashes[] = "----------------------------------------";
    for (size_t k = 0; k < count; k++)
        fprintf(file, "| %s ", cells[k].head);
    fputs(cells[count - 1].kind == FIELD_TEXT ? "\n" : "|\n", file);
    for (size_t k = 0; k < count; k++)
        fprintf(file, "|%.*s%s", (int)strlen(cells[k].head) + 1, dashes,
                cells[k].kind == FIELD_TEXT ? "-" : ":");
    fputs(cells[count - 1].kind == FIELD_TEXT ? "\n" : "|\n", file);
}

void cli_rows_table(FILE *file, const cli_cell *cells, size_t count, cli_rows rows)
{
    print_head(file, cells, count);
    for (int row = 0; row < rows.count; row++)
        for (size_t k = 0; k < count; k++) {
            const cli_cell *cell = &cells[k];
            const void *value = value_at(rows.first, (size_t)row * rows.size + cell->offset);
            const int width = (int)strlen(cell->head);
            const bool is_last = k + 1 == count;
            char text[TEXT];
            if (cell->kind == FIELD_TEXT) {
                fprintf(file, "| %-*s%s", is_last ? 0 : width, *(const char *const *)value,
                        is_last ? "\n" : " ");
                continue;
            }
            print_number(text, cell->kind, cell->format, cell->scale != 0.0 ? cell->scale : 1.0,
                         value);
            fprintf(file, "| %*s %s", width, text, is_last ? "|\n" : "");
        }
}

json_t *cli_json_quartiles(swe_quartiles q, double scale)
{
    return json_pack("{s:f, s:f, s:f, s:i}", "median", scale * q.median, "low_quartile",
                     scale * q.low, "high_quartile", scale * q.high, "samples", q.count);
}

swe_quartiles cli_read_quartiles(reader *r, const node *object, double scale)
{
    static const field fields[] = {{"median", FIELD_NUMBER, offsetof(swe_quartiles, median)},
                                   {"low_quartile", FIELD_NUMBER, offsetof(swe_quartiles, low)},
                                   {"high_quartile", FIELD_NUMBER, offsetof(swe_quartiles, high)}};
    static const field samples = {"samples", FIELD_COUNT, 0};
    swe_quartiles q = {0.0, 0.0, 0.0, 0};
    int64_t count = 0;
    read_fields(r, object, FIELDS(fields), &q);
    read_fields(r, object, &samples, 1, &count);
    return (swe_quartiles){q.low / scale, q.median / scale, q.high / scale, (int)count};
}
