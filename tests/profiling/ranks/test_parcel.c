/* A trace that another rank gets holds all that the outputs read. */
#define _GNU_SOURCE /* DT_REG */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outputs/output.h"
#include "sample_trace.h"

static const int64_t hour = INT64_C(3600) * 1000000000;

/* The parcel lacks the members that ranks share. */
static void share(const prof_trace *from, prof_trace *to)
{
    to->case_name = from->case_name;
    to->version = from->version;
    to->facts = from->facts;
    to->fact_count = from->fact_count;
    to->costs = from->costs;
    to->cost_count = from->cost_count;
    to->peaks = from->peaks;
}

static prof_trace *copy_of(const prof_trace *trace)
{
    size_t size = 0;
    void *bytes = prof_trace_pack(trace, &size);
    assert_non_null(bytes);
    prof_trace *copy = prof_trace_unpack(bytes, size);
    free(bytes);
    assert_non_null(copy);
    share(trace, copy);
    return copy;
}

/* The bytes of a file, and their number. */
static char *read_file(const char *folder, const char *name, size_t *size)
{
    char path[512];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    char *bytes = malloc((size_t)info.st_size + 1);
    *size = (size_t)info.st_size;
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static int assert_same_files(const char *a, const char *b)
{
    int count = 0;
    DIR *folder = opendir(a);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t sizes[2] = {0, 0};
        if (entry->d_type != DT_REG)
            continue;
        char *bytes[2] = {read_file(a, entry->d_name, &sizes[0]),
                          read_file(b, entry->d_name, &sizes[1])};
        if (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0)
            fail_msg("%s differs", entry->d_name);
        free(bytes[0]);
        free(bytes[1]);
        count++;
    }
    closedir(folder);
    return count;
}

/* Write a window to a new folder below the present one. */
static void write_window(const prof_trace *trace, const char *name, char path[64])
{
    swe_log log = {.warn = NULL};
    assert_true(prof_window_folder_write(trace, name, PROF_FILE_PERFETTO | PROF_FILE_JSON, &log));
    snprintf(path, 64, "%s/step_%08d", name, (int)trace->first_step);
}

static void a_copy_writes_the_same_files(void **state)
{
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        prof_trace *trace = sample_trace(gpu), *copy = copy_of(trace);
        char a[64], b[64];
        write_window(trace, gpu ? "gpu" : "cpu", a);
        write_window(copy, gpu ? "gpu_copy" : "cpu_copy", b);
        assert_true(assert_same_files(a, b) >= 15);
        prof_trace_destroy(&copy);
        prof_trace_destroy(&trace);
    }
}

static void all_times_move(void **state)
{
    (void)state;
    prof_trace *trace = sample_trace(true), *copy = copy_of(trace);
    prof_trace_shift(copy, hour);
    assert_int_equal(copy->start, trace->start + hour);
    assert_int_equal(copy->spans[3].end, trace->spans[3].end + hour);
    assert_int_equal(copy->ops[1].start, trace->ops[1].start + hour);
    assert_int_equal(copy->calls[1].end, trace->calls[1].end + hour);
    assert_int_equal(copy->samples[1].time, trace->samples[1].time + hour);
    assert_int_equal(copy->sampled.intervals[1].end, trace->sampled.intervals[1].end + hour);
    assert_int_equal(copy->memory_events[0].time, trace->memory_events[0].time + hour);
    assert_int_equal(copy->after.time, trace->after.time + hour);
    assert_true(copy->phases[0].total == trace->phases[0].total);
    prof_trace_shift(copy, -hour);
    json_t *a = sample_trace_json(trace), *b = sample_trace_json(copy);
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    prof_trace_destroy(&copy);
    prof_trace_destroy(&trace);
}

/* No number of bytes but the right one is a trace. The last text has one NUL, which is its last. */
static void a_cut_parcel_is_refused(void **state)
{
    (void)state;
    prof_trace *trace = sample_trace(true);
    size_t size = 0;
    char *bytes = prof_trace_pack(trace, &size);
    for (size_t length = 0; length < size; length += length < size - 64 ? 61 : 1) {
        prof_trace *copy = prof_trace_unpack(bytes, length);
        if (copy != NULL)
            fail_msg("%zu of %zu bytes", length, size);
    }
    free(bytes);
    prof_trace_destroy(&trace);
}

static void a_share_of_the_costs(void **state)
{
    (void)state;
    prof_trace *trace = sample_trace(false);
    prof_cost *half = prof_costs_of_share(trace->costs, trace->cost_count, 0.5);
    assert_non_null(half);
    for (int k = 0; k < trace->cost_count; k++) {
        const prof_cost *cost = &trace->costs[k];
        assert_string_equal(half[k].stage, cost->stage);
        assert_true(half[k].flops == 0.5 * cost->flops);
        for (int a = 0; a < cost->access_count; a++) {
            assert_string_equal(half[k].accesses[a].buffer, cost->accesses[a].buffer);
            assert_true(half[k].accesses[a].bytes == 0.5 * cost->accesses[a].bytes);
        }
    }
    free(half);
    prof_trace_destroy(&trace);
}

static int enter_folder(void **state)
{
    static char folder[] = "/tmp/test_parcel_XXXXXX";
    *state = mkdtemp(folder);
    return *state != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_writes_the_same_files),
        cmocka_unit_test(all_times_move),
        cmocka_unit_test(a_cut_parcel_is_refused),
        cmocka_unit_test(a_share_of_the_costs),
    };
    return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
