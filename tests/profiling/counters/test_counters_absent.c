/* Without CUPTI there is one warning and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sources/sources.h"

static void a_build_without_cupti_says_so_and_counts_nothing(void **state)
{
    (void)state;
    static swe_log log;
    prof_gpu_counters *counters = prof_gpu_counters_create(0, 1000, &log);
    assert_null(counters);
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.line[0], "no counters: this build has no CUPTI"));
    prof_trace *trace = prof_trace_create();
    assert_non_null(trace);
    prof_gpu_counters_start(counters);
    prof_gpu_counters_begin(counters, (prof_region){"step", PROF_STEP}, 0);
    prof_gpu_counters_end(counters);
    prof_gpu_counters_stop(counters, trace, &log);
    prof_gpu_counters_destroy(&counters);
    assert_null(trace->counted.chip);
    assert_int_equal(log.count, 1);
    prof_trace_destroy(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_without_cupti_says_so_and_counts_nothing)};
    return cmocka_run_group_tests_name("counters: absent", tests, NULL, NULL);
}
