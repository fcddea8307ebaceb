/* The record of a study: the text is read as convergence.json and as bench.json. */
#include <string.h>

#include "cli/bench.h"
#include "cli/convergence_study.h"
#include "fuzz.h"

enum { REPEATS = 30 };

/* Open the record as a study does, without the folder. */
static bool open_record(cli_study *study, const char *path)
{
    *study = (cli_study){.directory = "."};
    study->reader = (reader){.log = &study->log, .pool = pool_create()};
    FUZZ_CHECK(study->reader.pool != NULL);
    return reader_open(&study->reader, path, &study->record);
}

static void close_record(cli_study *study)
{
    reader_close(&study->reader);
    pool_destroy(&study->reader.pool);
}

static void read_convergence(const char *path)
{
    static cli_convergence found;
    static cli_study study;
    swe_context ctx = {""};
    memset(&found, 0, sizeof found);
    if (open_record(&study, path)) {
        const swe_status status = cli_convergence_read(&ctx, &study, &found);
        FUZZ_CHECK(status == SWE_OK || (status == SWE_DATA && ctx.message[0] != '\0'));
        FUZZ_CHECK(found.count >= 0 && found.count <= CLI_MOST_ROWS);
    }
    close_record(&study);
}

static void read_bench(const char *path)
{
    static const cli_bench_variant variant = {SWE_PIPELINE_FUSED, SWE_PRECISION_DOUBLE, {NULL}};
    static double seconds[2][REPEATS], starting[2][REPEATS];
    static cli_study study;
    cli_bench_row rows[2];
    for (int k = 0; k < 2; k++)
        rows[k] = (cli_bench_row){.variant = &variant,
                                  .order = 4,
                                  .n = 8 + 4 * k,
                                  .seconds = seconds[k],
                                  .starting = starting[k]};
    cli_bench_study bench = {.repeats = REPEATS, .rows = rows, .count = 2};
    swe_context ctx = {""};
    if (open_record(&study, path)) {
        const swe_status status = cli_bench_read(&ctx, &study, &bench);
        FUZZ_CHECK(status == SWE_OK || ctx.message[0] != '\0');
        for (int k = 0; k < bench.count && status == SWE_OK; k++)
            FUZZ_CHECK(bench.rows[k].samples >= 0 && bench.rows[k].samples <= REPEATS);
        if (study.reader.status == SWE_LOADED)
            cli_bench_read_sizes(&ctx, &study, &bench);
        FUZZ_CHECK(bench.sizes.count <= CLI_MOST_LIST);
    }
    close_record(&study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[256];
    if (path[0] == '\0')
        fuzz_path("record.json", path);
    fuzz_write(path, data, size);
    read_convergence(path);
    read_bench(path);
    return 0;
}
