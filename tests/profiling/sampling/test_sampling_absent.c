/* Without CUPTI there is one warning and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sources/sources.h"

static void a_build_without_cupti_says_so_and_samples_nothing(void **state)
{
    (void)state;
    static swe_log log;
    prof_gpu_sampling *sampling = prof_gpu_sampling_create(0, 100000, 1000, &log);
    assert_null(sampling);
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.line[0], "no counter samples: this build has no CUPTI"));
    prof_trace *trace = prof_trace_create();
    assert_non_null(trace);
    prof_gpu_sampling_start(sampling, &log);
    prof_gpu_sampling_stop(sampling, trace, &log);
    prof_gpu_sampling_destroy(&sampling);
    assert_null(trace->sampled.chip);
    assert_int_equal(log.count, 1);
    prof_trace_destroy(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_without_cupti_says_so_and_samples_nothing)};
    return cmocka_run_group_tests_name("sampling: absent", tests, NULL, NULL);
}
