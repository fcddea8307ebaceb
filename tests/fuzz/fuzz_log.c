/* gpu_log.csv: read by the report, and its last line by `cubeswe top`. */
#include <math.h>

#include "cli/top.h"
#include "fuzz.h"
#include "report/internal.h"

static void check_samples(const prof_report_log *log)
{
    for (int64_t k = 0; k < log->count; k++)
        FUZZ_CHECK(log->samples[k].time >= (k > 0 ? log->samples[k - 1].time : 0));
    FUZZ_CHECK(log->count == 0 || isfinite(log->start));
    FUZZ_CHECK(log->sm.count >= 0 && log->sm.count <= log->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[256], folder[256];
    static json_t *progress;
    swe_log log = {0};
    prof_report_log read = {.count = 0};
    top_profile profile = {.is_recording = false};
    if (path[0] == '\0') {
        fuzz_path("gpu_log.csv", path);
        fuzz_path(".", folder);
        progress = json_pack("{s:s}", "profiles", folder);
    }
    pool *pool = pool_create();
    FUZZ_CHECK(pool != NULL && progress != NULL);
    fuzz_write(path, data, size);
    load_log(path, &log, pool, &read);
    FUZZ_CHECK(log.count == 0 || read.count == 0);
    check_samples(&read);
    top_profile_read(folder, progress, &profile);
    FUZZ_CHECK(profile.is_recording);
    pool_destroy(&pool);
    return 0;
}
