/* XPlane: a failure to write gives one warning that names the file; names of operations; UTF-8. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "outputs/output.h"
#include "base/text.h"
#include "outputs/xplane/internal.h"
#include "sample_trace.h"
#include "support/full_disk.h"

static const char run[] = "plugins/profile/2026_11_20_16_00_00";
static const char file[] = "plugins/profile/2026_11_20_16_00_00/node-1.example.xplane.pb";

static int make_directory(void **state)
{
    static char directory[32];
    snprintf(directory, sizeof directory, "/tmp/test_xplane_XXXXXX");
    *state = mkdtemp(directory);
    return *state == NULL;
}

static int remove_directory(void **state)
{
    const char *const parts[] = {file, run, "plugins/profile", "plugins", ""};
    char path[PATH_MAX];
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        snprintf(path, sizeof path, "%s/%s", (const char *)*state, parts[k]);
        remove(path);
    }
    return access(*state, F_OK) == 0;
}

static void make_folders(const char *directory)
{
    const char *const parts[] = {"plugins", "plugins/profile", run};
    char path[PATH_MAX];
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        snprintf(path, sizeof path, "%s/%s", directory, parts[k]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
}

/* Write the sample; the warnings are in the log. */
static bool write_sample(const char *directory, swe_log *log)
{
    *log = (swe_log){.warn = NULL};
    prof_trace *trace = sample_trace(true);
    assert_non_null(trace);
    const bool written = prof_write_xplane(trace, directory, log);
    prof_trace_destroy(&trace);
    return written;
}

static void check_refused(const char *directory, const char *reason)
{
    static swe_log log;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    assert_false(write_sample(directory, &log));
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.line[0], path));
    assert_non_null(strstr(log.line[0], reason));
}

static void a_file_is_written_twice(void **state)
{
    static swe_log log;
    for (int k = 0; k < 2; k++) {
        assert_true(write_sample(*state, &log));
        assert_int_equal(log.count, 0);
    }
}

static void a_missing_directory_is_reported(void **state)
{
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s/missing", (const char *)*state);
    check_refused(directory, "No such file or directory");
}

static void a_file_where_a_folder_belongs_is_reported(void **state)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/plugins", (const char *)*state);
    FILE *plugins = fopen(path, "w");
    assert_non_null(plugins);
    fclose(plugins);
    check_refused(*state, "Not a directory");
}

static void a_full_disk_is_reported(void **state)
{
    make_folders(*state);
    assert_true(set_disk_full(true));
    check_refused(*state, "File too large");
    assert_true(set_disk_full(false));
}

static void check_op_name(const prof_trace *trace, int32_t span, const char *stage,
                          const char *expected)
{
    char text[XPLANE_OP_NAME_SIZE];
    xplane_op_name(trace, span, stage, text);
    assert_string_equal(text, expected);
}

/* Spans, each a child of the one before it. */
static prof_trace *nested(const prof_region *regions, int count)
{
    prof_trace *trace = prof_trace_create();
    assert_non_null(trace);
    trace->spans = calloc((size_t)count, sizeof *trace->spans);
    assert_non_null(trace->spans);
    trace->span_count = count;
    for (int k = 0; k < count; k++) {
        trace->spans[k].name = regions[k].name;
        trace->spans[k].kind = regions[k].kind;
        trace->spans[k].parent = k - 1;
    }
    return trace;
}

static void operations_are_named_by_their_regions(void **state)
{
    (void)state;
    const prof_region regions[] = {{"steps", PROF_PHASE},
                                   {"step", PROF_STEP},
                                   {"rhs: a/b", PROF_SUBSTEP},
                                   {"2nd Gradient", PROF_STAGE}};
    prof_trace *trace = nested(regions, 4);
    check_op_name(trace, -1, "sat", "sat:sat");
    check_op_name(trace, 0, "warm-up", "warm-up:warm_up");
    check_op_name(trace, 1, "step", "step:step");
    check_op_name(trace, 2, "rhs: a/b", "rhs_ a_b:rhs__a_b");
    check_op_name(trace, 3, "2nd Gradient", "rhs_ a_b/2nd Gradient:_2nd_gradient");
    prof_trace_destroy(&trace);
}

static void names_of_any_length_fit(void **state)
{
    (void)state;
    enum { DEPTH = 20 };
    static char name[1000];
    memset(name, 'x', sizeof name - 1);
    prof_region regions[DEPTH];
    for (int k = 0; k < DEPTH; k++)
        regions[k] = (prof_region){name, PROF_SUBSTEP};
    prof_trace *trace = nested(regions, DEPTH);
    char text[XPLANE_OP_NAME_SIZE];
    xplane_op_name(trace, DEPTH - 1, "end", text);
    assert_string_equal(strrchr(text, '/'), "/end:end");
    xplane_op_name(trace, DEPTH - 1, name, text);
    assert_true(strlen(text) < XPLANE_OP_NAME_SIZE);
    const size_t length = strlen(strrchr(text, ':') + 1);
    assert_true(length > 100);
    assert_memory_equal(strrchr(text, '/') + 1, name, length);
    prof_trace_destroy(&trace);
}

static void equal_texts_have_one_number(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    prof_texts names = {0};
    char text[24];
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < COUNT; k++) {
            snprintf(text, sizeof text, "name %d", k);
            assert_int_equal(prof_texts_find(&names, text)->number, k + 1);
        }
    assert_int_equal(names.count, COUNT);
    assert_string_equal(names.item[COUNT - 1]->text, "name 999");
    prof_texts_destroy(&names);
}

static void broken_texts_become_utf8(void **state)
{
    (void)state;
    const char *const texts[][2] = {
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8d", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8d"},
        {"a\xff z", "a? z"},
        {"cut \xe2\x82", "cut ??"},        /* in the middle of a character */
        {"\xc0\xaf\xe0\x80\xaf", "?????"}, /* longer than needed */
        {"\xed\xa0\x80", "???"},           /* half of a surrogate pair */
        {"\xf4\x90\x80\x80\xf5", "?????"}, /* beyond the last character */
        {"", ""}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char text[64];
        snprintf(text, sizeof text, "%s", texts[k][0]);
        swe_to_utf8(text);
        assert_string_equal(text, texts[k][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_written_twice, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(a_missing_directory_is_reported, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(a_file_where_a_folder_belongs_is_reported, make_directory,
                                        remove_directory),
        cmocka_unit_test_setup_teardown(a_full_disk_is_reported, make_directory, remove_directory),
        cmocka_unit_test(operations_are_named_by_their_regions),
        cmocka_unit_test(names_of_any_length_fit),
        cmocka_unit_test(equal_texts_have_one_number),
        cmocka_unit_test(broken_texts_become_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
