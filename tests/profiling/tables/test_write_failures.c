/* Tables, summary and timeline return false after one warning that names a file which cannot be
 * written. */
#include <errno.h>
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

#include "outputs/output.h"
#include "sample_trace.h"
#include "support/full_disk.h"

static const char *const table_names[] = {"cuda_gpu_kern_sum.csv",     "cuda_api_sum.csv",
                                          "cuda_gpu_mem_time_sum.csv", "nvtx_sum.csv",
                                          "nvtx_gpu_proj_sum.csv",     "cuda_gpu_mem_size_sum.csv",
                                          "cuda_gpu_trace.csv",        "kernel_stats.csv",
                                          "cpu_thread_sum.csv",        "code_lines.csv"};
enum { TABLES = sizeof table_names / sizeof *table_names };

static void check_warning(const swe_log *log, const char *name, int error)
{
    assert_int_equal(log->count, 1);
    assert_non_null(strstr(log->line[0], name));
    assert_non_null(strstr(log->line[0], strerror(error)));
}

static void a_missing_folder_is_reported(void **state)
{
    prof_trace *trace = *state;
    swe_log log = {0};
    assert_false(prof_write_tables(trace, "/nowhere/at/all", &log));
    check_warning(&log, "/nowhere/at/all/cuda_gpu_kern_sum.csv", ENOENT);
    log.count = 0;
    assert_false(prof_write_summary(trace, "/nowhere/at/all", &log));
    check_warning(&log, "/nowhere/at/all/summary.json", ENOENT);
    log.count = 0;
    assert_false(prof_write_timeline(trace, "/nowhere/at/all", &log));
    check_warning(&log, "/nowhere/at/all/timeline.json", ENOENT);
}

/* Write on a full disk. */
static void check_full(const prof_trace *trace, prof_output *write, const char *directory,
                       const char *name)
{
    swe_log log = {0};
    assert_true(set_disk_full(true));
    assert_false(write(trace, directory, &log));
    assert_true(set_disk_full(false));
    check_warning(&log, name, EFBIG);
}

/* Write with a folder at the path of `name`; then remove it and write again. */
static void check_in_the_way(const prof_trace *trace, prof_output *write, const char *directory,
                             const char *name)
{
    char path[256];
    swe_log log = {0};
    snprintf(path, sizeof path, "%s/%s", directory, name);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(write(trace, directory, &log));
    check_warning(&log, name, EISDIR);
    assert_int_equal(rmdir(path), 0);
    log.count = 0;
    assert_true(write(trace, directory, &log));
    assert_int_equal(log.count, 0);
}

static void remove_file(const char *directory, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(unlink(path), 0);
}

static void write_failures_are_reported(void **state)
{
    char directory[] = "/tmp/cubeswe_full_XXXXXX";
    assert_non_null(mkdtemp(directory));
    check_full(*state, prof_write_tables, directory, table_names[0]);
    check_full(*state, prof_write_summary, directory, "summary.json");
    check_full(*state, prof_write_timeline, directory, "timeline.json");
    for (int k = 0; k < TABLES; k++)
        check_in_the_way(*state, prof_write_tables, directory, table_names[k]);
    check_in_the_way(*state, prof_write_summary, directory, "summary.json");
    check_in_the_way(*state, prof_write_timeline, directory, "timeline.json");
    for (int k = 0; k < TABLES; k++)
        remove_file(directory, table_names[k]);
    remove_file(directory, "summary.json");
    remove_file(directory, "timeline.json");
    assert_int_equal(rmdir(directory), 0);
}

static int make_trace(void **state)
{
    *state = sample_trace(true);
    return *state != NULL ? 0 : 1;
}

static int destroy_trace(void **state)
{
    prof_trace *trace = *state;
    prof_trace_destroy(&trace);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_folder_is_reported),
        cmocka_unit_test(write_failures_are_reported),
    };
    return cmocka_run_group_tests(tests, make_trace, destroy_trace);
}
