/* Colours are printed on request only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "outputs/output.h"
#include "report/report.h"
#include "sample_trace.h"

/* The sample trace as a window, the report of it as text. To be freed. */
static char *text_of(bool gpu, bool colours)
{
    char directory[] = "/tmp/cubeswe_report_XXXXXX", window[64];
    swe_log log = {0};
    prof_trace *trace = sample_trace(gpu);
    prof_report *report = NULL;
    char *text = NULL;
    size_t size = 0;
    assert_non_null(mkdtemp(directory));
    assert_true(prof_window_folder_write(trace, directory, 0, &log));
    assert_int_equal(prof_report_load(directory, &log, &report), SWE_LOADED);
    assert_int_equal(log.count, 0);
    assert_int_equal(json_array_size(json_object_get(report->timeline, "spans")),
                     trace->span_count);
    assert_int_equal(json_array_size(json_object_get(report->timeline, "ops")), trace->op_count);
    FILE *out = open_memstream(&text, &size);
    prof_report_print(report, out, colours);
    fclose(out);
    prof_report_destroy(&report);
    assert_null(report);
    prof_trace_destroy(&trace);
    snprintf(window, sizeof window, "%s/step_00000010", directory);
    assert_true(prof_window_folder_remove(window));
    assert_int_equal(rmdir(directory), 0);
    return text;
}

/* The text without escape sequences. */
static void remove_colours(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        if (*from == '\033')
            from += strcspn(from, "m") + 1;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

static void colours_are_requested(void **state)
{
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        char *plain = text_of(gpu, false), *coloured = text_of(gpu, true);
        assert_null(strchr(plain, '\033'));
        assert_non_null(strstr(coloured, "\033[33mwarning\033[0m"));
        /* temporary folders differ */
        char *a = strstr(plain, "\nstep "), *b = strstr(coloured, "\nstep ");
        remove_colours(b);
        assert_string_equal(a, b);
        free(plain);
        free(coloured);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(colours_are_requested)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
