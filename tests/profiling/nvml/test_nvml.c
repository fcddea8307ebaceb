/* Samples of a GPU's state, from a stand-in for NVML (nvml_stand_in.c): the k-th sample has the
 * k-th values, in the trace and in the log; what is missing or fails is one warning and no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sources/sources.h"
#include "support/full_disk.h"

/* So long that the thread reads no sample by itself. */
#define NEVER 3600.0

static const char headings[] = "#Date, Time, gpu, pwr, gtemp, sm, mem, mclk, pclk, fb\n"
                               "#YYYYMMDD, HH:MM:SS, Idx, W, C, %, %, MHz, MHz, MB\n";

/* State of every test. */
typedef struct fixture {
    char folder[64], path[96]; /* of the log, which is the only file in the folder */
    swe_log log;
    int warnings;
    prof_trace *trace;
} fixture;

static void count_warning(void *f, const char *line)
{
    (void)line;
    ((fixture *)f)->warnings++;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    *state = f;
    strcpy(f->folder, "/tmp/test_nvml_XXXXXX");
    if (mkdtemp(f->folder) == NULL)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/gpu_log.csv", f->folder);
    f->log = (swe_log){.warn = count_warning, .warner = f};
    f->trace = prof_trace_create();
    setenv("CUBESWE_NVML_LIBRARY", NVML_STAND_IN, 1);
    unsetenv("NVML_STAND_IN_FAILS");
    return f->trace == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    unlink(f->path);
    rmdir(f->folder);
    prof_trace_destroy(&f->trace);
    free(f);
    return 0;
}

static void read_log(const fixture *f, char *text, size_t size)
{
    FILE *file = fopen(f->path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static int log_lines(const fixture *f)
{
    int lines = 0, c;
    FILE *file = fopen(f->path, "r");
    assert_non_null(file);
    while ((c = fgetc(file)) != EOF)
        lines += c == '\n';
    fclose(file);
    return lines;
}

static prof_nvml *start(fixture *f, double period)
{
    prof_nvml *nvml = prof_nvml_start(f->path, NULL, 0, period, &f->log);
    assert_non_null(nvml);
    return nvml;
}

/* GPU `gpu`'s values for the n-th time. */
static void check_values(const prof_gpu_sample *s, int gpu, int n)
{
    n += 50 * gpu;
    assert_true(s->sm == 10 + n && s->memory == 5 + n);
    assert_true(s->sm_clock == 1000 + n && s->memory_clock == 2000 + n);
    assert_true(s->memory_used == 1048576.0 * (5000 + n));
    assert_true(fabs(s->power - (300.25 + n)) < 1e-9);
    assert_true(s->temperature == 30 + n);
}

/* A line of the log, its time apart: the n-th values of `gpu`, known as `index`. */
static void check_line(const char *line, const prof_gpu_sample *s, int index, int gpu, int n)
{
    struct tm tm = {.tm_isdst = -1};
    int milliseconds, length = 0;
    assert_int_equal(sscanf(line, "%4d%2d%2d, %d:%d:%d.%3d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
                            &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &milliseconds, &length),
                     7);
    tm.tm_year -= 1900;
    tm.tm_mon--;
    const int64_t wall = s->time + swe_clock_wall_ns() - swe_clock_ns(), slack = 10000; /* [ms] */
    assert_true(llabs(INT64_C(1000) * mktime(&tm) + milliseconds - wall / 1000000) < slack);
    char expected[128];
    n += 50 * gpu;
    snprintf(expected, sizeof expected, ", %d, %d, %d, %d, %d, %d, %d, %d\n", index, 300 + n,
             30 + n, 10 + n, 5 + n, 2000 + n, 1000 + n, 5000 + n);
    assert_memory_equal(line + length, expected, strlen(expected));
}

/* Three samples of a GPU that is found by `pci` or `index`, in the trace and in the log. */
static void check_samples(fixture *f, const char *pci, int index, int gpu)
{
    const int64_t begin = swe_clock_ns();
    prof_nvml *nvml = prof_nvml_start(f->path, pci, index, NEVER, &f->log);
    assert_non_null(nvml);
    prof_nvml_sample(nvml);
    prof_nvml_sample(nvml);
    char text[4096];
    read_log(f, text, sizeof text); /* all is there before the end */
    prof_nvml_collect(nvml, f->trace, begin, swe_clock_ns(), &f->log);
    prof_nvml_stop(&nvml, &f->log);
    assert_null(nvml);
    assert_int_equal(f->warnings, 0);

    assert_int_equal(f->trace->sample_count, 3);
    assert_memory_equal(text, headings, strlen(headings));
    const char *line = text + strlen(headings);
    for (int n = 0; n < 3; n++, line = strchr(line, '\n') + 1) {
        const prof_gpu_sample *s = &f->trace->samples[n];
        assert_true(s->time >= (n == 0 ? begin : s[-1].time));
        assert_int_equal(s->device, index);
        check_values(s, gpu, n);
        check_line(line, s, index, gpu, n);
    }
    assert_int_equal(*line, '\0');
}

static void a_gpu_is_found_by_its_bus_id(void **state)
{
    check_samples(*state, "0000:B3:00.0", 0, 1);
}

static void a_gpu_is_found_by_its_index(void **state)
{
    check_samples(*state, NULL, 1, 1);
}

static void samples_are_taken_in_the_background(void **state)
{
    fixture *f = *state;
    prof_nvml *nvml = start(f, 1e-3);
    const struct timespec pause = {0, 1000000};
    while (log_lines(f) < 2 + 20)
        nanosleep(&pause, NULL);
    prof_nvml_collect(nvml, f->trace, 0, INT64_MAX, &f->log);
    prof_nvml_stop(&nvml, &f->log);
    assert_true(f->trace->sample_count >= 20);
    for (int n = 0; n < f->trace->sample_count; n++)
        check_values(&f->trace->samples[n], 0, n);
    assert_int_equal(f->warnings, 0);
}

/* A moment that differs from those of the samples before and after. */
static int64_t moment_between(void)
{
    const int64_t before = swe_clock_ns();
    int64_t moment = before;
    while (moment <= before)
        moment = swe_clock_ns();
    while (swe_clock_ns() <= moment)
        ;
    return moment;
}

static void a_window_gets_the_samples_of_its_time(void **state)
{
    fixture *f = *state;
    int64_t edge[4];
    const int64_t before = moment_between();
    prof_nvml *nvml = start(f, NEVER);
    for (int k = 0; k < 4; k++) {
        edge[k] = moment_between();
        for (int n = 0; n < 3; n++)
            prof_nvml_sample(nvml);
    }
    prof_nvml_collect(nvml, f->trace, edge[1], edge[2], &f->log);
    assert_int_equal(f->trace->sample_count, 3);
    /* more go behind those that are there; both ends belong to a window */
    const int64_t first = f->trace->samples[1].time, last = f->trace->samples[2].time;
    prof_nvml_collect(nvml, f->trace, first, last, &f->log);
    assert_int_equal(f->trace->sample_count, 5);
    prof_nvml_collect(nvml, f->trace, 0, before, &f->log);
    assert_int_equal(f->trace->sample_count, 5);
    static const int values[] = {4, 5, 6, 5, 6};
    for (int k = 0; k < 5; k++)
        check_values(&f->trace->samples[k], 0, values[k]);
    prof_nvml_stop(&nvml, &f->log);
    assert_int_equal(f->warnings, 0);
}

static void the_latest_samples_are_kept_and_all_are_logged(void **state)
{
    enum { MORE = 10 };
    fixture *f = *state;
    prof_nvml *nvml = start(f, NEVER);
    for (int n = 1; n < PROF_NVML_KEPT + MORE; n++)
        prof_nvml_sample(nvml);
    prof_nvml_collect(nvml, f->trace, 0, INT64_MAX, &f->log);
    assert_int_equal(f->trace->sample_count, PROF_NVML_KEPT);
    for (int k = 0; k < PROF_NVML_KEPT; k++)
        check_values(&f->trace->samples[k], 0, MORE + k);
    assert_int_equal(f->warnings, 1);
    assert_non_null(strstr(f->log.line[0], "only the last"));
    assert_int_equal(log_lines(f), 2 + PROF_NVML_KEPT + MORE);
    /* a window that begins later lost nothing */
    swe_log later = {0};
    prof_nvml_collect(nvml, f->trace, f->trace->samples[0].time + 1, INT64_MAX, &later);
    prof_nvml_stop(&nvml, &later);
    assert_int_equal(later.count, 0);
}

/* A sample and its line in the log without the values of a function. */
static void check_unsupported(fixture *f, const char *function, const char *line_end,
                              prof_gpu_sample expected)
{
    char fails[64], text[1024];
    snprintf(fails, sizeof fails, "%s=3", function);
    setenv("NVML_STAND_IN_FAILS", fails, 1);
    f->trace->sample_count = 0;
    prof_nvml *nvml = start(f, NEVER);
    prof_nvml_collect(nvml, f->trace, 0, INT64_MAX, &f->log);
    prof_nvml_stop(&nvml, &f->log);
    assert_int_equal(f->trace->sample_count, 1);
    const prof_gpu_sample *s = f->trace->samples;
    assert_true(s->sm == expected.sm && s->memory == expected.memory);
    assert_true(s->sm_clock == expected.sm_clock && s->memory_clock == expected.memory_clock);
    assert_true(s->memory_used == expected.memory_used && s->power == expected.power);
    assert_true(s->temperature == expected.temperature);
    read_log(f, text, sizeof text);
    assert_true(strlen(text) > strlen(line_end));
    assert_string_equal(text + strlen(text) - strlen(line_end), line_end);
    assert_int_equal(f->warnings, 0);
}

static void quantities_that_a_gpu_does_not_report_are_unknown(void **state)
{
    const prof_gpu_sample all = {.sm = 10,
                                 .memory = 5,
                                 .memory_used = 5000.0 * 1048576.0,
                                 .sm_clock = 1000,
                                 .memory_clock = 2000,
                                 .power = 1e-3 * 300250,
                                 .temperature = 30};
    prof_gpu_sample s = all;
    check_unsupported(*state, "none", ", 0, 300, 30, 10, 5, 2000, 1000, 5000\n", s);
    s.sm = s.memory = -1;
    check_unsupported(*state, "nvmlDeviceGetUtilizationRates",
                      ", 0, 300, 30, -, -, 2000, 1000, 5000\n", s);
    s = all;
    s.memory_used = -1;
    check_unsupported(*state, "nvmlDeviceGetMemoryInfo", ", 0, 300, 30, 10, 5, 2000, 1000, -\n", s);
    s = all;
    s.sm_clock = s.memory_clock = -1;
    check_unsupported(*state, "nvmlDeviceGetClockInfo", ", 0, 300, 30, 10, 5, -, -, 5000\n", s);
    s = all;
    s.power = -1;
    check_unsupported(*state, "nvmlDeviceGetPowerUsage", ", 0, -, 30, 10, 5, 2000, 1000, 5000\n",
                      s);
    s = all;
    s.temperature = -1;
    check_unsupported(*state, "nvmlDeviceGetTemperature", ", 0, 300, -, 10, 5, 2000, 1000, 5000\n",
                      s);
}

static void a_gpu_that_is_lost_is_one_warning(void **state)
{
    fixture *f = *state;
    prof_nvml *nvml = start(f, NEVER);
    setenv("NVML_STAND_IN_FAILS", "nvmlDeviceGetPowerUsage=15", 1);
    for (int k = 0; k < 3; k++) {
        prof_nvml_sample(nvml);
        assert_int_equal(f->warnings, k == 0 ? 0 : 1);
        prof_nvml_collect(nvml, f->trace, 0, INT64_MAX, &f->log);
        assert_int_equal(f->warnings, 1);
    }
    prof_nvml_stop(&nvml, &f->log);
    assert_int_equal(f->warnings, 1);
    assert_string_equal(f->log.line[0],
                        "samples of GPU 0 have gaps: nvmlDeviceGetPowerUsage: GPU is lost");
    assert_true(f->trace->samples[0].power > 0.0);
    assert_true(f->trace->samples[3].power == -1.0 && f->trace->samples[3].temperature > 0.0);
}

/* There is no sampler, and one warning with all `words`; no log was begun. */
static void check_refused(fixture *f, const char *pci, int index, const char *words[2])
{
    assert_null(prof_nvml_start(f->path, pci, index, NEVER, &f->log));
    assert_int_equal(f->warnings, 1);
    for (int k = 0; k < 2; k++)
        if (strstr(f->log.line[0], words[k]) == NULL)
            fail_msg("'%s' is not in: %s", words[k], f->log.line[0]);
    assert_int_equal(access(f->path, F_OK), -1);
}

static void a_library_that_is_missing_is_one_warning(void **state)
{
    setenv("CUBESWE_NVML_LIBRARY", "/nowhere/libnvidia-ml.so.1", 1);
    check_refused(*state, NULL, 0,
                  (const char *[]){"/nowhere/libnvidia-ml.so.1", "No such file or directory"});
}

static void a_library_without_the_functions_is_one_warning(void **state)
{
    setenv("CUBESWE_NVML_LIBRARY", "libc.so.6", 1);
    check_refused(*state, NULL, 0, (const char *[]){"undefined symbol", "nvmlInit_v2"});
}

static void a_driver_that_is_not_loaded_is_one_warning(void **state)
{
    setenv("NVML_STAND_IN_FAILS", "nvmlInit_v2=9", 1);
    check_refused(*state, NULL, 0, (const char *[]){"nvmlInit_v2", "Driver Not Loaded"});
}

static void a_gpu_that_is_not_there_is_one_warning(void **state)
{
    check_refused(*state, "0000:00:00.0", 0, (const char *[]){"0000:00:00.0", "Not Found"});
}

static void an_index_that_is_not_there_is_one_warning(void **state)
{
    check_refused(*state, NULL, 2, (const char *[]){"GPU 2", "Invalid Argument"});
}

/* The log cannot be written for `reason`; all samples are there. */
static void check_no_log(fixture *f, const char *reason)
{
    prof_nvml *nvml = start(f, NEVER);
    for (int n = 1; n < 20; n++)
        prof_nvml_sample(nvml);
    prof_nvml_collect(nvml, f->trace, 0, INT64_MAX, &f->log);
    prof_nvml_sample(nvml);
    swe_log later = {0}; /* without the earlier warnings */
    prof_nvml_stop(&nvml, &later);
    assert_int_equal(later.count, 0);
    assert_int_equal(f->trace->sample_count, 20);
    for (int n = 0; n < 20; n++)
        check_values(&f->trace->samples[n], 0, n);
    assert_int_equal(f->warnings, 1);
    char expected[256];
    snprintf(expected, sizeof expected, "%s: samples of the GPU cannot be written any more: %s",
             f->path, reason);
    assert_string_equal(f->log.line[0], expected);
}

static void a_full_disk_ends_the_log_with_one_warning(void **state)
{
    fixture *f = *state;
    assert_true(set_disk_full(true));
    check_no_log(f, "File too large");
    assert_true(set_disk_full(false));
}

static void a_log_that_cannot_be_created_is_one_warning(void **state)
{
    fixture *f = *state;
    snprintf(f->path, sizeof f->path, "%s/none/gpu_log.csv", f->folder);
    check_no_log(f, "No such file or directory");
}

static void a_disk_that_fills_up_ends_the_log_with_one_warning(void **state)
{
    fixture *f = *state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 400;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    check_no_log(f, "File too large");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_in_range(log_lines(f), 3, 19);
}

static void a_sampler_that_is_null_does_nothing(void **state)
{
    fixture *f = *state;
    prof_nvml *nvml = NULL;
    prof_nvml_sample(nvml);
    prof_nvml_collect(nvml, f->trace, 0, INT64_MAX, &f->log);
    prof_nvml_stop(&nvml, &f->log);
    assert_int_equal(f->trace->sample_count, 0);
    assert_int_equal(f->warnings, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_gpu_is_found_by_its_bus_id),
        TEST(a_gpu_is_found_by_its_index),
        TEST(samples_are_taken_in_the_background),
        TEST(a_window_gets_the_samples_of_its_time),
        TEST(the_latest_samples_are_kept_and_all_are_logged),
        TEST(quantities_that_a_gpu_does_not_report_are_unknown),
        TEST(a_gpu_that_is_lost_is_one_warning),
        TEST(a_library_that_is_missing_is_one_warning),
        TEST(a_library_without_the_functions_is_one_warning),
        TEST(a_driver_that_is_not_loaded_is_one_warning),
        TEST(a_gpu_that_is_not_there_is_one_warning),
        TEST(an_index_that_is_not_there_is_one_warning),
        TEST(a_full_disk_ends_the_log_with_one_warning),
        TEST(a_log_that_cannot_be_created_is_one_warning),
        TEST(a_disk_that_fills_up_ends_the_log_with_one_warning),
        TEST(a_sampler_that_is_null_does_nothing),
    };
    setenv("TZ", "XYZ-05:30", 1); /* the log has local times */
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
