/* The list of published results: every file is found under the name that it has now. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output_file.h"
#include "support/check.h"

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void publish(const char *name, const char *text)
{
    swe_output_file out;
    assert_true(swe_output_begin(path_of(name), &out));
    assert_non_null(swe_output_stream(&out));
    fputs(text, out.stream);
    assert_true(swe_output_end(&out));
}

static const char *missing(void)
{
    static char path[SWE_OUTPUT_PATH];
    return swe_output_verify(path, sizeof path) ? "" : path + strlen(folder) + 1;
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/test_output_list_%ld", (long)getpid());
    return mkdir(folder, 0777);
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    swe_output_moved(folder, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void results_are_found_until_they_are_not(void **state)
{
    (void)state;
    char name[16];
    for (int k = 0; k < 300; k++) { /* in no order */
        snprintf(name, sizeof name, "f%03d", 7 * k % 300);
        publish(name, "text");
    }
    assert_string_equal(missing(), "");
    publish("f150", "another text");
    assert_string_equal(missing(), "");
    assert_int_equal(unlink(path_of("f017")), 0);
    assert_string_equal(missing(), "f017");
    publish("f017", "");
    assert_true(swe_output_remove(path_of("f299")));
    assert_string_equal(missing(), "");
    assert_int_equal(truncate(path_of("f150"), 3), 0);
    assert_string_equal(missing(), "f150");
}

static void a_folder_gets_another_name(void **state)
{
    (void)state;
    char to[200];
    assert_int_equal(mkdir(path_of("a"), 0777), 0);
    publish("a/1", "1");
    publish("a/2", "2");
    publish("ab", "beside it");
    snprintf(to, sizeof to, "%s", path_of("z"));
    assert_int_equal(rename(path_of("a"), to), 0);
    assert_string_equal(missing(), "a/1");
    swe_output_moved(path_of("a"), to);
    assert_string_equal(missing(), "");
    assert_int_equal(unlink(path_of("z/2")), 0);
    assert_string_equal(missing(), "z/2");
    swe_output_moved(to, NULL);
    assert_string_equal(missing(), "");
    assert_int_equal(unlink(path_of("ab")), 0);
    assert_string_equal(missing(), "ab");
}

static void only_one_writes_a_temporary_file(void **state)
{
    (void)state;
    swe_output_file first, second;
    assert_true(swe_output_begin(path_of("x"), &first));
    assert_false(swe_output_begin(path_of("x"), &second));
    swe_output_discard(&first);
    swe_output_discard(&first);
    assert_true(swe_output_begin(path_of("x"), &second));
    assert_int_equal(rename(second.temporary, path_of("y")), 0); /* somebody takes it away */
    assert_false(swe_output_end(&second));
    assert_int_equal(access(path_of("x"), F_OK), -1);
}

static void only_regular_files_are_opened(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path_of("pipe"), 0666), 0);
    assert_int_equal(symlink(path_of("f001"), path_of("link")), 0);
    assert_int_equal(swe_output_open(path_of("pipe"), O_WRONLY), -1);
    assert_int_equal(swe_output_open(path_of("pipe"), O_RDONLY), -1);
    assert_int_equal(swe_output_open(path_of("link"), O_RDONLY), -1);
    assert_int_equal(swe_output_open(folder, O_RDONLY), -1);
    const int file = swe_output_create(path_of("pipe"));
    assert_true(file >= 0);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(results_are_found_until_they_are_not, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_gets_another_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_one_writes_a_temporary_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_regular_files_are_opened, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
