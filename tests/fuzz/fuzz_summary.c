/* summary.json of a window: its report as text and as a page. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[256];
    if (path[0] == '\0')
        fuzz_path("summary.json", path);
    fuzz_write(path, data, size);
    fuzz_report();
    return 0;
}
