#include "cli/convergence_study.h"

#include <math.h>
#include <string.h>

#include "base/version.h"
#include "cli/folders.h"
#include "cli/plot.h"
#include "cli/result_json.h"

/* Whether a row is the first of its order. */
static bool is_first(const cli_convergence *study, int row)
{
    return row == 0 || study->rows[row - 1].order != study->rows[row].order;
}

void cli_convergence_insert(cli_convergence *study, int at, const swe_results *row, int threads)
{
    const size_t after = (size_t)(study->count - at);
    memmove(&study->rows[at + 1], &study->rows[at], after * sizeof study->rows[0]);
    memmove(&study->threads[at + 1], &study->threads[at], after * sizeof study->threads[0]);
    study->rows[at] = *row;
    study->threads[at] = threads;
    study->count++;
}

/* Observed order between the previous row and this one; NaN for the first of an order. */
static double rate(const cli_convergence *study, int row, double (*error)(const swe_results *))
{
    if (is_first(study, row))
        return NAN;
    const swe_results *coarse = &study->rows[row - 1], *fine = &study->rows[row];
    return log(error(coarse) / error(fine)) / log((double)fine->n / coarse->n);
}

/* Slope of log error against log 1/n over all rows of an order, by least squares. */
static double fit(const cli_convergence *study, int order, double (*error)(const swe_results *))
{
    double count = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int row = 0; row < study->count; row++) {
        if (study->rows[row].order != order)
            continue;
        const double x = -log(study->rows[row].n), y = log(error(&study->rows[row]));
        count += 1;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return count > 1 ? (count * sxy - sx * sy) / (count * sxx - sx * sx) : NAN;
}

/* Expected rate of l2: 2p inside panels; the error of closures of order p is confined to a strip of
 * width O(1/n) along panel edges. */
static double expected_rate(int order)
{
    const int p = order / 2;
    return fmin(2.0 * p, p + 1.5);
}

static double l2_of(const swe_results *r)
{
    return r->errors.l2;
}

static double linf_of(const swe_results *r)
{
    return r->errors.linf;
}

static double velocity_l2_of(const swe_results *r)
{
    return r->velocity_errors.l2;
}

static double velocity_linf_of(const swe_results *r)
{
    return r->velocity_errors.linf;
}

static double max_rms_of(const swe_results *r)
{
    return r->max_rms;
}

static double max_linf_of(const swe_results *r)
{
    return r->max_linf_abs;
}

static json_t *row_json(const cli_convergence *study, int row)
{
    const swe_results *r = &study->rows[row];
    json_t *out =
        json_pack("{s:i, s:i, s:f, s:I, s:i, s:f, s:o}", "order", r->order, "n", r->n, "dt", r->dt,
                  "steps", (json_int_t)r->steps, "threads", study->threads[row], "seconds",
                  r->seconds, "step_us", cli_json_step_time(r));
    cli_json_set_errors(out, r);
    const struct {
        const char *name;
        double value;
    } reals[] = {{"rate_l2", rate(study, row, l2_of)},
                 {"rate_linf", rate(study, row, linf_of)},
                 {"rate_velocity_l2", rate(study, row, velocity_l2_of)},
                 {"rate_velocity_linf", rate(study, row, velocity_linf_of)},
                 {"mass_drift", r->mass_drift},
                 {"energy_drift", r->energy_drift},
                 {"circulation_drift", r->circulation_drift}};
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++)
        json_object_set_new(out, reals[k].name, cli_json_real(reals[k].value));
    return out;
}

static int most_threads(const cli_convergence *study)
{
    int most = 0;
    for (int row = 0; row < study->count; row++)
        most = study->threads[row] > most ? study->threads[row] : most;
    return most;
}

static swe_status write_json(swe_context *ctx, const cli_convergence *study, const char *directory)
{
    json_t *rows = json_array(), *fits = json_array();
    for (int row = 0; row < study->count; row++) {
        json_array_append_new(rows, row_json(study, row));
        const int order = study->rows[row].order;
        if (is_first(study, row))
            json_array_append_new(
                fits, json_pack("{s:i, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "order", order,
                                "expected_rate", expected_rate(order), "l2",
                                cli_json_real(fit(study, order, l2_of)), "linf",
                                cli_json_real(fit(study, order, linf_of)), "max_rms",
                                cli_json_real(fit(study, order, max_rms_of)), "max_linf_abs",
                                cli_json_real(fit(study, order, max_linf_of)), "velocity_l2",
                                cli_json_real(fit(study, order, velocity_l2_of)), "velocity_linf",
                                cli_json_real(fit(study, order, velocity_linf_of))));
    }
    json_t *all = json_pack("{s:s, s:i, s:i, s:b, s:o, s:o}", "schema", "cubeswe-convergence",
                            "schema_version", 1, "threads", most_threads(study), "finished",
                            study->is_finished, "rows", rows, "fits", fits);
    if (all == NULL || json_object_update(all, (json_t *)study->facts) != 0) {
        json_decref(all);
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for convergence.json");
    }
    const swe_status status =
        study->count > 0 ? cli_page_write(ctx, directory, "convergence.html", all) : SWE_OK;
    if (status == SWE_OK)
        return cli_json_write(ctx, directory, "convergence.json", all);
    json_decref(all);
    return status;
}

/* A number; nothing if not finite. */
static void print_cell(FILE *file, const char *format, double value)
{
    if (isfinite(value))
        fprintf(file, format, value);
}

/* A comma and a number. */
static void print_next(FILE *file, const char *format, double value)
{
    fputc(',', file);
    print_cell(file, format, value);
}

static void print_csv(FILE *file, const cli_convergence *study)
{
    fputs("order,n,dt,steps,l1,l2,linf,l2_abs,linf_abs,rms,max_rms,max_linf_abs,velocity_l1,"
          "velocity_l2,velocity_linf,velocity_linf_abs,rate_l2,rate_linf,rate_velocity_l2,"
          "rate_velocity_linf,mass_drift,energy_drift,circulation_drift,seconds\n",
          file);
    for (int row = 0; row < study->count; row++) {
        const swe_results *r = &study->rows[row];
        const swe_velocity_errors *u = &r->velocity_errors;
        const double errors[] = {r->errors.l1,
                                 r->errors.l2,
                                 r->errors.linf,
                                 r->errors.l2_abs,
                                 r->errors.linf_abs,
                                 r->errors.rms,
                                 r->max_rms,
                                 r->max_linf_abs,
                                 u->l1,
                                 u->l2,
                                 u->linf,
                                 u->linf_abs};
        const double rates[] = {rate(study, row, l2_of), rate(study, row, linf_of),
                                rate(study, row, velocity_l2_of),
                                rate(study, row, velocity_linf_of)};
        fprintf(file, "%d,%d,%.17g,%ld", r->order, r->n, r->dt, r->steps);
        for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++)
            print_next(file, "%.9e", errors[k]);
        for (size_t k = 0; k < sizeof rates / sizeof rates[0]; k++)
            print_next(file, "%.4f", rates[k]);
        fprintf(file, ",%.3e,%.3e,%.3e,%.3f\n", r->mass_drift, r->energy_drift,
                r->circulation_drift, r->seconds);
    }
}

/* A table cell; blank if not finite. */
static void print_column(FILE *file, int width, const char *format, double value)
{
    char text[32] = "";
    if (isfinite(value))
        snprintf(text, sizeof text, format, value);
    fprintf(file, " %*s |", width, text);
}

/* Whether any row has errors of the velocity. */
static int has_velocity(const cli_convergence *study)
{
    for (int row = 0; row < study->count; row++)
        if (isfinite(study->rows[row].velocity_errors.l2))
            return 1;
    return 0;
}

static void print_velocity(FILE *file, const cli_convergence *study)
{
    fputs("\n| order |    n | u: l1     | u: l2     | u: linf   | rate l2 | rate linf |\n"
          "|------:|-----:|----------:|----------:|----------:|--------:|----------:|\n",
          file);
    for (int row = 0; row < study->count; row++) {
        const swe_velocity_errors *u = &study->rows[row].velocity_errors;
        fprintf(file, "| %5d | %4d |", study->rows[row].order, study->rows[row].n);
        print_column(file, 9, "%.3e", u->l1);
        print_column(file, 9, "%.3e", u->l2);
        print_column(file, 9, "%.3e", u->linf);
        print_column(file, 7, "%.2f", rate(study, row, velocity_l2_of));
        print_column(file, 9, "%.2f", rate(study, row, velocity_linf_of));
        fputc('\n', file);
    }
}

void cli_convergence_print(const cli_convergence *study, FILE *file)
{
    fputs("| order |    n | steps |    l1     |    l2     |   linf    | rate l2 | rate linf | mass "
          "drift | energy drift | seconds |\n"
          "|------:|-----:|------:|----------:|----------:|----------:|--------:|----------:|"
          "-----------:|-------------:|--------:|\n",
          file);
    for (int row = 0; row < study->count; row++) {
        const swe_results *r = &study->rows[row];
        fprintf(file, "| %5d | %4d | %5ld |", r->order, r->n, r->steps);
        print_column(file, 9, "%.3e", r->errors.l1);
        print_column(file, 9, "%.3e", r->errors.l2);
        print_column(file, 9, "%.3e", r->errors.linf);
        print_column(file, 7, "%.2f", rate(study, row, l2_of));
        print_column(file, 9, "%.2f", rate(study, row, linf_of));
        fprintf(file, " %10.1e | %12.1e | %7.2f |\n", r->mass_drift, r->energy_drift, r->seconds);
    }
    if (has_velocity(study))
        print_velocity(file, study);
}

static void print_fits(FILE *file, const cli_convergence *study, int order)
{
    fprintf(file, "| %d |", order);
    print_column(file, 0, "%.2f", fit(study, order, l2_of));
    print_column(file, 0, "%.2f", fit(study, order, linf_of));
    print_column(file, 0, "%.2f", fit(study, order, max_rms_of));
    print_column(file, 0, "%.2f", fit(study, order, max_linf_of));
    fputc('\n', file);
}

static void print_markdown(FILE *file, const cli_convergence *study)
{
    fprintf(file,
            "# Convergence of %s\n\ncubeswe %s on %s (%s). Errors are normalised by the "
            "exact solution.\n\n",
            CLI_MARKDOWN(study->case_name), swe_version, study->backend,
            CLI_MARKDOWN(study->device));
    cli_convergence_print(study, file);
    fputs("\n| order | fit l2 | fit linf | fit max rms | fit max linf |\n|--:|--:|--:|--:|--:|\n",
          file);
    for (int row = 0; row < study->count; row++) {
        const int order = study->rows[row].order;
        if (is_first(study, row))
            print_fits(file, study, order);
    }
}

/* The series of the `count` rows of an order, with a guide of the expected slope through its last
 * point. */
static cli_series series_of(const swe_results *rows, int count, const double *n, const double *l2)
{
    const int order = rows[0].order;
    const double first = n[0], last = n[count - 1], rate = expected_rate(order);
    cli_series series = {.x = n, .y = l2, .count = count, .colour = order / 2 - 1};
    snprintf(series.label, sizeof series.label, "order %d (dashed: slope %.3g)", order, rate);
    if (count > 1) {
        series.guide[0][0] = first;
        series.guide[0][1] = l2[count - 1] * pow(last / first, rate);
        series.guide[1][0] = last;
        series.guide[1][1] = l2[count - 1];
    }
    return series;
}

static void print_plot(FILE *file, const cli_convergence *study)
{
    double n[CLI_MOST_ROWS], l2[CLI_MOST_ROWS];
    cli_series series[CLI_MOST_LIST];
    char title[300];
    cli_plot plot = {title, "cells along a panel side, n", "relative l2 error of h", series, 0};
    snprintf(title, sizeof title, "Convergence of %s", study->case_name);
    for (int first = 0, end; first < study->count; first = end) {
        for (end = first; end < study->count && (end == first || !is_first(study, end)); end++) {
            n[end] = study->rows[end].n;
            l2[end] = study->rows[end].errors.l2;
        }
        series[plot.count++] = series_of(study->rows + first, end - first, n + first, l2 + first);
    }
    cli_plot_write(&plot, file);
}

static swe_status write_text(swe_context *ctx, const cli_convergence *study, const char *directory,
                             const char *name, void (*print)(FILE *, const cli_convergence *))
{
    swe_output_file out;
    SWE_TRY(cli_result_open(ctx, directory, name, &out));
    print(out.stream, study);
    return swe_durable_end(ctx, &out);
}

swe_status cli_convergence_write(swe_context *ctx, const cli_convergence *study,
                                 const char *directory)
{
    if (study->count > 0) {
        SWE_TRY(write_text(ctx, study, directory, "convergence.csv", print_csv));
        SWE_TRY(write_text(ctx, study, directory, "convergence.md", print_markdown));
        SWE_TRY(write_text(ctx, study, directory, "convergence.svg", print_plot));
    }
    return write_json(ctx, study, directory);
}

/* A row as read from JSON, with integers of 64 bits. */
typedef struct recorded_row {
    swe_results results; /* first member: fields of swe_results are read into a recorded_row */
    int64_t order, n, steps, threads;
} recorded_row;

/* Whether integers of a file are in the range of a row. */
static bool is_possible(const recorded_row *row)
{
    const int64_t most = 1 << 20;
    return row->order <= most && row->n > 0 && row->n <= most && row->threads <= most;
}

static void read_row(reader *r, const node *row, recorded_row *out)
{
    static const field fields[] = {
        {"order", FIELD_COUNT, offsetof(recorded_row, order)},
        {"n", FIELD_COUNT, offsetof(recorded_row, n)},
        {"steps", FIELD_COUNT, offsetof(recorded_row, steps)},
        {"threads", FIELD_COUNT, offsetof(recorded_row, threads)},
        {"dt", FIELD_NUMBER, offsetof(swe_results, dt)},
        {"seconds", FIELD_NUMBER, offsetof(swe_results, seconds)},
        {"mass_drift", FIELD_KNOWN, offsetof(swe_results, mass_drift)},
        {"energy_drift", FIELD_KNOWN, offsetof(swe_results, energy_drift)},
        {"circulation_drift", FIELD_KNOWN, offsetof(swe_results, circulation_drift)}};
    if (!json_is_object(row->value))
        reader_refuse(r, row, "is not an object");
    read_fields(r, row, FIELDS(fields), out);
    read_fields(r, row, cli_error_fields, CLI_ERRORS, &out->results);
    cli_read_step_time(r, row, &out->results);
    if (!is_possible(out))
        reader_refuse(r, row, "is not a row of a study");
    out->results.order = (int)out->order;
    out->results.n = (int)out->n;
    out->results.steps = (long)out->steps;
}

swe_status cli_convergence_read(swe_context *ctx, cli_study *record, cli_convergence *out)
{
    out->count = 0;
    if (record->record.value == NULL)
        return SWE_OK;
    reader *r = &record->reader;
    const field finished = {"finished", FIELD_FLAG, offsetof(cli_convergence, is_finished)};
    const node rows = read_array(r, &record->record, "rows");
    read_fields(r, &record->record, &finished, 1, out);
    if (read_size(&rows) > CLI_MOST_ROWS)
        reader_refuse(r, &rows, "has more rows than a study");
    refuse_duplicates(r, &rows, UNIQUE("order", "n"));
    for (size_t k = 0; k < read_size(&rows) && r->status == SWE_LOADED; k++) {
        const node row = read_item(&rows, k);
        recorded_row found = {.results = {.reference = SWE_REFERENCE_EXACT}};
        read_row(r, &row, &found);
        if (r->status == SWE_LOADED)
            cli_convergence_insert(out, out->count, &found.results, (int)found.threads);
    }
    return cli_study_read(ctx, record);
}
