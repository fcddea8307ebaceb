/* timeline.json beside a valid summary: the report with the timeline. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[256];
    if (path[0] == '\0') {
        fuzz_copy("summary/gpu", "summary.json");
        fuzz_path("timeline.json", path);
    }
    fuzz_write(path, data, size);
    fuzz_report();
    return 0;
}
