/* Dataflow: the bound of a stage, its on-chip memory, and files that cannot be written. */
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

#include "outputs/dataflow/dataflow.h"
#include "outputs/output.h"
#include "sample_trace.h"
#include "support/full_disk.h"

/* A stage with one call per step of `bytes`, `flops` and `time` [ns], on a device with peaks of one
 * byte and one operation per nanosecond. */
static flow_stage bounded(double bytes, double flops, double time)
{
    const prof_cost cost = {"stage", NULL, flops, NULL, 0, 0};
    flow_stage stage = {
        .name = "stage", .cost = &cost, .calls_per_step = 1.0, .mean = time, .read = bytes};
    const flow_stage *offload[1];
    flow_graph graph = {.stages = &stage, .stage_count = 1, .offload = offload};
    flow_bound_stages(&graph, &(prof_peaks){.copy_bandwidth = 1e9, .flops = 1e9});
    assert_int_equal(graph.offload_count, stage.roofline.bound == PROF_BOUND_MEMORY);
    stage.cost = NULL;
    return stage;
}

static void the_longer_roofline_time_bounds(void **state)
{
    (void)state;
    assert_int_equal(bounded(9e6, 1e6, 2e7).roofline.bound, PROF_BOUND_MEMORY);
    assert_int_equal(bounded(1e6, 9e6, 2e7).roofline.bound, PROF_BOUND_COMPUTE);
    assert_int_equal(bounded(0.0, 9e6, 2e7).roofline.bound, PROF_BOUND_COMPUTE);
    assert_int_equal(bounded(0.0, 0.0, 2e7).roofline.bound, PROF_BOUND_UNKNOWN);
    assert_int_equal(bounded(9e6, 1e6, 0.0).roofline.bound, PROF_BOUND_UNKNOWN);
}

static void short_work_that_runs_long_is_latency_bound(void **state)
{
    (void)state;
    assert_int_equal(bounded(4999.0, 1e3, 1e4).roofline.bound, PROF_BOUND_LATENCY);
    assert_int_equal(bounded(1e3, 4999.0, 1e4).roofline.bound, PROF_BOUND_LATENCY);
    assert_int_equal(bounded(5000.0, 1e3, 1e6).roofline.bound, PROF_BOUND_MEMORY);
    assert_int_equal(bounded(4000.0, 1e3, 8000.0).roofline.bound,
                     PROF_BOUND_MEMORY); /* half of its roofline */
    assert_int_equal(bounded(4000.0, 1e3, 8001.0).roofline.bound, PROF_BOUND_LATENCY);
}

static void check_savings(flow_stage stage, double least, double most)
{
    assert_true(stage.roofline.bound == PROF_BOUND_MEMORY);
    assert_true(stage.least_saving == least);
    assert_true(stage.most_saving == most);
}

static void faster_memory_saves_time_beyond_arithmetic(void **state)
{
    (void)state;
    check_savings(bounded(9e6, 1e6, 2e7), 8e6, 19e6);
    check_savings(bounded(9e6, 1e6, 5e6), 4e6, 4e6); /* faster than a copy: from a cache */
    check_savings(bounded(9e6, 6e6, 5e6), 0.0, 0.0); /* faster than the peaks allow */
    assert_true(bounded(1e6, 9e6, 2e7).most_saving == 0.0);
}

static void both_peaks_are_needed(void **state)
{
    (void)state;
    const prof_peaks peaks[] = {{.flops = 1e9}, {.copy_bandwidth = 1e9}, {.flops = 0.0}};
    const prof_cost cost = {"stage", NULL, 1e6, NULL, 0, 0};
    for (int k = 0; k < 3; k++) {
        flow_stage stage = {.name = "stage", .cost = &cost, .mean = 1e7, .read = 1e6};
        const flow_stage *offload[1];
        flow_graph graph = {.stages = &stage, .stage_count = 1, .offload = offload};
        flow_bound_stages(&graph, &peaks[k]);
        assert_int_equal(stage.roofline.bound, PROF_BOUND_UNKNOWN);
        assert_true(stage.roofline.time == 0.0);
        assert_int_equal(graph.offload_count, 0);
    }
}

/* n = 9: 6 panels of 10 rows of 10 values, 4800 bytes; a row is 80. */
static void a_row_block_includes_its_halo(void **state)
{
    (void)state;
    const prof_access accesses[] = {{"a", 4800.0, false}, {"b", 4800.0, true}};
    const prof_cost cost = {"stage", NULL, 0.0, accesses, 2, 0};
    const flow_shape shape = {10.0, 2.0};
    assert_true(flow_whole_bytes(&cost) == 9600.0);
    assert_float_equal(flow_block_bytes(&cost, shape, 1), 5 * 80 + 80, 1e-9);
    assert_float_equal(flow_block_bytes(&cost, shape, 4), 8 * 80 + 4 * 80, 1e-9);
    assert_float_equal(flow_block_bytes(&cost, shape, 8), 10 * 80 + 8 * 80, 1e-9);
}

static void a_buffer_that_is_read_and_written_is_held_once(void **state)
{
    (void)state;
    const prof_access accesses[] = {
        {"a", 4800.0, true}, {"a", 4800.0, false}, {"b", 4800.0, false}, {"a", 480.0, true}};
    const prof_cost cost = {"stage", NULL, 0.0, accesses, 4, 0};
    const flow_shape shape = {10.0, 2.0};
    assert_true(flow_whole_bytes(&cost) == 9600.0);
    assert_float_equal(flow_block_bytes(&cost, shape, 1), 2 * 5 * 80, 1e-9);
}

static void size_classes_end_where_the_next_begins(void **state)
{
    (void)state;
    prof_op ops[2] = {{.kind = PROF_OP_COPY, .name = "[CUDA memcpy Device-to-Host]"}};
    ops[1] = ops[0];
    for (int k = 1; k < FLOW_SIZES; k++) {
        ops[0].bytes = flow_size_from(k) - 1;
        ops[1].bytes = flow_size_from(k);
        const flow_transfers found = flow_transfers_of(&(prof_trace){.ops = ops, .op_count = 2});
        assert_int_equal(found.of[FLOW_DEVICE_TO_HOST][k - 1].count, 1);
        assert_int_equal(found.of[FLOW_DEVICE_TO_HOST][k].count, 1);
    }
}

static void check_warning(const swe_log *log, const char *name, int error)
{
    assert_int_equal(log->count, 1);
    assert_non_null(strstr(log->line[0], name));
    assert_non_null(strstr(log->line[0], strerror(error)));
}

static void a_missing_folder_is_reported(void **state)
{
    (void)state;
    prof_trace *trace = sample_trace(true);
    swe_log log = {0};
    assert_false(prof_write_dataflow(trace, "/nowhere/at/all", &log));
    check_warning(&log, "/nowhere/at/all/dataflow.json", ENOENT);
    prof_trace_destroy(&trace);
}

static void write_failures_are_reported(void **state)
{
    (void)state;
    static const char *const names[] = {"dataflow.json", "dataflow.dot", "step.mlir"};
    char directory[] = "/tmp/cubeswe_full_XXXXXX", path[3][256];
    prof_trace *trace = sample_trace(false);
    assert_non_null(mkdtemp(directory));
    for (int k = 0; k < 3; k++) {
        swe_log log = {0};
        snprintf(path[k], sizeof path[k], "%s/%s", directory, names[k]);
        unlink(path[k]);
        assert_int_equal(mkdir(path[k], 0700), 0);
        assert_false(prof_write_dataflow(trace, directory, &log));
        check_warning(&log, path[k], EISDIR);
        assert_int_equal(rmdir(path[k]), 0);
    }
    swe_log log = {0};
    assert_true(set_disk_full(true));
    assert_false(prof_write_dataflow(trace, directory, &log));
    assert_true(set_disk_full(false));
    check_warning(&log, path[0], EFBIG);
    log.count = 0;
    assert_true(prof_write_dataflow(trace, directory, &log));
    assert_int_equal(log.count, 0);
    for (int k = 0; k < 3; k++)
        assert_int_equal(unlink(path[k]), 0);
    assert_int_equal(rmdir(directory), 0);
    prof_trace_destroy(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longer_roofline_time_bounds),
        cmocka_unit_test(short_work_that_runs_long_is_latency_bound),
        cmocka_unit_test(faster_memory_saves_time_beyond_arithmetic),
        cmocka_unit_test(both_peaks_are_needed),
        cmocka_unit_test(a_row_block_includes_its_halo),
        cmocka_unit_test(a_buffer_that_is_read_and_written_is_held_once),
        cmocka_unit_test(size_classes_end_where_the_next_begins),
        cmocka_unit_test(a_missing_folder_is_reported),
        cmocka_unit_test(write_failures_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
