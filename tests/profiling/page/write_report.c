/* write_report cpu|gpu|bare|many|counters PAGE.html: a page of a sample report. */
#include <stdio.h>
#include <string.h>

#include "sample_report.h"

static void print_line(void *nobody, const char *line)
{
    (void)nobody;
    fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
    static const char *const names[SAMPLE_KINDS] = {"cpu", "gpu", "bare", "many", "counters"};
    static prof_report report;
    swe_log log = {.warn = print_line};
    for (int kind = 0; argc == 3 && kind < SAMPLE_KINDS; kind++)
        if (strcmp(argv[1], names[kind]) == 0) {
            sample_report((sample_kind)kind, &report);
            return prof_report_write(&report, argv[2], &log) ? 0 : 1;
        }
    return 64;
}
