/* The record of a study: the text is read as convergence.json and as bench.json. */
#include <string.h>

#include "cli/bench.h"
#include "cli/convergence.h"
#include "fuzz.h"

enum { REPEATS = 30 };

/* Open the record as a study does, without the folder. */
static bool open_record(cli_study *kept, const char *path)
{
    *kept = (cli_study){.directory = ".", .name = "record"};
    kept->reader = (reader){.log = &kept->log, .pool = pool_create()};
    FUZZ_CHECK(kept->reader.pool != NULL);
    return reader_open(&kept->reader, path, &kept->record);
}

static void close_record(cli_study *kept)
{
    reader_close(&kept->reader);
    pool_destroy(&kept->reader.pool);
}

static void read_convergence(const char *path)
{
    static cli_convergence found;
    static cli_study kept;
    swe_context ctx = {""};
    memset(&found, 0, sizeof found);
    if (open_record(&kept, path)) {
        const swe_status status = cli_convergence_read(&ctx, &kept, &found);
        FUZZ_CHECK(status == SWE_OK || (status == SWE_DATA && ctx.message[0] != '\0'));
        FUZZ_CHECK(found.count >= 0 && found.count <= CLI_MOST_ROWS);
    }
    close_record(&kept);
}

static void read_bench(const char *path)
{
    static const cli_bench_way way = {SWE_PIPELINE_FUSED, SWE_PRECISION_DOUBLE, {NULL}};
    static double seconds[2][REPEATS], starting[2][REPEATS];
    static cli_study kept;
    cli_bench_row rows[2];
    for (int k = 0; k < 2; k++)
        rows[k] = (cli_bench_row){.way = &way,
                                  .order = 4,
                                  .n = 8 + 4 * k,
                                  .seconds = seconds[k],
                                  .starting = starting[k]};
    cli_bench_study bench = {.repeats = REPEATS, .rows = rows, .count = 2};
    swe_context ctx = {""};
    if (open_record(&kept, path)) {
        const swe_status status = cli_bench_read(&ctx, &kept, &bench);
        FUZZ_CHECK(status == SWE_OK || ctx.message[0] != '\0');
        for (int k = 0; k < bench.count && status == SWE_OK; k++)
            FUZZ_CHECK(bench.rows[k].samples >= 0 && bench.rows[k].samples <= REPEATS);
        if (kept.reader.status == PROF_LOADED)
            cli_bench_read_sizes(&ctx, &kept, &bench);
        FUZZ_CHECK(bench.sizes.count <= CLI_MOST_LIST);
    }
    close_record(&kept);
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
