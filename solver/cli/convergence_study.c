#include "cli/convergence_study.h"

#include <math.h>
#include <string.h>

#include "base/version.h"
#include "cli/results.h"

/* Errors whose rates are computed: the first RATES between two rows, all over the rows of an order.
 */
static const size_t measured[] = {offsetof(swe_results, errors.l2),
                                  offsetof(swe_results, errors.linf),
                                  offsetof(swe_results, velocity_errors.l2),
                                  offsetof(swe_results, velocity_errors.linf),
                                  offsetof(swe_results, max_rms),
                                  offsetof(swe_results, max_linf_abs)};
enum { MEASURED = sizeof measured / sizeof measured[0] };

static double error_of(const cli_convergence_row *row, int k)
{
    return *(const double *)(const void *)((const char *)&row->results + measured[k]);
}

/* Whether a row is the first of its order. */
static bool is_first(const cli_convergence *study, int row)
{
    return row == 0 || study->rows[row - 1].order != study->rows[row].order;
}

/* Set the observed orders between each row and the one before it; NaN for the first of an order. */
static void set_rates(cli_convergence *study)
{
    for (int k = 0; k < study->count; k++)
        for (int e = 0; e < CLI_RATES; e++) {
            cli_convergence_row *fine = &study->rows[k];
            const cli_convergence_row *coarse = fine - !is_first(study, k);
            fine->rate[e] = coarse == fine ? NAN
                                           : log(error_of(coarse, e) / error_of(fine, e)) /
                                                 log((double)fine->n / (double)coarse->n);
        }
}

const cli_convergence_row *cli_convergence_find(const cli_convergence *study, int order, int n)
{
    for (int k = 0; k < study->count; k++)
        if (study->rows[k].order == order && study->rows[k].n == n)
            return &study->rows[k];
    return NULL;
}

/* Index of an order in the request. */
static int rank_of(const cli_options *options, int64_t order)
{
    int k = 0;
    while (k < options->order.count && options->order.value[k] != order)
        k++;
    return k;
}

void cli_convergence_insert(cli_convergence *study, const swe_results *results, int threads,
                            double half_step_l2)
{
    /* the rows are by order, as requested, and size */
    const int rank = rank_of(&study->base.options, results->order);
    int at = 0;
    while (at < study->count &&
           (rank_of(&study->base.options, study->rows[at].order) < rank ||
            (study->rows[at].order == results->order && study->rows[at].n < results->n)))
        at++;
    const double n = results->n;
    const char *doubt = swe_doubt_of_waits(results->step_seconds.waited);
    cli_convergence_row *row = &study->rows[at];
    memmove(row + 1, row, (size_t)(study->count - at) * sizeof *row);
    *row = (cli_convergence_row){.results = *results,
                                 .order = results->order,
                                 .n = results->n,
                                 .steps = results->steps,
                                 .threads = threads,
                                 .evaluations = 4.0 * (double)results->steps * SWE_PANELS *
                                                (n + 1.0) * (3.0 * n + 1.0),
                                 .half_step_l2 = half_step_l2,
                                 .shown_seconds = doubt == NULL ? results->seconds : NAN,
                                 .doubt = doubt};
    study->base.done = ++study->count;
    set_rates(study);
}

/* Expected rate of an l2 error where errors of the closures, of order p, dominate: they are
 * confined to a strip of width O(1/n) along panel edges, which adds 1/2, and linear waves carry
 * them away, which adds 1 for h. Inside panels it is 2p, as measured in nonlinear flows at order 2.
 * NaN: errors of the case have no such rate (validation/nonlinear). */
static double expected_rate(const cli_convergence *study, int64_t order, bool of_velocity)
{
    const double p = 0.5 * (double)order;
    const bool is_linear = study->equations == SWE_LINEAR;
    if (study->caution != NULL)
        return NAN;
    return is_linear && !of_velocity  ? fmin(2.0 * p, p + 1.5)
           : !is_linear && order == 2 ? 2.0
                                      : p + 0.5;
}

/* The rows of one order, and the slopes of log error against log 1/n over them, by least squares.
 */
typedef struct fits {
    int64_t order;
    double expected_rate, expected_velocity_rate, fit[MEASURED];
} fits;

static double fit(const cli_convergence *study, int64_t order, int e)
{
    double count = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int row = 0; row < study->count; row++) {
        if (study->rows[row].order != order)
            continue;
        const double x = -log((double)study->rows[row].n), y = log(error_of(&study->rows[row], e));
        count += 1;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return count > 1 ? (count * sxy - sx * sy) / (count * sxx - sx * sx) : NAN;
}

/* ---- columns --------------------------------------------------------------------------------- */

#define ROW(member)    offsetof(cli_convergence_row, member)
#define RESULT(member) offsetof(swe_results, member)
#define FIT(member)    offsetof(fits, member)

/* Tables in Markdown: errors of h, then of the velocity. */
enum { TABLE_H = 1, TABLE_VELOCITY = 2 };

static const cli_column columns[] = {
    {"order", FIELD_COUNT, ROW(order), ROW_READ, "%lld", "order", "%lld", 0.0, 3},
    {"n", FIELD_COUNT, ROW(n), ROW_READ, "%lld", "   n", "%lld", 0.0, 3},
    {"dt", FIELD_NUMBER, RESULT(dt), ROW_READ, "%.17g", NO_CELL},
    {"steps", FIELD_COUNT, ROW(steps), ROW_READ, "%lld", CELL("steps", "%lld")},
    {"threads", FIELD_COUNT, ROW(threads), ROW_READ, NULL, NO_CELL},
    ROW_ERRORS,
    {"rate_l2", FIELD_KNOWN, ROW(rate[0]), ROW_JSON, "%.4f", CELL("rate l2", "%.2f")},
    {"rate_linf", FIELD_KNOWN, ROW(rate[1]), ROW_JSON, "%.4f", CELL("rate linf", "%.2f")},
    {"rate_velocity_l2", FIELD_KNOWN, ROW(rate[2]), ROW_JSON, "%.4f", "rate l2", "%.2f", 0.0, 2},
    {"rate_velocity_linf", FIELD_KNOWN, ROW(rate[3]), ROW_JSON, "%.4f", "rate linf", "%.2f", 0.0,
     2},
    {"mass_drift", FIELD_KNOWN, RESULT(mass_drift), ROW_READ, "%.3e", CELL("mass drift", "%.1e")},
    {"energy_drift", FIELD_KNOWN, RESULT(energy_drift), ROW_READ, "%.3e",
     CELL("energy drift", "%.1e")},
    {"circulation_drift", FIELD_KNOWN, RESULT(circulation_drift), ROW_READ, "%.3e", NO_CELL},
    {"evaluations", FIELD_NUMBER, ROW(evaluations), ROW_JSON, "%.0f", NO_CELL},
    {"seconds", FIELD_NUMBER, RESULT(seconds), ROW_READ, "%.3f", NO_CELL},
    {"seconds", FIELD_KNOWN, ROW(shown_seconds), ROW_SHOWN, NULL, CELL("seconds", "%.2f")},
    {"core_wait_share", FIELD_KNOWN, RESULT(step_seconds.waited), ROW_JSON, NULL, NO_CELL},
    {"half_step_l2", FIELD_KNOWN, ROW(half_step_l2), ROW_JSON, NULL, NO_CELL},
    {"not_reliable_because", FIELD_TEXT, ROW(doubt), ROW_JSON, NULL, NO_CELL},
    COLUMNS_END};

static const cli_column fit_columns[] = {
    {"order", FIELD_COUNT, FIT(order), ROW_JSON, NULL, CELL("order", "%lld")},
    {"expected_rate", FIELD_KNOWN, FIT(expected_rate), ROW_JSON, NULL, NO_CELL},
    {"expected_velocity_rate", FIELD_KNOWN, FIT(expected_velocity_rate), ROW_JSON, NULL, NO_CELL},
    {"l2", FIELD_KNOWN, FIT(fit[0]), ROW_JSON, NULL, CELL("fit l2", "%.2f")},
    {"linf", FIELD_KNOWN, FIT(fit[1]), ROW_JSON, NULL, CELL("fit linf", "%.2f")},
    {"velocity_l2", FIELD_KNOWN, FIT(fit[2]), ROW_JSON, NULL, NO_CELL},
    {"velocity_linf", FIELD_KNOWN, FIT(fit[3]), ROW_JSON, NULL, NO_CELL},
    {"max_rms", FIELD_KNOWN, FIT(fit[4]), ROW_JSON, NULL, CELL("fit max rms", "%.2f")},
    {"max_linf_abs", FIELD_KNOWN, FIT(fit[5]), ROW_JSON, NULL, CELL("fit max linf", "%.2f")},
    {"expected_rate", FIELD_KNOWN, FIT(expected_rate), ROW_SHOWN, NULL,
     CELL("expected l2", "%.1f")},
    {"of_u", FIELD_KNOWN, FIT(expected_velocity_rate), ROW_SHOWN, NULL, CELL("of u", "%.1f")},
    COLUMNS_END};

/* Fits of all orders. */
static cli_rows find_fits(const cli_convergence *study, fits out[CLI_MOST_LIST])
{
    int count = 0;
    for (int row = 0; row < study->count; row++) {
        const int64_t order = study->rows[row].order;
        if (!is_first(study, row))
            continue;
        const bool has_velocity = isfinite(study->rows[row].results.velocity_errors.l2);
        out[count].order = order;
        out[count].expected_rate = expected_rate(study, order, false);
        out[count].expected_velocity_rate = has_velocity ? expected_rate(study, order, true) : NAN;
        for (int e = 0; e < MEASURED; e++)
            out[count].fit[e] = fit(study, order, e);
        count++;
    }
    return (cli_rows){fit_columns, out, count, sizeof out[0]};
}

cli_rows cli_convergence_rows(const void *what)
{
    const cli_convergence *study = what;
    return (cli_rows){columns, study->rows, study->count, sizeof study->rows[0]};
}

/* ---- documents ------------------------------------------------------------------------------- */

static json_t *step_json(const void *row)
{
    const swe_results *results = row;
    return json_pack("{s:o}", "step_us", cli_json_quartiles(results->step_seconds, 1e6));
}

json_t *cli_convergence_json(const void *what)
{
    const cli_convergence *study = what;
    fits found[CLI_MOST_LIST];
    int64_t most_threads = 0;
    for (int k = 0; k < study->count; k++)
        if (study->rows[k].threads > most_threads)
            most_threads = study->rows[k].threads;
    return json_pack("{s:s, s:i, s:I, s:b, s:o, s:o, s:o}", "schema", "cubeswe-convergence",
                     "schema_version", 1, "threads", (json_int_t)most_threads, "finished",
                     study->base.is_finished, "error",
                     swe_json_real(study->error > 0.0 ? study->error : NAN), "rows",
                     cli_rows_json(cli_convergence_rows(study), step_json), "fits",
                     cli_rows_json(find_fits(study, found), NULL));
}

void cli_convergence_print(FILE *file, const cli_convergence *study)
{
    bool has_velocity = false; /* any row has errors of the velocity */
    for (int row = 0; row < study->count; row++)
        has_velocity |= isfinite(study->rows[row].results.velocity_errors.l2);
    cli_rows_table(file, cli_convergence_rows(study), TABLE_H);
    for (int row = 0; row < study->count; row++)
        if (study->rows[row].doubt != NULL)
            fprintf(file, "\nSeconds of order %d, n = %d: not reliable, because %s.\n",
                    (int)study->rows[row].order, (int)study->rows[row].n, study->rows[row].doubt);
    for (int row = 0; row < study->count; row++)
        if (isfinite(study->rows[row].half_step_l2)) {
            const double l2 = study->rows[row].results.errors.l2,
                         change = fabs(l2 - study->rows[row].half_step_l2);
            fprintf(file,
                    "%sTime step of order %d, n = %d: half of it changes l2 by %.1e, %.2g %%.\n",
                    row == 0 ? "\n" : "", (int)study->rows[row].order, (int)study->rows[row].n,
                    change, 100.0 * change / l2);
        }
    if (!has_velocity)
        return;
    fputc('\n', file);
    cli_rows_table(file, cli_convergence_rows(study), TABLE_VELOCITY);
}

void cli_convergence_markdown(FILE *file, const void *what)
{
    const cli_convergence *study = what;
    fits found[CLI_MOST_LIST];
    fprintf(file,
            "# Convergence of %s\n\ncubeswe %s on %s (%s). Errors are normalised by the "
            "exact solution.\n\n",
            CLI_MARKDOWN(cli_study_fact(&study->base, "case")), swe_version,
            cli_study_fact(&study->base, "backend"),
            CLI_MARKDOWN(cli_study_fact(&study->base, "device")));
    cli_convergence_print(file, study);
    fputc('\n', file);
    cli_rows_table(file, find_fits(study, found), 1);
}

/* The rows of an order, with a guide of the expected slope, if one is, through the last point. */
cli_series cli_convergence_series(const void *what, int first, int number)
{
    (void)number;
    const cli_convergence *study = what;
    const cli_convergence_row *row = &study->rows[first];
    const double rate = expected_rate(study, row->order, false);
    cli_series series = {.count = 1, .colour = (int)row->order / 2 - 1};
    while (first + series.count < study->count && !is_first(study, first + series.count))
        series.count++;
    const cli_convergence_row *last = &row[series.count - 1];
    const int length = snprintf(series.label, sizeof series.label, "order %d", (int)row->order);
    if (series.count > 1 && isfinite(rate)) {
        const double from = (double)row->n, to = (double)last->n, l2 = last->results.errors.l2;
        snprintf(series.label + length, sizeof series.label - (size_t)length,
                 " (dashed: slope %.3g)", rate);
        series.guide[0][0] = from;
        series.guide[0][1] = l2 * pow(to / from, rate);
        series.guide[1][0] = to;
        series.guide[1][1] = l2;
    }
    return series;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_row(reader *r, const node *row, cli_convergence_row *out)
{
    const int64_t most = 1 << 20;
    if (!json_is_object(row->value))
        reader_refuse(r, row, "is not an object");
    cli_row_read(r, row, columns, out);
    const node times = read_object(r, row, "step_us", false);
    out->results.step_seconds = cli_read_quartiles(r, &times, 1e6);
    out->results.step_seconds.waited =
        json_number_value(json_object_get(row->value, "core_wait_share")); /* 0 in earlier files */
    const json_t *half_step = json_object_get(row->value, "half_step_l2"); /* not in earlier ones */
    out->half_step_l2 = json_is_real(half_step) ? json_real_value(half_step) : NAN;
    if (out->order > most || out->n <= 0 || out->n > most || out->threads > most)
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
    out->recorded_error = json_number_value(json_object_get(record->record.value, "error"));
    const node rows = read_array(r, &record->record, "rows");
    if (read_size(&rows) > CLI_MOST_ROWS)
        reader_refuse(r, &rows, "has more rows than a study");
    refuse_duplicates(r, &rows, UNIQUE("order", "n"));
    for (size_t k = 0; k < read_size(&rows) && r->status == SWE_LOADED; k++) {
        const node row = read_item(&rows, k);
        cli_convergence_row found = {.results = {.reference = SWE_REFERENCE_EXACT}};
        read_row(r, &row, &found);
        if (r->status == SWE_LOADED)
            cli_convergence_insert(out, &found.results, (int)found.threads, found.half_step_l2);
    }
    return cli_study_read(ctx, record);
}
