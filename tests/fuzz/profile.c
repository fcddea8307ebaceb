#include "profile.h"

#include "report/report.h"

void fuzz_copy(const char *from, const char *name)
{
    static uint8_t bytes[1 << 20];
    char path[4400], to[256];
    snprintf(path, sizeof path, "%s/%s", FUZZ_CORPORA, from);
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    FUZZ_CHECK(size > 0 && fclose(file) == 0);
    fuzz_path(name, to);
    fuzz_write(to, bytes, size);
}

FILE *fuzz_nowhere(void)
{
    static FILE *stream;
    if (stream == NULL)
        stream = fopen("/dev/null", "w");
    FUZZ_CHECK(stream != NULL);
    return stream;
}

void fuzz_report(void)
{
    static char folder[256], page[256];
    swe_log log = {0};
    prof_report *report = NULL;
    if (folder[0] == '\0') {
        fuzz_path(".", folder);
        fuzz_path("report.html", page);
    }
    const swe_load status = prof_report_load(folder, &log, &report);
    FUZZ_CHECK((status == SWE_LOADED) == (report != NULL));
    FUZZ_CHECK(status == SWE_LOADED || log.count > 0);
    if (report == NULL)
        return;
    prof_report_print(report, fuzz_nowhere(), true);
    FUZZ_CHECK(prof_report_write(report, page, &log));
    prof_report_destroy(&report);
}
