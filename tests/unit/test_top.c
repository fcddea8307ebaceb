/* Parts of `cubeswe top`: formats of numbers, and values read from files and /proc. */
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/machine.h"
#include "cli/top.h"
#include "base/text.h"

/* Check the text that a statement writes to `out`. */
#define CHECK_TEXT(expected, statement)                                                            \
    do {                                                                                           \
        char *text = NULL;                                                                         \
        size_t length = 0;                                                                         \
        FILE *out = open_memstream(&text, &length);                                                \
        assert_non_null(out);                                                                      \
        statement;                                                                                 \
        fclose(out);                                                                               \
        assert_string_equal(text, expected);                                                       \
        free(text);                                                                                \
    } while (0)

static void a_time_is_printed_as_one_reads_it(void **state)
{
    (void)state;
    CHECK_TEXT("0.0 s", top_duration_write(out, 0.0));
    CHECK_TEXT("59.9 s", top_duration_write(out, 59.94));
    CHECK_TEXT("1 min 00 s", top_duration_write(out, 59.96));
    CHECK_TEXT("59 min 59 s", top_duration_write(out, 3599.4));
    CHECK_TEXT("1 h 00 min", top_duration_write(out, 3599.6));
    CHECK_TEXT("99 h 59 min", top_duration_write(out, 359999.0));
    CHECK_TEXT("4 days 4 h", top_duration_write(out, 360000.0));
    CHECK_TEXT("unknown", top_duration_write(out, NAN));
    CHECK_TEXT("unknown", top_duration_write(out, INFINITY));
}

static void a_bar_is_as_long_as_its_share(void **state)
{
    (void)state;
    CHECK_TEXT("....", top_bar_write(out, 0.0, 4, false));
    CHECK_TEXT("##..", top_bar_write(out, 0.5, 4, false));
    CHECK_TEXT("####", top_bar_write(out, 1.0, 4, false));
    CHECK_TEXT("####", top_bar_write(out, 7.0, 4, false));
    CHECK_TEXT("....", top_bar_write(out, -1.0, 4, false));
    CHECK_TEXT("█░░░", top_bar_write(out, 0.25, 4, true));
}

static void a_history_goes_from_0_to_its_largest(void **state)
{
    (void)state;
    const double rates[] = {7e3, 0.0, 1e3, 2e3, 6e3, 7e3};
    CHECK_TEXT("#_.:*#", top_history_write(out, rates, 6, false));
    CHECK_TEXT("█▁▂▃▇█", top_history_write(out, rates, 6, true));
    CHECK_TEXT("_", top_history_write(out, rates + 1, 1, false));
    CHECK_TEXT("", top_history_write(out, rates, 0, false));
}

static void a_text_is_printable_and_fits(void **state)
{
    (void)state;
    char out[8];
    swe_copy_printable(out, sizeof out, NULL);
    assert_string_equal(out, "");
    swe_copy_printable(out, sizeof out, "\x1b[2J\n\x7f");
    assert_string_equal(out, "?[2J??");
    swe_copy_printable(out, sizeof out, "1234567890");
    assert_string_equal(out, "1234567");
    swe_copy_printable(out, sizeof out, "12345é"); /* 7 bytes */
    assert_string_equal(out, "12345é");
    swe_copy_printable(out, sizeof out, "123456é"); /* no partial character */
    assert_string_equal(out, "123456");
    swe_copy_printable(out, sizeof out, "\xc2\x9b\xc3"); /* a control character; an invalid one */
    assert_string_equal(out, "??");
}

static void a_process_is_seen_until_it_ends(void **state)
{
    (void)state;
    const cli_process self = cli_process_read(getpid());
    assert_true(self.is_known && !self.is_gone);
    assert_true(self.start > 0 && self.resident_bytes > 1e5 && self.cpu_seconds >= 0.0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(0);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    const cli_process ended = cli_process_read(child);
    assert_true(ended.is_known && ended.is_gone && ended.start >= self.start);
    waitpid(child, NULL, 0);
    const cli_process gone = cli_process_read(child);
    assert_true(gone.is_gone && !gone.is_known);
}

static void write_log(const char *folder, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/gpu_log.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char heading[] = "#Date, Time, gpu, pwr, gtemp, sm, mem, mclk, pclk, fb\n"
                              "#YYYYMMDD, HH:MM:SS, Idx, W, C, %, %, MHz, MHz, MB\n";

static top_gpu read_log(const char *folder, const char *lines)
{
    char text[8192];
    top_profile profile = {.is_recording = false};
    json_t *progress = json_pack("{s:s, s:n}", "profiles", folder, "window");
    snprintf(text, sizeof text, "%s%s", heading, lines);
    write_log(folder, text);
    top_profile_read("/nowhere", progress, &profile);
    json_decref(progress);
    assert_true(profile.is_recording && profile.window.path[0] == '\0');
    return profile.gpu;
}

static void the_last_whole_line_of_a_log_counts(void **state)
{
    const char *folder = *state;
    static const char *const line =
        "20260101, 12:00:00.500, 0, 350, 60, 98, 61, 2619, 1980, 1245\n";
    char many[4096];
    int length = 0;
    assert_false(read_log(folder, "").has_line);
    for (int k = 0; k < 40; k++)
        length += snprintf(many + length, sizeof many - (size_t)length, "%s",
                           "20260101, 12:00:00.000, 0, 1, 2, 3, 4, 5, 6, 7\n");
    length += snprintf(many + length, sizeof many - (size_t)length, "%s", line);
    const top_gpu gpu = read_log(folder, many);
    assert_true(gpu.has_line);
    assert_true(gpu.watts == 350 && gpu.celsius == 60 && gpu.sm_percent == 98);
    assert_true(gpu.memory_percent == 61 && gpu.clock_mhz == 1980);
    assert_true(gpu.used_bytes == 1245.0 * 1024.0 * 1024.0);
    snprintf(many + length, sizeof many - (size_t)length, "20260101, 12:00:00.600, 0, 3");
    assert_true(read_log(folder, many).watts == 350); /* the line after is being written */
    const top_gpu unknown = read_log(folder, "20260101, 12:00:00.0, 0, -, -, 98, -, -, -\n");
    assert_true(isnan(unknown.watts) && unknown.sm_percent == 98 && isnan(unknown.used_bytes));
}

static int make_folder(void **state)
{
    char *folder = strdup("/tmp/test_top.XXXXXX");
    *state = folder;
    return folder != NULL && mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    char path[256];
    snprintf(path, sizeof path, "%s/gpu_log.csv", (char *)*state);
    unlink(path);
    rmdir(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_is_printed_as_one_reads_it),
        cmocka_unit_test(a_bar_is_as_long_as_its_share),
        cmocka_unit_test(a_history_goes_from_0_to_its_largest),
        cmocka_unit_test(a_text_is_printable_and_fits),
        cmocka_unit_test(a_process_is_seen_until_it_ends),
        cmocka_unit_test_setup_teardown(the_last_whole_line_of_a_log_counts, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
