/* progress.json in `cubeswe top`: read and shown as a page, one line and JSON. It is read twice, so
 * that changes are shown, too. */
#include <string.h>

#include "cli/progress.h"
#include "cli/top.h"
#include "profile.h"

static void show(const char *folder, const top_job *job)
{
    static const top_style looks[] = {{20, false}, {100, true}};
    for (int k = 0; k < 2; k++)
        top_page_write(fuzz_nowhere(), folder, job, looks[k]);
    top_line_write(fuzz_nowhere(), job);
    json_decref(top_json(job));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[256], folder[256];
    top_job job;
    memset(&job, 0, sizeof job);
    if (path[0] == '\0') {
        fuzz_path(CLI_PROGRESS_NAME, path);
        fuzz_path(".", folder);
        fuzz_copy("summary/cpu", "summary.json"); /* a window that it may name: "." */
        fuzz_copy("log/two_gpus", "gpu_log.csv");
    }
    fuzz_write(path, data, size);
    for (int k = 0; k < 2; k++) {
        swe_context ctx = {""};
        const swe_status status = top_job_read(&ctx, folder, &job);
        FUZZ_CHECK(status == SWE_OK || (status == SWE_DATA && ctx.message[0] != '\0'));
        if (status == SWE_OK)
            show(folder, &job);
    }
    top_job_release(&job);
    return 0;
}
