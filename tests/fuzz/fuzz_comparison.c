/* A profile that is compared with a complete one and with itself: summary.json of a window, or
 * profile.json of components. */
#include "compare/compare.h"
#include "page/page.h"
#include "profile.h"

static prof_run_times *load(const char *path)
{
    swe_log log = {0};
    prof_run_times *measured = NULL;
    const swe_load status = prof_run_times_load(path, &log, &measured);
    FUZZ_CHECK((status == SWE_LOADED) == (measured != NULL));
    FUZZ_CHECK(status == SWE_LOADED || log.count > 0);
    return measured;
}

static void compare(const prof_run_times *a, const prof_run_times *b)
{
    static char page[256];
    swe_log log = {0};
    prof_comparison *c = prof_compare(a, b);
    FUZZ_CHECK(c != NULL);
    if (page[0] == '\0')
        fuzz_path("compare.html", page);
    prof_comparison_set_limit(c, 0.05);
    prof_comparison_write_text(c, fuzz_nowhere());
    json_t *json = prof_comparison_json(c);
    FUZZ_CHECK(prof_page_write(page, json, &log));
    json_decref(json);
    prof_comparison_destroy(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[256];
    static prof_run_times *whole[2];
    if (path[0] == '\0') {
        fuzz_copy("comparison/window", "whole.json");
        fuzz_path("whole.json", path);
        whole[0] = load(path);
        fuzz_copy("comparison/components", "whole.json");
        whole[1] = load(path);
        FUZZ_CHECK(whole[0] != NULL && whole[1] != NULL);
        fuzz_path("other.json", path);
    }
    fuzz_write(path, data, size);
    prof_run_times *measured = load(path);
    if (measured == NULL)
        return 0;
    for (int k = 0; k < 2; k++) {
        compare(whole[k], measured);
        compare(measured, whole[k]);
    }
    compare(measured, measured);
    prof_run_times_destroy(&measured);
    return 0;
}
