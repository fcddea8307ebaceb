/* Warnings: reported once a kind, kept for reports, one line each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/log.h"

typedef struct warnings {
    int count;
    char last[SWE_LOG_LENGTH];
} warnings;

static void record(void *self, const char *line)
{
    warnings *w = self;
    w->count++;
    snprintf(w->last, sizeof w->last, "%s", line);
}

static void a_kind_is_reported_once_and_every_line_kept(void **state)
{
    (void)state;
    warnings w = {0};
    swe_log log = {.warn = record, .warner = &w};
    for (int k = 0; k < 3; k++)
        swe_warn(&log, "window %d is full", k);
    swe_warn(&log, "other");
    assert_int_equal(w.count, 2);
    assert_string_equal(w.last, "other");
    assert_int_equal(log.count, 4);
    assert_string_equal(log.line[2], "window 2 is full");
    swe_log_truncate(&log, 1);
    swe_warn(&log, "window %d is full", 7);
    assert_int_equal(w.count, 2);
    assert_int_equal(log.count, 2);
    assert_string_equal(log.line[1], "window 7 is full");
}

static void a_warning_is_one_line(void **state)
{
    (void)state;
    warnings w = {0};
    swe_log log = {.warn = record, .warner = &w};
    swe_warn(&log, "%s: cannot be created", "a\nb\033c");
    assert_string_equal(w.last, "a?b?c: cannot be created");
    assert_string_equal(log.line[0], w.last);
}

static void warnings_beyond_the_room_are_reported_all_the_same(void **state)
{
    (void)state;
    warnings w = {0};
    swe_log log = {.warn = record, .warner = &w};
    static char formats[2 * SWE_LOG_MOST][24];
    for (int k = 0; k < 2 * SWE_LOG_MOST; k++) {
        snprintf(formats[k], sizeof formats[k], "kind %d", k);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
        swe_warn(&log, formats[k]);
#pragma GCC diagnostic pop
    }
    assert_int_equal(w.count, 2 * SWE_LOG_MOST);
    assert_int_equal(log.count, SWE_LOG_MOST);
    swe_warn(&log, "silent");
    log.warn = NULL;
    swe_warn(&log, "silent too");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_is_reported_once_and_every_line_kept),
        cmocka_unit_test(a_warning_is_one_line),
        cmocka_unit_test(warnings_beyond_the_room_are_reported_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
