#include "cli/bench.h"

#include <string.h>

#include "base/text.h"

/* The requested row that a recorded row matches; NULL: it was not requested. */
static cli_bench_row *find_row(const cli_bench_study *bench, const cli_bench_row *found)
{
    for (cli_bench_row *row = bench->rows; row < bench->rows + bench->count; row++)
        if (strcmp(swe_pipeline_name(row->variant->pipeline), found->pipeline) == 0 &&
            strcmp(swe_precision_name(row->variant->precision), found->precision) == 0 &&
            row->order == found->order && row->n == found->n)
            return row;
    return NULL;
}

/* Read at most `most` samples, each larger than 0. Returns the number in the file. */
static int read_samples(reader *r, const node *row, const char *key, int most, double *out)
{
    const node samples = read_array(r, row, key);
    const int count = (int)read_size(&samples);
    for (int k = 0; k < count && k < most && r->status == SWE_LOADED; k++) {
        out[k] = row_known(r, &samples, (size_t)k);
        if (!(out[k] > 0.0))
            reader_refuse(r, &samples, "has a sample that is not positive");
    }
    return count;
}

static void read_row(reader *r, const node *row, const cli_bench_row *found, int repeats,
                     cli_bench_row *out)
{
    const int64_t most = INT64_C(1) << 24, most_steps = INT64_C(1) << 40;
    const bool is_possible = found->batch > 0 && found->batch < most && found->host_batch < most &&
                             found->host_batch != 0 && found->steps < most_steps &&
                             found->threads < 1 << 20 && found->threads != 0;
    if (out->samples > 0)
        reader_refuse(r, row, "is a duplicate");
    if (!is_possible)
        reader_refuse(r, row, "is not a row of a bench");
    const int samples = read_samples(r, row, "seconds", repeats, out->seconds);
    if (found->host_batch > 0 &&
        read_samples(r, row, "host_seconds", repeats, out->starting) != samples)
        reader_refuse(r, row, "has different numbers of seconds and host_seconds");
    if (samples == 0)
        reader_refuse(r, row, "has no samples");
    out->samples = samples;
    out->waits = samples * json_number_value(json_object_get(row->value, "core_wait_share"));
    out->threads = found->threads > 0 ? found->threads : 0;
    out->batch = found->batch;
    out->host_batch = found->host_batch > 0 ? found->host_batch : 0;
    out->steps = out->steps_before = found->steps;
    out->max_h = found->max_h;
    snprintf(out->measured_text, sizeof out->measured_text, "%.31s", found->measured);
}

/* Read the rows of the record. Returns how many were not requested. */
static int read_rows(reader *r, const node *record, cli_bench_study *bench)
{
    int others = 0;
    const node rows = read_array(r, record, "rows");
    for (size_t k = 0; k < read_size(&rows) && r->status == SWE_LOADED; k++) {
        const node row = read_item(&rows, k);
        cli_bench_row found = {.pipeline = "", .precision = "", .measured = ""};
        if (!json_is_object(row.value))
            reader_refuse(r, &row, "is not an object");
        cli_row_read(r, &row, cli_bench_columns, &found);
        cli_bench_row *out = find_row(bench, &found);
        others += out == NULL;
        if (out != NULL)
            read_row(r, &row, &found, bench->repeats, out);
    }
    return others;
}

static void read_peaks(reader *r, const node *record, cli_bench_study *bench)
{
    const field threads = {"threads", FIELD_INTEGER, 0};
    int64_t count = 0;
    const node peaks = read_object(r, record, "ceilings", false);
    read_table(r, &peaks, cli_bench_peaks, &bench->peaks);
    read_fields(r, &peaks, &threads, 1, &count);
    const char *doubt = json_string_value(json_object_get(peaks.value, "not_reliable_because"));
    if (doubt != NULL)
        bench->peaks.doubt = strcmp(doubt, swe_peaks_not_ordered) == 0 ? swe_peaks_not_ordered
                                                                       : swe_doubt_of_waits(1.0);
    bench->threads = count > 0 && count < 1 << 20 ? (int)count : 0;
}

swe_status cli_bench_read(swe_context *ctx, cli_study *base, cli_bench_study *bench)
{
    for (int k = 0; k < bench->count; k++)
        bench->rows[k].samples = 0;
    if (base->record.value == NULL)
        return SWE_OK;
    read_peaks(&base->reader, &base->record, bench);
    const int others = read_rows(&base->reader, &base->record, bench);
    SWE_TRY(cli_study_read(ctx, base));
    if (others > 0)
        return cli_study_refuse_rows(ctx, base, others);
    base->is_finished = base->is_finished && cli_bench_done(bench) == bench->count;
    for (int k = 0; k < bench->count; k++)
        if (bench->rows[k].samples > bench->repeats)
            return swe_fail(ctx, SWE_CANNOT_CREATE,
                            "%.500s: holds rows of %d samples, more than --repeats %d "
                            "(--overwrite replaces them)",
                            base->directory, (int)bench->rows[k].samples, bench->repeats);
    return SWE_OK;
}

swe_status cli_bench_read_sizes(swe_context *ctx, cli_study *base, cli_bench_study *bench)
{
    reader *r = &base->reader;
    const field stopped = {"stopped", FIELD_TEXT, 0};
    const char *why = "";
    bench->sizes.count = 0;
    if (base->record.value == NULL)
        return SWE_OK;
    read_fields(r, &base->record, &stopped, 1, &why);
    for (const char *byte = why; *byte != '\0'; byte++)
        if (((unsigned char)*byte & 0xc0) != 0x80 && swe_unsafe_length(byte) > 0)
            reader_refuse(r, &base->record, "has control characters in 'stopped'");
    if (why[0] == '\0')
        return cli_study_read(ctx, base); /* the sizes were given on the command line */
    const node sizes = read_array(r, &base->record, "sizes");
    if (read_size(&sizes) > CLI_MOST_LIST)
        reader_refuse(r, &sizes, "has more sizes than a bench");
    for (size_t k = 0; k < read_size(&sizes) && r->status == SWE_LOADED; k++) {
        const int64_t n = row_integer(r, &sizes, k);
        if (n < 1 || n > 1 << 20)
            reader_refuse(r, &sizes, "has a size out of range");
        else
            bench->sizes.value[bench->sizes.count++] = (int)n;
    }
    snprintf(bench->stopped, sizeof bench->stopped, "%.255s", why);
    return cli_study_read(ctx, base);
}
