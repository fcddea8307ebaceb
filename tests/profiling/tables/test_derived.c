/* Quantities derived from a trace: projections of regions on the GPU, busy time of the GPU, launch
 * delays, work of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "outputs/output.h"
#include "window/analysis.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

static prof_op op(int64_t start, int64_t end, int32_t span, uint32_t correlation)
{
    return (prof_op){.kind = PROF_OP_KERNEL,
                     .name = "k",
                     .start = start,
                     .end = end,
                     .span = span,
                     .correlation = correlation};
}

static prof_call call(prof_call_kind kind, int64_t start, int64_t end, uint32_t correlation)
{
    return (prof_call){
        .kind = kind, .name = "c", .start = start, .end = end, .correlation = correlation};
}

static void check_projection(const prof_projection *p, int64_t ops, int64_t start, int64_t end)
{
    assert_int_equal(p->ops, ops);
    assert_true(ops == 0 || (p->start == start && p->end == end));
}

/* 0 encloses 1 and 4; 1 encloses 2 and 3; 3 launches nothing; 4 launches the operation that ends
 * last. */
static void a_projection_includes_enclosed_spans(void **state)
{
    (void)state;
    prof_span spans[] = {{.name = "steps", .kind = PROF_PHASE, .parent = -1},
                         {.name = "step", .kind = PROF_STEP, .parent = 0, .depth = 1},
                         {.name = "a", .kind = PROF_STAGE, .parent = 1, .depth = 2},
                         {.name = "b", .kind = PROF_STAGE, .parent = 1, .depth = 2},
                         {.name = "output", .kind = PROF_PHASE, .parent = 0, .depth = 1}};
    prof_op ops[] = {op(100, 900, -1, 0), op(200, 300, 2, 0), op(210, 260, 2, 0),
                     op(400, 450, 1, 0), op(500, 700, 4, 0)};
    const prof_trace trace = {
        .spans = spans, .span_count = COUNT(spans), .ops = ops, .op_count = COUNT(ops)};
    prof_projection *p = prof_project(&trace);
    assert_non_null(p);
    check_projection(&p[0], 4, 200, 700);
    check_projection(&p[1], 3, 200, 450);
    check_projection(&p[2], 2, 200, 300);
    check_projection(&p[3], 0, 0, 0);
    check_projection(&p[4], 1, 500, 700);
    prof_groups *groups = prof_group_projected(&trace, p);
    assert_int_equal(groups->count, 4);
    assert_ptr_equal(groups->group[0].item, &spans[0]);
    assert_int_equal(groups->group[0].total, 500);
    assert_null(prof_groups_find(groups, &spans[3]));
    prof_groups_destroy(&groups);
    free(p);
}

static void a_trace_without_spans_projects_nothing(void **state)
{
    (void)state;
    prof_op ops[] = {op(1, 2, -1, 0)};
    const prof_trace trace = {.ops = ops, .op_count = 1};
    prof_projection *p = prof_project(&trace);
    assert_non_null(p);
    free(p);
}

/* Operations that overlap, that lie within others, and that cross the edges of the window. */
static void busy_time_counts_overlaps_once_and_only_the_window(void **state)
{
    (void)state;
    prof_op ops[] = {op(50, 120, -1, 0),  op(110, 200, -1, 0), op(130, 140, -1, 0),
                     op(300, 350, -1, 0), op(350, 360, -1, 0), op(480, 900, -1, 0),
                     op(950, 990, -1, 0)};
    prof_trace trace = {.start = 100, .end = 500, .ops = ops, .op_count = COUNT(ops)};
    assert_int_equal(prof_gpu_busy(&trace), 100 + 60 + 20);
    trace.op_count = 0;
    assert_int_equal(prof_gpu_busy(&trace), 0);
}

/* Correlation 1: a driver call within a runtime call. 2: a graph of three. 3: the operation starts
 * before the call ends. 4: no call. 5: only a wait. 0: none. */
static void delays_end_at_the_first_operation_of_a_call(void **state)
{
    (void)state;
    prof_call calls[] = {
        call(PROF_CALL_RUNTIME, 10, 30, 1),       call(PROF_CALL_DRIVER, 12, 28, 1),
        call(PROF_CALL_RUNTIME, 100, 140, 2),     call(PROF_CALL_RUNTIME, 200, 300, 3),
        call(PROF_CALL_SYNCHRONIZE, 400, 500, 5), call(PROF_CALL_RUNTIME, 1, 2, 0)};
    prof_op ops[] = {op(60, 70, -1, 1),   op(150, 160, -1, 2), op(165, 170, -1, 2),
                     op(170, 180, -1, 2), op(250, 260, -1, 3), op(300, 310, -1, 4),
                     op(450, 460, -1, 5), op(470, 480, -1, 0)};
    const prof_trace trace = {
        .calls = calls, .call_count = COUNT(calls), .ops = ops, .op_count = COUNT(ops)};
    prof_launch_delays delays;
    assert_true(prof_launch_delays_of(&trace, &delays));
    assert_int_equal(delays.latency->count, 1);
    assert_int_equal(delays.latency->group[0].count, 3);
    assert_true(delays.latency->group[0].min == 50 && delays.latency->group[0].max == 50);
    assert_int_equal(delays.queue->group[0].count, 3);
    assert_true(delays.queue->group[0].min == 0 && delays.queue->group[0].median == 10.0 &&
                delays.queue->group[0].max == 30);
    prof_launch_delays_destroy(&delays);
    assert_true(delays.latency == NULL && delays.queue == NULL);
}

static prof_span part(int32_t thread, int64_t time, int64_t instructions, int64_t cycles)
{
    return (prof_span){.name = "stage",
                       .kind = PROF_THREAD,
                       .start = 1000,
                       .end = 1000 + time,
                       .parent = 0,
                       .thread = thread,
                       .counts = {[PROF_COUNTER_task_clock] = -1,
                                  [PROF_COUNTER_context_switches] = -1,
                                  [PROF_COUNTER_instructions] = instructions,
                                  [PROF_COUNTER_cycles] = cycles,
                                  [PROF_COUNTER_cache_misses] = 2}};
}

static void threads_share_a_stage_and_its_counters_are_summed_where_measured(void **state)
{
    (void)state;
    prof_span spans[] = {{.name = "stage", .kind = PROF_STAGE, .end = 100, .parent = -1},
                         part(1, 20, 100, 50),
                         part(0, 60, 90, -1),
                         part(1, 20, 50, 100)};
    const prof_trace trace = {.spans = spans, .span_count = COUNT(spans)};
    prof_thread_works works;
    assert_true(prof_thread_works_of(&trace, &works));
    assert_int_equal(works.count, 2);
    const prof_thread_work *main_work = &works.work[0], *worker = &works.work[1];
    assert_true(main_work->thread == 0 && worker->thread == 1);
    assert_true(main_work->share == 0.6 && worker->share == 0.4);
    assert_true(fabs(main_work->imbalance - 1.2) < 1e-15);
    assert_true(worker->imbalance == main_work->imbalance);
    assert_true(worker->counts[PROF_COUNTER_task_clock] == -1);
    assert_true(worker->counts[PROF_COUNTER_instructions] == 150);
    assert_true(worker->counts[PROF_COUNTER_cache_misses] == 4);
    assert_true(worker->instructions_per_cycle == 1.0);
    assert_true(main_work->counts[PROF_COUNTER_instructions] == 90);
    assert_true(main_work->counts[PROF_COUNTER_cycles] == -1);
    assert_true(main_work->instructions_per_cycle < 0.0);
    prof_thread_works_destroy(&works);
}

static void check_name(const char *name, int length)
{
    assert_int_equal(prof_call_name_length(name), length);
}

static void names_of_calls_lose_only_the_version_suffix_of_cupti(void **state)
{
    (void)state;
    check_name("cudaLaunchKernel_v7000", 16);
    check_name("cudaGraphLaunch_v10000", 15);
    check_name("cudaMemcpyAsync_ptsz_v7000", 20);
    check_name("cuMemcpyDtoH_v2", 15);
    check_name("cuLaunchKernel", 14);
    check_name("odd1234", 7);
    check_name("_v7000", 6);
    check_name("7000", 4);
    check_name("", 0);
}

/* A text that a spreadsheet would evaluate stays a text; a number stays a number. */
static void a_formula_is_inert(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    csv out = {open_memstream(&text, &size), false};
    assert_non_null(out.file);
    for (const char *const *t = (const char *const[]){"=1+1", "+1", "-1", "@SUM(A1)", "\tx",
                                                      "=HYPERLINK(\"x\",\"y\")", "a=b", "", NULL};
         *t != NULL; t++)
        csv_text(&out, *t);
    csv_integer(&out, -1);
    csv_real(&out, -0.5, 1);
    csv_end_row(&out);
    fclose(out.file);
    assert_string_equal(text, "'=1+1,'+1,'-1,'@SUM(A1),'\tx,\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\","
                              "a=b,,-1,-0.5\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_formula_is_inert),
        cmocka_unit_test(a_projection_includes_enclosed_spans),
        cmocka_unit_test(a_trace_without_spans_projects_nothing),
        cmocka_unit_test(busy_time_counts_overlaps_once_and_only_the_window),
        cmocka_unit_test(delays_end_at_the_first_operation_of_a_call),
        cmocka_unit_test(threads_share_a_stage_and_its_counters_are_summed_where_measured),
        cmocka_unit_test(names_of_calls_lose_only_the_version_suffix_of_cupti),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
