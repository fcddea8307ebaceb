/* A page is written completely or not at all, and a failure gives one warning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "sample_report.h"
#include "support/full_disk.h"

typedef struct place {
    char folder[64], page[128], part[160], document[128];
    prof_report report;
    swe_log log;
} place;

static int set_up(void **state)
{
    place *at = calloc(1, sizeof *at);
    if (at == NULL)
        return -1;
    strcpy(at->folder, "/tmp/cubeswe-report-XXXXXX");
    if (mkdtemp(at->folder) == NULL)
        return -1;
    snprintf(at->page, sizeof at->page, "%s/report.html", at->folder);
    snprintf(at->part, sizeof at->part, "%s.tmp", at->page);
    snprintf(at->document, sizeof at->document, "%s/report.json", at->folder);
    sample_report(SAMPLE_BARE, &at->report);
    *state = at;
    return 0;
}

static int tear_down(void **state)
{
    place *at = *state;
    unlink(at->page);
    rmdir(at->page);
    rmdir(at->part);
    unlink(at->document);
    const int left = rmdir(at->folder); /* fails if anything else was left in it */
    free(at->report.windows);
    free(at);
    return left;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_replaces(void **state)
{
    place *at = *state;
    struct stat page;
    write_text(at->page, "old");
    assert_true(prof_report_write(&at->report, at->page, &at->log));
    assert_int_equal(at->log.count, 0);
    assert_int_equal(stat(at->page, &page), 0);
    assert_true(page.st_size > 10000);
    assert_int_equal(access(at->document, F_OK), 0);
    assert_int_not_equal(access(at->part, F_OK), 0);
}

static void test_no_folder(void **state)
{
    place *at = *state;
    assert_false(prof_report_write(&at->report, "/nowhere/at/all.html", &at->log));
    assert_int_equal(at->log.count, 1);
    assert_non_null(strstr(at->log.line[0], "/nowhere/at/all.html: cannot be written: "));
}

/* A folder with the name of the temporary file is not removed. */
static void test_part_in_the_way(void **state)
{
    place *at = *state;
    write_text(at->page, "old");
    assert_int_equal(mkdir(at->part, 0700), 0);
    assert_false(prof_report_write(&at->report, at->page, &at->log));
    assert_int_equal(at->log.count, 1);
    assert_int_equal(access(at->part, F_OK), 0);
    char old[8] = "";
    FILE *file = fopen(at->page, "r");
    assert_non_null(file);
    assert_int_equal(fread(old, 1, sizeof old, file), 3);
    fclose(file);
    assert_memory_equal(old, "old", 3);
}

/* A page that cannot be renamed leaves nothing behind. */
static void test_page_in_the_way(void **state)
{
    place *at = *state;
    assert_int_equal(mkdir(at->page, 0700), 0);
    assert_false(prof_report_write(&at->report, at->page, &at->log));
    assert_int_equal(at->log.count, 1);
    assert_int_not_equal(access(at->part, F_OK), 0);
}

/* A full disk. */
static void test_full(void **state)
{
    place *at = *state;
    assert_true(set_disk_full(true));
    const bool written = prof_report_write(&at->report, at->page, &at->log);
    assert_true(set_disk_full(false));
    assert_false(written);
    assert_int_equal(at->log.count, 1);
    assert_non_null(strstr(at->log.line[0], "File too large"));
    assert_int_not_equal(access(at->page, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_replaces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_part_in_the_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_page_in_the_way, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
