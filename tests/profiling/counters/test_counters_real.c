/* Tests that need the real library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sources/counters/counters_host.h"
#include "sources/sources.h"
#include "sources/cupti/cupti_library.h"

/* Why operations are counted as instructions of threads, in a pass more: that of the pipe, which
 * fits into the first one, does not distinguish additions from multiply-adds. */
static void instructions_of_the_pipe_would_take_no_further_pass(void **state)
{
    (void)state;
    static swe_log log;
    static const char *const metrics[] = {
        "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum",
        "lts__t_bytes.sum",       "l1tex__t_bytes.sum",   "sm__inst_executed_pipe_fp64.sum"};
    prof_cupti_library library;
    prof_counters_failure failure = {NULL, 0};
    assert_true(prof_cupti_library_open(&library, "counters", &log));
    prof_counters_host *host = prof_counters_host_create(
        library.handle, (prof_counters_request){.chip = "GH100", .metrics = metrics, .count = 6},
        &failure);
    assert_non_null(host);
    assert_true(prof_counters_host_has(host, 5));
    assert_int_equal(prof_counters_host_passes(host), 1);
    prof_counters_host_destroy(&host);
}

/* Where there is no driver CUPTI crashes if the chip is queried. */
static void a_machine_without_a_gpu_gets_one_warning(void **state)
{
    (void)state;
    static swe_log log;
    prof_gpu_counters *counters = prof_gpu_counters_create(0, 1000, &log);
    if (counters == NULL) {
        assert_int_equal(log.count, 1);
        assert_non_null(strstr(log.line[0], "no counters: "));
    }
    prof_gpu_counters_destroy(&counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_of_the_pipe_would_take_no_further_pass),
        cmocka_unit_test(a_machine_without_a_gpu_gets_one_warning)};
    return cmocka_run_group_tests_name("counters: real library", tests, NULL, NULL);
}
