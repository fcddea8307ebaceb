#include "cli/convergence.h"
#include "cli/report.h"

/* A row, its integers as a reader takes them. */
typedef struct recorded_row {
    swe_results results; /* first: fields of swe_results are fields of a row */
    int64_t order, n, steps, threads;
} recorded_row;

/* Integers of a file may be anything. */
static bool is_possible(const recorded_row *row)
{
    const int64_t most = 1 << 20;
    return row->order <= most && row->n > 0 && row->n <= most && row->threads <= most;
}

static void take_row(reader *r, const node *row, recorded_row *out)
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
        reader_refuse(r, row, "is no object");
    read_fields(r, row, FIELDS(fields), out);
    read_fields(r, row, cli_error_fields, CLI_ERRORS, &out->results);
    cli_read_step_time(r, row, &out->results);
    if (!is_possible(out))
        reader_refuse(r, row, "is no row of a study");
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
    for (size_t k = 0; k < read_size(&rows) && r->status == PROF_LOADED; k++) {
        const node row = read_item(&rows, k);
        recorded_row found = {.results = {.reference = SWE_REFERENCE_EXACT}};
        take_row(r, &row, &found);
        if (r->status == PROF_LOADED)
            cli_convergence_insert(out, out->count, &found.results, (int)found.threads);
    }
    return cli_study_read(ctx, record);
}
