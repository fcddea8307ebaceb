/* When regions are recorded: within windows, and all the time where an NVTX tool is attached.
 * Run once without such a tool, and once with it (NVTX_INJECTION64_PATH). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "profiler.h"

static const prof_region regions[] = {{"gradient", PROF_STAGE}};

static void ignore(void *warner, const char *line)
{
    (void)warner;
    (void)line;
}

/* Windows of steps 3 and 4, and of 8 and 9. */
static prof_options options_of(prof_mode mode)
{
    return (prof_options){.mode = mode,
                          .directory = "never-created",
                          .start_step = 3,
                          .duration = 2,
                          .interval = 5,
                          .last_step = 12,
                          .max_events = 1000,
                          .case_name = "case",
                          .version = "0",
                          .regions = regions,
                          .region_count = 1,
                          .warn = ignore};
}

static bool has_tool(void)
{
    return getenv("NVTX_INJECTION64_PATH") != NULL;
}

static void nothing_is_eager_without_a_profiler(void **state)
{
    (void)state;
    assert_false(prof_is_eager(NULL));
    prof_capture_begin(NULL);
    prof_capture_end(NULL);
    prof_launched_steps(NULL, 4);
    prof_add_stride(NULL, 4, 1.0);
}

/* Mode nsys writes nothing itself: its windows are for a tool. */
static void check_windows(prof_options options)
{
    static const bool in_window[13] = {[3] = true, [4] = true, [8] = true, [9] = true};
    const prof_device device = {.name = "device", .threads = 1};
    prof_profiler *p = prof_create(&options);
    assert_non_null(p);
    prof_attach(p, &device);
    for (int step = 0; step <= 12; step++) {
        prof_at_step(p, step);
        assert_int_equal(prof_is_eager(p), options.eager && (in_window[step] || has_tool()));
    }
    prof_finish(p);
    assert_int_equal(prof_is_eager(p), options.eager && has_tool());
    prof_destroy(&p);
}

static void windows_launch_graphs_unless_they_are_eager(void **state)
{
    (void)state;
    prof_options options = options_of(PROF_NSYS);
    check_windows(options);
    options.eager = true;
    check_windows(options);
}

static void a_tool_receives_regions_without_windows(void **state)
{
    (void)state;
    prof_options options = options_of(PROF_OFF);
    options.eager = true;
    prof_profiler *p = prof_create(&options);
    assert_int_equal(p != NULL, has_tool());
    assert_int_equal(prof_is_eager(p), has_tool());
    prof_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_eager_without_a_profiler),
        cmocka_unit_test(windows_launch_graphs_unless_they_are_eager),
        cmocka_unit_test(a_tool_receives_regions_without_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
